/** Times in microseconds since 1970, which is what clients send and see. A float holds them exactly. */

const FRACTION = /\.(\d{4,6})\d*/;

/** Reads a time that `TimestampField` has accepted. */
export function microseconds(text: string): number {
  const [, digits = ''] = FRACTION.exec(text) ?? [];
  // `Date.parse` keeps milliseconds.
  return Date.parse(text) * 1000 + Number(digits.slice(3).padEnd(3, '0'));
}

const MIN = Date.parse('0001-01-01T00:00:00Z') * 1000;
const MAX = Date.parse('9999-12-31T23:59:59.999Z') * 1000;

/** Whether the time has a year of four digits. */
export const isShowable = (time: number): boolean => time >= MIN && time <= MAX;

/** `2026-11-23T22:03:58.672081Z`; without a fraction if it is zero. */
export function isoTime(time: number): string {
  const whole = new Date(Math.floor(time / 1_000_000) * 1000).toISOString().slice(0, 19);
  const rest = ((time % 1_000_000) + 1_000_000) % 1_000_000;
  return rest === 0 ? `${whole}Z` : `${whole}.${String(rest).padStart(6, '0')}Z`;
}
