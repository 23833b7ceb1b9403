const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Milliseconds to wait before each attempt: the schedule that the Standard Webhooks text advises (75 h 35 min in all).
 * The first is the attempt made at once.
 */
export const DEFAULT_RETRY_SCHEDULE: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** No receiver may put its deliveries off for longer than this. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** Up to so much of a wait is added to it, so that what failed together is not sent again together. */
const JITTER = 0.2;

export interface FailedAttempt {
  /** How many attempts have been made, this one included: 1 after the first. */
  attempt: number;
  /** Status of the answer, or the one that stands for a failure (502, 504); null when it is unknown. */
  status: number | null;
  /** Value of the answer's `Retry-After`, if any: seconds or an HTTP date. */
  retryAfter?: string | undefined;
  now: Date;
  /** A number from 0 up to, not including, 1. */
  random: () => number;
  /** Milliseconds before each attempt, {@link DEFAULT_RETRY_SCHEDULE} when absent. */
  schedule?: readonly number[];
}

/**
 * What follows a failed attempt: the moment of the next one; `'final'` when there is none (the schedule is used up, or
 * the receiver said that this request is wrong); `'disable'` when the receiver said that it is gone for good (410).
 * For an answer of success it is `'final'`, too.
 */
export function nextAttempt(failed: FailedAttempt): Date | 'final' | 'disable' {
  const { status, now } = failed;
  if (status === 410) return 'disable';
  if (!isWorthRepeating(status)) return 'final';
  const wait = (failed.schedule ?? DEFAULT_RETRY_SCHEDULE)[failed.attempt];
  if (wait === undefined) return 'final';

  const asked = Math.min(retryAfterMs(failed.retryAfter, now) ?? 0, MAX_RETRY_AFTER_MS);
  const spread = 1 + JITTER * failed.random();
  return new Date(now.getTime() + Math.ceil(Math.max(wait, asked) * spread));
}

/** False for answers that would be the same next time: success, and 4xx other than 408 and 429. */
export function isWorthRepeating(status: number | null): boolean {
  if (status === null || status === 408 || status === 429) return true;
  return status < 200 || (status >= 300 && status < 400) || status >= 500;
}

/** Milliseconds that a `Retry-After` asks for (RFC 9110, 10.2.3), or null when it is absent, past or unreadable. */
export function retryAfterMs(value: string | undefined, now: Date): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * SECOND;
  // All three HTTP dates begin with the name of a day; Date.parse alone would take "5.5" or "-1" for a year.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  // The oldest of them, which ends with the year, means the same zone without naming it.
  const wait = Date.parse(/ \d{4}$/.test(text) ? `${text} GMT` : text) - now.getTime();
  return wait > 0 ? wait : null;
}
