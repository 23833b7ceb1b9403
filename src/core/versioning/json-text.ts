/**
 * A value that is JSON already: made by the database and only to be stored, where objects of a hundred thousand entries
 * would be made of it and taken apart again.
 */
export class JsonText {
  /** @param text valid JSON without line breaks */
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** As `JSON.stringify` of an object whose members may be such texts. */
export function stringifyMembers(object: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(object).map(
    ([key, value]) => `${JSON.stringify(key)}:${value instanceof JsonText ? value.text : JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}

/** The object with the values of such texts. */
export const parseMembers = (object: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, value instanceof JsonText ? value.toJSON() : value]),
  );
