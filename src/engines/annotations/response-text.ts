import type {
  Interval,
  LabeledData,
  Shape,
  ShapeElement,
  Tag,
  Track,
  TrackElement,
} from '../../shared/annotations/model.js';
import { intervalText, writeText } from './object-text.js';
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
  if (data.intervals.length > 0) yield* list('],"intervals":[', data.intervals, answerInterval);
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

function answerInterval(interval: Interval): string {
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
