import type { Interval, LabeledData, Shape, ShapeElement, Tag, Track, TrackElement } from './model.js';
import { intervalText, writeText } from './object-text.js';
import type { ShapeRow } from './rows.js';
import { attributesText, toIntervalRow, toShapeRow, toTagRow, toTrackedShapeRow, toTrackRow } from './rows.js';

const CHUNK_LENGTH = 65_536;
const NO_JOB = 0;
const NO_TRACK = 0;

/**
 * Writes the JSON that answers a write, in pieces of about 64 KiB: objects in the order sent, numbers as sent, ids
 * filled in, no defaults added. The answer to a delete is the echo of what was sent.
 * @param shapeRows the rows that toRows made of the same data: saves writing all coordinates a second time
 */
export function* answerChunks(data: LabeledData, shapeRows?: readonly ShapeRow[]): Generator<string> {
  yield* list('{"version":0,"tags":[', data.tags, tagText);
  yield* list('],"shapes":[', data.shapes, shapeRows === undefined ? shapeAnswer : rowAnswer(shapeRows));
  yield* list('],"tracks":[', data.tracks, trackText);
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

function shapeAnswer(shape: Shape): string {
  const elements = shape.elementsSent === false ? undefined : `[${shape.elements.map(elementText).join(',')}]`;
  return writeText.shape(toShapeRow(shape, NO_JOB, null), elements);
}

/** @returns a writer that must be called with the shapes in the order in which their rows were made */
function rowAnswer(rows: readonly ShapeRow[]): (shape: Shape) => string {
  let next = 0;
  return (shape) => {
    const row = rows[next++];
    const elements = rows.slice(next, (next += shape.elements.length));
    return row === undefined ? shapeAnswer(shape) : writeText.shape(row, `[${elements.map(rowText).join(',')}]`);
  };
}

function rowText(row: ShapeRow): string {
  return writeText.shape(row);
}

function elementText(shape: ShapeElement): string {
  return writeText.shape(toShapeRow(shape, NO_JOB, null));
}

function trackText(track: Track): string {
  const elements = track.elementsSent === false ? undefined : `[${track.elements.map(trackElementText).join(',')}]`;
  return writeTrack(track, elements);
}

function trackElementText(track: TrackElement): string {
  return writeTrack(track);
}

function writeTrack(track: TrackElement, elements?: string): string {
  const shapes = track.shapes.map((shape) =>
    writeText.trackedShape(toTrackedShapeRow(shape, NO_JOB, NO_TRACK), shape.keyframe === true),
  );
  return writeText.track(toTrackRow(track, NO_JOB, null), `[${shapes.join(',')}]`, elements);
}
