/** A waiting time in words; a dash if nothing waits. */
export function waitingTime(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 1) return 'less than a second';
  const [value, unit] =
    seconds < 120
      ? [seconds, 'second']
      : seconds < 2 * 3600
        ? [seconds / 60, 'minute']
        : seconds < 48 * 3600
          ? [seconds / 3600, 'hour']
          : [seconds / 86_400, 'day'];
  const count = Math.floor(value);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Whether something waits for longer than it should. */
export const isLate = (seconds: number | null): boolean => seconds !== null && seconds > 60;
