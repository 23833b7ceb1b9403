const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
type Unit = keyof typeof UNITS;
const LARGEST_FIRST: readonly Unit[] = ['d', 'h', 'm'];
const DELAY = /^(\d{1,9}) ?([smhd]?)$/;

/**
 * Parses delays.
 * @param text such as `0, 5s, 5m, 1h`; numbers without a unit are seconds
 * @returns seconds
 * @throws Error that names the first part that is not a delay
 */
export function parseDelays(text: string): number[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, number, unit = ''] = DELAY.exec(part) ?? [];
      if (number === undefined)
        throw new Error(`"${part}" is not a valid delay. Use a number with s, m, h or d, such as 5m.`);
      return Number(number) * UNITS[unit === '' ? 's' : (unit as Unit)];
    });
}

/** @param seconds such as `[0, 5, 300]` @returns `0s, 5s, 5m` */
export const formatDelays = (seconds: readonly number[]): string =>
  seconds
    .map((delay) => {
      const unit = LARGEST_FIRST.find((each) => delay > 0 && delay % UNITS[each] === 0) ?? 's';
      return `${delay / UNITS[unit]}${unit}`;
    })
    .join(', ');
