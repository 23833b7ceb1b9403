import { type FormEvent, type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';

/** Makes a form run a mutation instead of the browser's own submission. */
export const submitting =
  (mutation: { readonly mutate: () => void }) =>
  (event: FormEvent): void => {
    event.preventDefault();
    mutation.mutate();
  };

/** Lets Ctrl + Enter, or Command + Enter on a Mac, submit the form of a text area. */
export function submitOnCtrlEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** Focuses the first invalid field when an error appears. @returns the ref for the form */
export function useFocusOnRefusal(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}
