import type { LabeledData, Shape, Tag, Track, TrackedShape, TrackElement } from '../../shared/annotations/model.js';

/**
 * Brings tracks into the form they are stored in, in place, before ids are given: every track begins with a keyframe
 * at its own frame and no earlier than its elements do. A track without keyframes has nothing to show and is dropped.
 */
export function settleTracks(data: LabeledData): void {
  data.tracks = data.tracks.filter((track) => track.shapes.length > 0);
  for (const track of data.tracks) settleTrack(track);
}

function settleTrack(track: Track): void {
  track.elements = track.elements.filter((element) => element.shapes.length > 0);
  for (const element of track.elements) settleStart(element);
  settleStart(track);
  const earliest = track.elements.reduce((frame, element) => Math.min(frame, element.frame), track.frame);
  if (earliest < track.frame) moveStart(track, earliest);
}

function settleStart(track: TrackElement): void {
  const first = firstShape(track.shapes);
  if (first === undefined) return;
  if (first.frame < track.frame) track.frame = first.frame;
  else if (first.frame > track.frame && first.type === 'skeleton') first.frame = track.frame;
  else if (first.frame > track.frame) {
    // The object is not there yet: hidden from the start of the track until its first real keyframe.
    track.shapes.push({ ...first, id: null, frame: track.frame, outside: true });
  }
}

function moveStart(track: TrackElement, frame: number): void {
  const first = firstShape(track.shapes);
  if (first !== undefined) first.frame = frame;
  track.frame = frame;
}

function firstShape(shapes: readonly TrackedShape[]): TrackedShape | undefined {
  let first = shapes[0];
  for (const shape of shapes) if (first === undefined || shape.frame < first.frame) first = shape;
  return first;
}

/** One number per sequence of ids; elements of skeletons take theirs from the sequence of their kind. */
export interface IdsByKind {
  tag: number;
  shape: number;
  track: number;
  trackedShape: number;
  interval: number;
}

/** @returns how many ids each sequence must hand out for the annotations that have none */
export function countMissingIds(...parts: readonly LabeledData[]): IdsByKind {
  const counts: IdsByKind = { tag: 0, shape: 0, track: 0, trackedShape: 0, interval: 0 };
  for (const data of parts) {
    visit(data, (kind, object) => {
      if (object.id === null) counts[kind]++;
    });
  }
  return counts;
}

/**
 * Gives every annotation without an id the next one of its sequence, in place, in the order sent.
 * @param first the first of a block of free ids for each sequence, at least as long as {@link countMissingIds}
 * @returns what is left of the blocks
 */
export function assignIds(data: LabeledData, first: Readonly<IdsByKind>): IdsByKind {
  const next = { ...first };
  visit(data, (kind, object) => {
    object.id ??= next[kind]++;
  });
  return next;
}

type Visitor = (kind: keyof IdsByKind, object: { id: number | null }) => void;

function visit(data: LabeledData, visitor: Visitor): void {
  for (const tag of data.tags) visitor('tag', tag);
  for (const interval of data.intervals) visitor('interval', interval);
  for (const shape of data.shapes) {
    visitor('shape', shape);
    for (const element of shape.elements) visitor('shape', element);
  }
  for (const track of data.tracks) {
    visitTrack(track, visitor);
    for (const element of track.elements) visitTrack(element, visitor);
  }
}

function visitTrack(track: TrackElement, visitor: Visitor): void {
  visitor('track', track);
  for (const shape of track.shapes) visitor('trackedShape', shape);
}

interface Grouped {
  group: number | null;
  readonly elements?: readonly Grouped[];
}

/**
 * Keeps groups that come to others apart from them. Their numbers say only what belongs together, so one that is taken
 * becomes a free one, the same for the whole group; others stay. 0 and null are no group.
 */
export class GroupRenumbering {
  private readonly numbers = new Map<number, number>();
  private free = 1;

  /** @param taken by what is there; is added to */
  constructor(private readonly taken: Set<number>) {}

  /** Changes `data` in place. All that comes together goes through one object of this class, piece by piece. */
  settle({ tags, shapes, tracks, intervals }: LabeledData): void {
    for (const list of [tags, shapes, tracks, intervals]) this.settleAll(list);
  }

  private settleAll(list: readonly Grouped[]): void {
    for (const object of list) {
      if (object.group) object.group = this.numberOf(object.group);
      if (object.elements) this.settleAll(object.elements);
    }
  }

  private numberOf(group: number): number {
    const known = this.numbers.get(group);
    if (known !== undefined) return known;
    const number = this.taken.has(group) ? this.nextFree() : group;
    this.taken.add(number);
    this.numbers.set(group, number);
    return number;
  }

  private nextFree(): number {
    while (this.taken.has(this.free)) this.free++;
    return this.free;
  }
}

/** Frames that repeat others: for each frame of the pool, where it is repeated. */
type Repetitions = ReadonlyMap<number, readonly number[]>;

/** What is annotated on a frame of the pool, is so on each frame that repeats it. Tracks and intervals stay as they are. */
export function withRepetitions(data: LabeledData, repetitions: Repetitions): LabeledData {
  const placesOf = (frame: number): readonly number[] => [frame, ...(repetitions.get(frame) ?? [])];
  return {
    ...data,
    tags: data.tags.flatMap((tag) => placesOf(tag.frame).map((frame): Tag => ({ ...tag, frame }))),
    shapes: data.shapes.flatMap((shape) =>
      placesOf(shape.frame).map((frame): Shape => ({
        ...shape,
        frame,
        elements: shape.elements.map((element) => ({ ...element, frame })),
      })),
    ),
  };
}

/** Is anything annotated on a frame of the pool? */
export const isOnPool = (data: LabeledData, pool: ReadonlySet<number>): boolean =>
  data.tags.some(({ frame }) => pool.has(frame)) || data.shapes.some(({ frame }) => pool.has(frame));
