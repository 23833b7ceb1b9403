import { setImmediate as breath } from 'node:timers/promises';

/** Work that pauses where others may have their turn. */
export type Turns<T> = Generator<undefined, T>;

/** Does the work without a pause. */
export function atOnce<T>(work: Turns<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Does the work; others get their turn in its pauses. */
export async function inTurns<T>(work: Turns<T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await breath();
  }
}
