const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
type Unit = keyof typeof UNITS;
const LARGEST_FIRST: readonly Unit[] = ['d', 'h', 'm'];
const WAIT = /^(\d{1,9}) ?([smhd]?)$/;

/**
 * Reads waits as people write them.
 * @param text such as `0, 5s, 5m, 1h`; without a unit it is seconds
 * @returns seconds
 * @throws Error naming what is no wait
 */
export function secondsOf(text: string): number[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, number, unit = ''] = WAIT.exec(part) ?? [];
      if (number === undefined) throw new Error(`"${part}" is no wait: write a number with s, m, h or d.`);
      return Number(number) * UNITS[unit === '' ? 's' : (unit as Unit)];
    });
}

/** @param seconds such as `[0, 5, 300]`. @returns them as `0s, 5s, 5m` */
export const waitsOf = (seconds: readonly number[]): string =>
  seconds
    .map((wait) => {
      const unit = LARGEST_FIRST.find((each) => wait > 0 && wait % UNITS[each] === 0) ?? 's';
      return `${wait / UNITS[unit]}${unit}`;
    })
    .join(', ');
