import type { JsonValue } from './json-value.js';

const MAX_LISTED = 1000;

/** JSON Logic's truth: that of JavaScript, but an empty list is false. */
export const isTruthy = (value: JsonValue): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** As JavaScript's `==` has it for texts, numbers, booleans and null; lists and objects equal nothing. */
export function looselyEqual(a: JsonValue, b: JsonValue): boolean {
  if (a === null || b === null) return a === b;
  if (typeof a === 'object' || typeof b === 'object') return false;
  return typeof a === typeof b ? a === b : Number(a) === Number(b);
}

/** Below, equal, above: negative, 0, positive; NaN when neither holds. Two texts by their characters, else as numbers. */
export function compare(a: JsonValue, b: JsonValue): number {
  if (typeof a === 'string' && typeof b === 'string') return Number(a > b) - Number(a < b);
  return toNumber(a) - toNumber(b);
}

/** NaN for what is no number. */
export const toNumber = (value: JsonValue): number =>
  typeof value === 'object' && value !== null ? Number.NaN : Number(value);

/** Lists by their plain items, separated by commas; what is nested deeper is no text. */
export function toText(value: JsonValue): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value)) return '';
  const plain = value.slice(0, MAX_LISTED).map((item) => (typeof item === 'object' ? '' : toText(item)));
  return plain.join(',');
}
