import type {
  Interval,
  LabeledData,
  Shape,
  ShapeElement,
  Tag,
  Track,
  TrackElement,
} from '../../shared/annotations/model.js';
import type * as rows from './rows.js';
import { attributesText, toIntervalRow, toShapeRow, toTagRow, toTrackedShapeRow, toTrackRow } from './rows.js';

const CHUNK_LENGTH = 65_536;
const NO_JOB = 0;
const NO_TRACK = 0;

/**
 * Writes the JSON response to a write, in chunks of about 64 KiB: objects in the order sent, numbers as sent, ids
 * filled in, no defaults added. The response to a delete is the echo of the request.
 */
export function* responseChunks(data: LabeledData): Generator<string> {
  yield* list('{"version":0,"tags":[', data.tags, tagText);
  yield* list('],"shapes":[', data.shapes, shapeJson);
  yield* inChunks(tracksText(data.tracks));
  if (data.intervals.length > 0) yield* list('],"intervals":[', data.intervals, intervalResponse);
  yield ']}';
}

function* list<T>(head: string, items: readonly T[], write: (item: T) => string): Generator<string> {
  let chunk = head;
  let comma = '';
  for (const item of items) {
    chunk += comma + write(item);
    comma = ',';
    if (chunk.length >= CHUNK_LENGTH) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

function tagText(tag: Tag): string {
  return writeText.tag(toTagRow(tag, NO_JOB));
}

function intervalResponse(interval: Interval): string {
  return intervalText(toIntervalRow(interval, NO_JOB), attributesText(interval.attributes));
}

function shapeJson(shape: Shape): string {
  const elements = shape.elementsSent === false ? undefined : `[${shape.elements.map(elementText).join(',')}]`;
  return writeText.shape(toShapeRow(shape, NO_JOB, null), elements);
}

function elementText(shape: ShapeElement): string {
  return writeText.shape(toShapeRow(shape, NO_JOB, null));
}

/** A track can be as long as everything else together, so it is written keyframe by keyframe. */
function* tracksText(tracks: readonly Track[]): Generator<string> {
  yield '],"tracks":[';
  for (const [index, track] of tracks.entries()) {
    if (index > 0) yield ',';
    yield* trackText(track);
    if (track.elementsSent !== false) {
      yield ',"elements":[';
      for (const [place, element] of track.elements.entries()) {
        if (place > 0) yield ',';
        yield* trackText(element);
        yield '}';
      }
      yield ']';
    }
    yield '}';
  }
}

/** Without the closing brace. */
function* trackText(track: TrackElement): Generator<string> {
  yield `${writeText.trackHead(toTrackRow(track, NO_JOB, null))}[`;
  let comma = '';
  for (const shape of track.shapes) {
    const row = toTrackedShapeRow(shape, NO_JOB, NO_TRACK);
    yield comma + writeText.trackedShape(row, shape.keyframe === true);
    comma = ',';
  }
  yield ']';
}

function* inChunks(texts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

type TagRow = rows.Unstored<rows.TagRow>;
type ShapeRow = rows.Unstored<rows.ShapeRow>;
type TrackRow = rows.Unstored<rows.TrackRow>;
type TrackedShapeRow = rows.Unstored<rows.TrackedShapeRow>;
type IntervalRow = rows.Unstored<rows.IntervalRow>;

/**
 * JSON text of single annotations, built by concatenation: the long parts (points, attributes) are JSON text already.
 * Reads and responses to writes have the same keys in different orders, as in CVAT. `score` is written only if it is
 * not 1, so that older clients see no new key.
 */

function sourceText(source: string): string {
  return source === 'manual' ? '"manual"' : JSON.stringify(source);
}

function scoreText(score: number): string {
  return score === 1 ? '' : `,"score":${score}`;
}

/** The position fields of a shape, in the order that both forms share. */
function flagsText(row: ShapeRow | TrackedShapeRow): string {
  return `"occluded":${row.occluded},"outside":${row.outside},"z_order":${row.z_order},"rotation":${row.rotation}`;
}

function tailText(row: { group_id: number | null; source: string }): string {
  return `"group":${row.group_id},"source":${sourceText(row.source)}`;
}

export const readText = {
  tag: (row: TagRow, attributes: string): string =>
    `{"id":${row.id},"label_id":${row.label_id},"frame":${row.frame},${tailText(row)},"attributes":${attributes}}`,

  /** @param elements JSON text of the list of elements; absent for an element itself */
  shape: (row: ShapeRow, attributes: string, elements?: string): string =>
    `{"id":${row.id},"label_id":${row.label_id},"type":"${row.type}","frame":${row.frame},${tailText(row)},` +
    `${flagsText(row)},"points":${row.type === 'skeleton' ? '[]' : row.points},"attributes":${attributes}` +
    `${scoreText(row.score)}${listText('elements', elements)}}`,

  track: (row: TrackRow, shapes: string, elements?: string): string =>
    `${readText.trackHead(row)}${shapes},"attributes":${row.attributes}${listText('elements', elements)}}`,

  /** The JSON of a track up to its list of shapes. */
  trackHead: (row: TrackRow): string =>
    `{"id":${row.id},"label_id":${row.label_id},"frame":${row.frame},${tailText(row)},"shapes":`,

  /** @param keyframe written only together with interpolated shapes */
  trackedShape: (row: TrackedShapeRow, keyframe?: boolean): string =>
    `{"id":${row.id},"type":"${row.type}","frame":${row.frame},${flagsText(row)},"points":${row.points},` +
    `"attributes":${row.attributes}${keyframe === undefined ? '' : `,"keyframe":${keyframe}`}}`,
} as const;

const writeText = {
  tag: (row: TagRow): string =>
    `{"id":${row.id},"frame":${row.frame},"label_id":${row.label_id},${tailText(row)},"attributes":${row.attributes}}`,

  shape: (row: ShapeRow, elements?: string): string =>
    `{"type":"${row.type}",${flagsText(row)},"points":${row.points},"id":${row.id},"frame":${row.frame},` +
    `"label_id":${row.label_id},${tailText(row)},"attributes":${row.attributes}` +
    `${scoreText(row.score)}${listText('elements', elements)}}`,

  /** The JSON of a track up to its list of shapes. */
  trackHead: (row: TrackRow): string =>
    `{"id":${row.id},"frame":${row.frame},"label_id":${row.label_id},${tailText(row)},` +
    `"attributes":${row.attributes},"shapes":`,

  trackedShape: (row: TrackedShapeRow, keyframe: boolean): string =>
    `{"type":"${row.type}",${flagsText(row)},"points":${row.points},"id":${row.id},"frame":${row.frame},` +
    `"attributes":${row.attributes}${keyframe ? ',"keyframe":true' : ''}}`,
} as const;

/** The same in both forms. */
export function intervalText(row: IntervalRow, attributes: string): string {
  return (
    `{"id":${row.id},"label_id":${row.label_id},"start":${row.start},"stop":${row.stop},${tailText(row)},` +
    `"attributes":${attributes},"score":${row.score}}`
  );
}

function listText(key: string, list: string | undefined): string {
  return list === undefined ? '' : `,"${key}":${list}`;
}
