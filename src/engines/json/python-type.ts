import { LongList } from './large-json.js';

/** Whether a JSON value is a list, also one that is parsed later. */
export const isList = (value: unknown): value is readonly unknown[] | LongList =>
  Array.isArray(value) || value instanceof LongList;

/** The type of a JSON value as the contract's error messages name it. */
export function pythonType(value: unknown): string {
  if (value === null) return 'NoneType';
  if (isList(value)) return 'list';
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'str';
    default:
      return 'dict';
  }
}

/** The error message for a value that must be an object. */
export const notAnObject = (value: unknown): string =>
  `Invalid data. Expected a dictionary, but got ${pythonType(value)}.`;

/** The error message for a value that must be a list. */
export const notAList = (value: unknown): string => `Expected a list of items but got type "${pythonType(value)}".`;
