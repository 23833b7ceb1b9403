import { Keyframes } from '../../shared/annotations/interpolate.js';
import type { LabeledData, Shape, Track, TrackElement } from '../../shared/annotations/model.js';
import { AttributeTexts, completeTrack } from './complete.js';
import type { LabelIndex } from './labels.js';
import { intervalText, readText } from './response-text.js';
import {
  type IntervalRow,
  type ShapeRow,
  type TagRow,
  toIntervalRow,
  toShapeRow,
  toTagRow,
  toTrackedShapeRow,
  toTrackRow,
  type Unstored,
} from './rows.js';

const SECTIONS = ['tags', 'shapes', 'tracks', 'intervals'] as const;
type Section = (typeof SECTIONS)[number];

type ElementsOf = ReadonlyMap<number | null, readonly Unstored<ShapeRow>[]>;
const NO_ROWS: readonly Unstored<ShapeRow>[] = [];
/**
 * Rows contain the ids of their job and track, but their JSON does not, so any number works when an object becomes
 * text.
 */
const NO_JOB = 0;
const NO_TRACK = 0;

/**
 * Writes the JSON of a read in chunks and completes attributes. Call each method any number of times, with the types in
 * the order tags, shapes, tracks, intervals. `text = begin() + … + end()`.
 */
export class ReadText {
  private readonly attributes: AttributeTexts;
  private section = 0;
  private empty = true;

  constructor(private readonly labels: LabelIndex) {
    this.attributes = new AttributeTexts(labels);
  }

  begin(): string {
    return '{"version":0,"tags":[';
  }

  tags(rows: Iterable<Unstored<TagRow>>): string {
    let text = this.enter('tags');
    for (const row of rows) text += this.comma() + readText.tag(row, this.complete(row));
    return text;
  }

  /** @param elementsOf elements of the skeletons among the rows, by the id of the skeleton */
  shapes(rows: Iterable<Unstored<ShapeRow>>, elementsOf?: ElementsOf): string {
    let text = this.enter('shapes');
    for (const row of rows) {
      const elements = row.type === 'skeleton' ? this.elements(elementsOf?.get(row.id) ?? NO_ROWS) : '[]';
      text += this.comma() + readText.shape(row, this.complete(row), elements);
    }
    return text;
  }

  /** Tracks are objects with keyframes sorted by frame, because keyframes inherit; they are completed in place. */
  tracks(tracks: Iterable<Track>): string {
    let text = this.enter('tracks');
    for (const track of tracks) {
      completeTrack(track, this.labels);
      const elements = track.elements.map((element) => trackReadText(element));
      text += this.comma() + trackReadText(track, `[${elements.join(',')}]`);
    }
    return text;
  }

  /**
   * Like `tracks`, with shapes for all frames first..last (inclusive) on which a track is visible, in bounded chunks.
   */
  *interpolatedTracks(tracks: Iterable<Track>, first: number, last: number): Generator<string> {
    yield this.enter('tracks');
    for (const track of tracks) {
      completeTrack(track, this.labels);
      let isFirst = true;
      for (const piece of interpolatedPieces(track, first, last)) {
        yield isFirst ? this.comma() + piece : piece;
        isFirst = false;
      }
    }
  }

  intervals(rows: Iterable<Unstored<IntervalRow>>): string {
    let text = '';
    for (const row of rows) text += this.enter('intervals') + this.comma() + intervalText(row, this.complete(row));
    return text;
  }

  /** Shapes that are objects already, for example merged ones. */
  shapeObjects(shapes: Iterable<Shape>): string {
    let text = '';
    for (const shape of shapes) {
      const elements = shape.elements.map((element) => toShapeRow(element, NO_JOB, shape.id));
      text += this.shapes([toShapeRow(shape, NO_JOB, null)], new Map([[shape.id, elements]]));
    }
    return text;
  }

  end(): string {
    return `${this.section < SECTIONS.indexOf('tracks') ? this.enter('tracks') : ''}]}`;
  }

  private elements(rows: readonly Unstored<ShapeRow>[]): string {
    return `[${rows.map((row) => readText.shape(row, this.complete(row))).join(',')}]`;
  }

  private complete(row: { label_id: number; attributes: string }): string {
    return this.attributes.complete(row.label_id, row.attributes);
  }

  /** Closes the lists before `section` and opens it, unless it is open. */
  private enter(section: Section): string {
    const target = SECTIONS.indexOf(section);
    if (target < this.section) throw new Error(`${section} must be written before ${SECTIONS[this.section]}`);
    let text = '';
    while (this.section < target) {
      this.section++;
      this.empty = true;
      text += `],"${SECTIONS[this.section]}":[`;
    }
    return text;
  }

  private comma(): string {
    if (!this.empty) return ',';
    this.empty = false;
    return '';
  }
}

function trackReadText(track: TrackElement, elements?: string): string {
  const row = toTrackRow(track, NO_JOB, null);
  const shapes = track.shapes.map((shape) => readText.trackedShape(toTrackedShapeRow(shape, NO_JOB, NO_TRACK)));
  return readText.track(row, `[${shapes.join(',')}]`, elements);
}

/** @returns the JSON of a read of annotation objects, in chunks */
export function* readChunks(data: LabeledData, labels: LabelIndex): Generator<string> {
  const text = new ReadText(labels);
  yield text.begin() + text.tags(data.tags.map((tag) => toTagRow(tag, NO_JOB)));
  for (const shapes of slices(data.shapes)) yield text.shapeObjects(shapes);
  for (const tracks of slices(data.tracks)) yield text.tracks(tracks);
  yield text.intervals(data.intervals.map((interval) => toIntervalRow(interval, NO_JOB)));
  yield text.end();
}

const SLICE = 500;

function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += SLICE) yield items.slice(start, start + SLICE);
}

const PIECE_LENGTH = 65_536;
/** Rows contain the ids of their job and track, but their JSON does not. */
const NONE = 0;

/**
 * Writes the JSON of a track with a shape for every frame first..last (inclusive) on which it is visible, in chunks of
 * about 64 KiB: a track may be long, and its polygons large. Hidden shapes are written only if they are keyframes.
 * @param track completed, keyframes sorted by frame
 * @returns nothing if neither the track nor any of its elements has a shape there
 */
function* interpolatedPieces(track: Track, first: number, last: number): Generator<string> {
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
