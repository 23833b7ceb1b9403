import pg from 'pg';

/**
 * Wire form of PostgreSQL's timestamptz text in a UTC session: `2026-01-02 03:04:05.1+00` becomes
 * `2026-01-02T03:04:05.100000Z`; microseconds only when they are not zero. Text, because a `Date` has no microseconds.
 */
export function timestampToWire(text: string): string {
  const match = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text);
  if (match === null) return text;
  const [, day, time, fraction] = match;
  return `${day}T${time}${fraction === undefined ? '' : `.${fraction.padEnd(6, '0')}`}Z`;
}

/** Parsers of the driver, process-wide: timestamps in wire form, 64-bit ids and counts as numbers. */
export function registerPgTypes(): void {
  const { INT8, NUMERIC, TIMESTAMPTZ } = pg.types.builtins;
  pg.types.setTypeParser(TIMESTAMPTZ, timestampToWire);
  pg.types.setTypeParser(INT8, Number);
  pg.types.setTypeParser(NUMERIC, Number);
}
