import { type FormEvent, type RefObject, useEffect, useRef } from 'react';

/** Makes a form run a mutation instead of the browser's own submission. */
export const submitting =
  (mutation: { readonly mutate: () => void }) =>
  (event: FormEvent): void => {
    event.preventDefault();
    mutation.mutate();
  };

/** Focuses the first invalid field when an error appears. @returns the ref for the form */
export function useFocusOnRefusal(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}
