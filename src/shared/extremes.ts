// `Math.max(...values)` fails for more values than the stack has room for, which is about a hundred thousand.

/** @returns -Infinity if there are no values */
export function greatest(values: Iterable<number>): number {
  let most = -Infinity;
  for (const value of values) most = Math.max(most, value);
  return most;
}

/** @returns Infinity if there are no values */
export function least(values: Iterable<number>): number {
  let fewest = Infinity;
  for (const value of values) fewest = Math.min(fewest, value);
  return fewest;
}
