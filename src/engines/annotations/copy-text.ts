import type { IntervalRow, ShapeRow, TagRow, TrackedShapeRow, TrackRow } from './rows.js';

/** The columns of each table in the order in which {@link copyLine} writes them. */
export const COLUMNS = {
  tag: ['id', 'job_id', 'label_id', 'frame', 'group_id', 'source', 'attributes'],
  interval: ['id', 'job_id', 'label_id', 'start', 'stop', 'group_id', 'source', 'score', 'attributes'],
  shape: [
    'id',
    'job_id',
    'parent_id',
    'label_id',
    'type',
    'frame',
    'group_id',
    'source',
    'occluded',
    'outside',
    'z_order',
    'rotation',
    'score',
    'points',
    'attributes',
  ],
  track: ['id', 'job_id', 'parent_id', 'label_id', 'frame', 'group_id', 'source', 'attributes'],
  trackedShape: [
    'id',
    'job_id',
    'track_id',
    'type',
    'frame',
    'occluded',
    'outside',
    'z_order',
    'rotation',
    'points',
    'attributes',
  ],
} as const;

/**
 * One line per row for PostgreSQL's `COPY … FROM STDIN` (text format), in the order of {@link COLUMNS}, without its end.
 * Points are digits, commas and brackets and need no escaping.
 */
export const copyLine = {
  tag: (row: TagRow): string =>
    `${row.id}\t${row.job_id}\t${row.label_id}\t${row.frame}\t${nullable(row.group_id)}\t` +
    `${escape(row.source)}\t${escape(row.attributes)}`,

  interval: (row: IntervalRow): string =>
    `${row.id}\t${row.job_id}\t${row.label_id}\t${row.start}\t${nullable(row.stop)}\t${nullable(row.group_id)}\t` +
    `${escape(row.source)}\t${row.score}\t${escape(row.attributes)}`,

  shape: (row: ShapeRow): string =>
    `${row.id}\t${row.job_id}\t${nullable(row.parent_id)}\t${row.label_id}\t${row.type}\t${row.frame}\t` +
    `${nullable(row.group_id)}\t${escape(row.source)}\t${row.occluded}\t${row.outside}\t${row.z_order}\t` +
    `${row.rotation}\t${row.score}\t${row.points}\t${escape(row.attributes)}`,

  track: (row: TrackRow): string =>
    `${row.id}\t${row.job_id}\t${nullable(row.parent_id)}\t${row.label_id}\t${row.frame}\t` +
    `${nullable(row.group_id)}\t${escape(row.source)}\t${escape(row.attributes)}`,

  trackedShape: (row: TrackedShapeRow): string =>
    `${row.id}\t${row.job_id}\t${row.track_id}\t${row.type}\t${row.frame}\t${row.occluded}\t${row.outside}\t` +
    `${row.z_order}\t${row.rotation}\t${row.points}\t${escape(row.attributes)}`,
} as const;

/**
 * Joins lines into chunks of about 64 KiB, so that a large write is neither one string nor a million writes.
 * @param last the value of an additional last column in all rows
 */
export function* copyChunks<Row>(rows: Iterable<Row>, line: (row: Row) => string, last: number): Generator<string> {
  const end = `\t${last}\n`;
  let chunk = '';
  for (const row of rows) {
    chunk += line(row) + end;
    if (chunk.length >= CHUNK_LENGTH) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

const CHUNK_LENGTH = 65_536;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function nullable(value: number | null): string {
  return value === null ? '\\N' : String(value);
}

function escape(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found) : text;
}
