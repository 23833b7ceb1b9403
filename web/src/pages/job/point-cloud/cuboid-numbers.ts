/** The smallest size of a cuboid along an axis, in metres. */
export const MIN_SIZE = 0.05;
/** A cuboid has 16 numbers in the API. The last ones are zero. */
const PADDING = 7;

/** @param values position, rotation in radians about x, y and z, and size @returns them in the precision in which they are stored: millimetres, and steps of 0.0006° */
export const storedPoints = (values: readonly number[]): number[] => [
  ...values.map((value, at) => rounded(value, isAngle(at) ? 5 : 3)),
  ...Array.from({ length: PADDING }, () => 0),
];

/** @param at index in the points of a cuboid */
export const isAngle = (at: number): boolean => at >= 3 && at < 6;

export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits)) + 0; // no −0
