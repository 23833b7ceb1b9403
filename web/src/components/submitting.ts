import { type FormEvent, type RefObject, useEffect, useRef } from 'react';

/** What a form does when it is sent off: a deed of ours instead of the browser's. */
export const submitting =
  (deed: { readonly mutate: () => void }) =>
  (event: FormEvent): void => {
    event.preventDefault();
    deed.mutate();
  };

/** Moves the focus to the first field that was refused. @returns the ref of the form */
export function useFocusOnRefusal(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}
