import { DatabaseUnavailable } from '../database/database-client.js';
import { WorkTimeout } from '../database/unit-of-work.js';

/**
 * SQLSTATEs that say nothing about an event: conflicts of transactions (40), a lock that was not free (55P03), lack of
 * memory, disk or connections (53), a server that stops (57P) or cannot read its disk (58), or accepts no writes (25006).
 */
const DATABASE_FAULT = /^(40...|55P03|53...|57P..|58...|25006|25P03)$/;
/** SQLSTATEs of invalid data and wrong statements: another attempt has the same result. */
const CERTAIN = /^(22|42)/;
/** Errors of the program, for the same reason. */
const PROGRAM_ERRORS: readonly unknown[] = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Milliseconds before each further attempt. */
const PAUSES = { certain: [100], timeout: [1_000, 5_000], other: [200, 1_000, 4_000, 15_000] } as const;

/** The error, or another one if it can be neither stored nor logged: its properties may be getters that throw. */
export function readable(error: unknown): unknown {
  try {
    const { message, stack, code, detail } = (error ?? {}) as Readonly<Record<string, unknown>>;
    for (const part of [error, message, stack, code, detail]) String(part);
    return error;
  } catch {
    return new Error('The listener has thrown something that cannot be read');
  }
}

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
};

/** Whether the database is to blame, not the event or its listener. The same batch is then tried again for ever. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || DATABASE_FAULT.test(codeOf(error));

/**
 * How long to wait after a failed attempt to handle a single event.
 * @param attempts how often it has failed
 * @returns null if it is not tried again
 */
export function pauseAfter(error: unknown, attempts: number): number | null {
  return pausesFor(error)[attempts - 1] ?? null;
}

function pausesFor(error: unknown): readonly number[] {
  if (error instanceof WorkTimeout) return PAUSES.timeout;
  const isCertain = CERTAIN.test(codeOf(error)) || PROGRAM_ERRORS.includes((error as object | null)?.constructor);
  return isCertain ? PAUSES.certain : PAUSES.other;
}
