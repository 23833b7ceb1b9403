const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Milliseconds to wait before each attempt: the schedule that Standard Webhooks recommends (75 h 35 min in total). The
 * first entry is the immediate attempt.
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

/** Upper bound of the delay that a receiver can request. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** Up to this fraction of a delay is added to it, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

export interface FailedAttempt {
  /** Number of attempts so far, including this one: 1 after the first. */
  attempt: number;
  /** Status of the response, or the one that stands for a failure (502, 504); null if unknown. */
  status: number | null;
  /** The response's `Retry-After`, if any: seconds or an HTTP date. */
  retryAfter?: string | undefined;
  now: Date;
  /** A random number in [0, 1). */
  random: () => number;
  /** Milliseconds before each attempt. Default: {@link DEFAULT_RETRY_SCHEDULE}. */
  schedule?: readonly number[];
}

/**
 * Decides what follows a failed attempt: the time of the next one; `'final'` if there is none, because the schedule is
 * exhausted or the receiver rejected the request itself; `'disable'` if the receiver is gone for good (410). For a
 * successful response it is `'final'`, too.
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

/** False if a retry would get the same response: success, and 4xx other than 408 and 429. */
export function isWorthRepeating(status: number | null): boolean {
  if (status === null || status === 408 || status === 429) return true;
  return status < 200 || (status >= 300 && status < 400) || status >= 500;
}

/**
 * The delay in milliseconds that `Retry-After` requests (RFC 9110, 10.2.3), or null if it is absent, past or invalid.
 */
export function retryAfterMs(value: string | undefined, now: Date): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * SECOND;
  // All three HTTP date formats begin with a weekday. Date.parse alone would read "5.5" or "-1" as a year.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  // The oldest format (asctime) ends with the year and implies GMT.
  const wait = Date.parse(/ \d{4}$/.test(text) ? `${text} GMT` : text) - now.getTime();
  return wait > 0 ? wait : null;
}
