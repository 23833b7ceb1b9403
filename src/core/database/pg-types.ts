import pg from 'pg';

/**
 * Wire form of PostgreSQL's timestamptz text in a UTC session: `2026-01-02 03:04:05.1+00` becomes
 * `2026-01-02T03:04:05.100000Z`; microseconds only when they are not zero. Text, because a `Date` has no microseconds.
 */
export function timestampToWire(text: string): string {
  if (!text.endsWith(UTC)) return text;
  const space = text.indexOf(' ');
  const end = text.length - UTC.length;
  const point = text.indexOf('.', space);
  const zeros = point === -1 ? '' : '0'.repeat(point + 1 + MICROSECONDS - end);
  return `${text.slice(0, space)}T${text.slice(space + 1, end)}${zeros}Z`;
}

const UTC = '+00';
/** Digits of the fraction of a second. */
const MICROSECONDS = 6;

/** Registers the driver's parsers, process-wide: timestamps in wire form, 64-bit ids and counts as numbers. */
export function registerPgTypes(): void {
  const { INT8, NUMERIC, TIMESTAMPTZ } = pg.types.builtins;
  pg.types.setTypeParser(TIMESTAMPTZ, timestampToWire);
  pg.types.setTypeParser(INT8, Number);
  pg.types.setTypeParser(NUMERIC, Number);
}
