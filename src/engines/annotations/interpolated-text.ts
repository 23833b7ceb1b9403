import { Keyframes } from '../../shared/annotations/interpolate.js';
import type { Track, TrackElement } from '../../shared/annotations/model.js';
import { readText } from './object-text.js';
import { toTrackedShapeRow, toTrackRow } from './rows.js';

const PIECE_LENGTH = 65_536;
/** Rows name their job and track, their JSON does not. */
const NONE = 0;

/**
 * Writes the JSON of a track with a shape for every frame first..last (inclusive) on which it is visible, in pieces of
 * about 64 KiB: a track may be long, and its polygons large. Hidden shapes are written where they are keyframes.
 * @param track completed, keyframes by frame
 * @returns nothing when the track has no shape there, nor has any of its elements
 */
export function* interpolatedPieces(track: Track, first: number, last: number): Generator<string> {
  if (!isThere(track, first, last)) return;
  yield* trackPieces(track, first, last);
  yield ',"elements":[';
  let comma = '';
  for (const element of track.elements) {
    yield comma;
    yield* trackPieces(element, first, last);
    yield '}';
    comma = ',';
  }
  yield ']}';
}

const isThere = (track: Track, first: number, last: number): boolean =>
  [track, ...track.elements].some((part) => !shapeTexts(part, first, last).next().done);

/** Everything but the closing brace. */
function* trackPieces(track: TrackElement, first: number, last: number): Generator<string> {
  const row = toTrackRow(track, NONE, null);
  let piece = `${readText.trackHead(row)}[`;
  let comma = '';
  for (const text of shapeTexts(track, first, last)) {
    piece += comma + text;
    comma = ',';
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}],"attributes":${row.attributes}`;
}

function* shapeTexts(track: TrackElement, first: number, last: number): Generator<string> {
  const keyframes = new Keyframes(track.shapes);
  const begin = Math.max(first, keyframes.shapes[0]?.frame ?? Infinity);
  for (let frame = begin; frame <= last; frame++) {
    const shape = keyframes.at(frame);
    if (shape === undefined) continue;
    const isKeyframe = keyframes.before(frame)?.frame === frame;
    if (isKeyframe || !shape.outside) yield readText.trackedShape(toTrackedShapeRow(shape, NONE, NONE), isKeyframe);
    else frame = (keyframes.after(frame)?.frame ?? Infinity) - 1;
  }
}
