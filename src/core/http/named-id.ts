import { readNumber } from './fields.js';

const MAX_ID = 2 ** 31 - 1;

/**
 * An id in a query, or in a body that is not validated yet: permissions are asked of the object it names before values
 * are judged.
 * @returns 0, an id that nobody has, for integers beyond the column; undefined for what is no integer
 */
export function namedId(value: unknown): number | undefined {
  const id = readNumber(value);
  if (typeof id !== 'number' || !Number.isInteger(id)) return undefined;
  return id > 0 && id <= MAX_ID ? id : 0;
}
