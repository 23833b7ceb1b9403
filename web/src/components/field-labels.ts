import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { fieldTitle } from '../app/field-title';
import type { Problem } from '../app/problems';

/**
 * Names fields as their form does. The labels are read from the form, because they depend on it: the same field of the API
 * is called differently in different forms.
 * @returns the ref for the message, which is in the form, and the text of the problem
 */
export function useFieldLabels({ text, fields }: Problem): readonly [RefObject<HTMLDivElement | null>, string] {
  const message = useRef<HTMLDivElement>(null);
  const [named, setNamed] = useState(text);
  useLayoutEffect(() => {
    const form = message.current?.closest('form');
    setNamed(form ? withLabels(text, fields, shownErrors(form)) : text);
    // The fields are those of the text.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [text]);
  return [message, named];
}

/** An error below a field. */
interface ShownError {
  readonly label: string;
  readonly message: string;
}

/**
 * Replaces names of the API by the labels of the fields that show the same message.
 * @param text contains names with messages
 * @param fields messages by name
 */
export function withLabels(
  text: string,
  fields: Readonly<Record<string, string>>,
  errors: readonly ShownError[],
): string {
  const left = [...errors];
  return Object.entries(fields).reduce((result, [name, message]) => {
    const at = left.findIndex((error) => error.message === message);
    const [found] = at < 0 ? [] : left.splice(at, 1);
    return found === undefined
      ? result
      : result.replace(`${fieldTitle(name)}: ${message}`, () => `${found.label}: ${message}`);
  }, text);
}

function shownErrors(form: HTMLFormElement): ShownError[] {
  return [...form.querySelectorAll<HTMLInputElement>('[aria-invalid="true"]')].flatMap((field) => {
    const [label] = field.labels ?? [];
    if (label === undefined) return [];
    const described = field.getAttribute('aria-describedby')?.split(' ') ?? [];
    const title = (label.textContent ?? '').replace(/\s*\*$/, ''); // the mark of required fields
    return described.map((id) => ({ label: title, message: document.getElementById(id)?.textContent ?? '' }));
  });
}
