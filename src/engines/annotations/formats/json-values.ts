import { type FileLocation, refuse, shown } from './format.js';
import { MAX_NESTING, pythonNumberIn, repeatedKey, TOO_DEEP, valueEnd } from './json-ends.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** @throws FormatError if the text is not JSON, nested too deep, or has a key twice */
export function parseJson(text: string, location: FileLocation): unknown {
  if (valueEnd(text, text.search(/\S/)) === TOO_DEEP) refuse(location, `this is nested more than ${MAX_NESTING} deep`);
  return parseValue(text, location);
}

/** As {@link parseJson}, for a text that is known not to be nested too deep. */
export function parseValue(text: string, location: FileLocation): unknown {
  const value = valueIn(text, location);
  const key = repeatedKey(text);
  return key === undefined ? value : refuseRepeated(key, location);
}

/** Refuses a key that an object has twice: whichever took effect, the other would be lost. */
export const refuseRepeated = (key: string, location: FileLocation): never =>
  refuse(location, `the key ${shown(key)} is there twice`);

function valueIn(text: string, location: FileLocation): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const number = pythonNumberIn(text);
    if (number === undefined) return refuse(location, 'this is not JSON', error);
    const { word, at } = number;
    return refuse(`${location}, character ${at + 1}`, `${word} is not JSON. Write a number or null`, error);
  }
}

/** @throws FormatError */
export function objectOf(value: unknown, location: FileLocation): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : refuse(location, 'this is not an object');
}

/** @throws FormatError */
export const listOf = (value: unknown, what: string, location: FileLocation): unknown[] =>
  Array.isArray(value) ? value : refuse(location, `${what} is not a list`);

/** @throws FormatError */
export function numbersOf(value: unknown, what: string, location: FileLocation): number[] {
  const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'number');
  return isList ? value : refuse(location, `${what} is not a list of numbers`);
}

/** The values of an object as text, booleans as `true` and `false`; values of other types are left out. */
export const textsOf = (object: JsonObject): (readonly [name: string, value: string])[] =>
  Object.entries(object).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [[name, String(value)] as const]
      : [],
  );
