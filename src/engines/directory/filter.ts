/** Characters with a meaning in filters (RFC 4515, 3). */
const SPECIAL = /[\\*()\0]/g;

/** Escapes a value, so that it stands for itself in a filter. */
export const escapeValue = (text: string): string =>
  text.replaceAll(SPECIAL, (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Replaces `{name}` by the escaped value. Other braces stay. */
export const fillFilter = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? escapeValue(values[name] ?? '') : whole,
  );

/** One form of the names of a group that a directory treats as the same: letter case and spaces of DNs do not count. */
export const normalGroup = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .split(/([,=])/)
    .map((part) => part.trim())
    .join('');
