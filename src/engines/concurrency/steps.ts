/**
 * A long computation that yields between its steps, each of them short, so that a caller can let other work have its turn.
 * It returns its result at the end.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Maps items, one in each step. */
export function* mapSteps<T, R>(items: readonly T[], map: (item: T) => R): Steps<R[]> {
  const results: R[] = [];
  for (const item of items) {
    yield;
    results.push(map(item));
  }
  return results;
}

/** Keeps some items; looks at one in each step. */
export function* filterSteps<T>(items: readonly T[], isKept: (item: T) => boolean): Steps<T[]> {
  const kept: T[] = [];
  for (const item of items) {
    yield;
    if (isKept(item)) kept.push(item);
  }
  return kept;
}

/**
 * Does all steps with pauses.
 * @param pause is called after each step; it should return at once if it is not yet time
 */
export async function finishWithPauses<T>(steps: Steps<T>, pause: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const pausing = pause();
    if (pausing !== undefined) await pausing;
  }
}
