import { FunctionFailed } from '../../../app/function-failed';

/** @param text what is wrong with the response of a function */
export const invalidAnswer = (text: string): FunctionFailed =>
  new FunctionFailed('The response of the function is not valid', text);

/** @returns the keys of a response; none if it is not an object */
export const keysOf = (answer: unknown): Readonly<Record<string, unknown>> =>
  typeof answer === 'object' && answer !== null ? { ...answer } : {};

/** @throws FunctionFailed with this text if it is not a list. Null and undefined are empty lists */
export function listOf(value: unknown, text: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidAnswer(text);
  return value;
}

export const areNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((one) => Number.isFinite(one));
