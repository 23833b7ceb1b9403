import type { FormEvent } from 'react';

/** What a form does when it is sent off: a deed of ours instead of the browser's. */
export const submitting =
  (deed: { readonly mutate: () => void }) =>
  (event: FormEvent): void => {
    event.preventDefault();
    deed.mutate();
  };
