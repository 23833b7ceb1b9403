import type { ReactNode } from 'react';

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** A relative time, with the exact time as a tooltip. */
export function TimeAgo({ date }: { readonly date: string }): ReactNode {
  const moment = new Date(date);
  return (
    <time dateTime={date} title={exact.format(moment)}>
      {sinceNow((moment.getTime() - Date.now()) / 1000)}
    </time>
  );
}

function sinceNow(seconds: number): string {
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return words.format(Math.trunc(seconds / length), unit);
  }
  return 'just now';
}

/** The exact time in the user's time zone. */
export const formatDate = (date: string): string => exact.format(new Date(date));
