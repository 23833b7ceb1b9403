import type { LabeledData, Shape, Tag, Track, TrackedShape, TrackElement } from '../../shared/annotations/model.js';

/**
 * Converts tracks to the form in which they are stored, in place, before ids are assigned: every track has a keyframe
 * at its own frame, and does not start after its elements. Tracks without keyframes are dropped.
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
    // The object does not exist yet, so it is hidden from the start of the track until its first real keyframe.
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

/** One number per id sequence. Elements of skeletons use the sequence of their type. */
export interface IdsByKind {
  tag: number;
  shape: number;
  track: number;
  trackedShape: number;
  interval: number;
}

/** @returns how many ids each sequence must provide for annotations without one */
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
 * Assigns the next id of its sequence to every annotation without one, in place, in the order sent.
 * @param first the first id of a free block for each sequence, at least as long as {@link countMissingIds}
 * @returns the unused rest of the blocks
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
 * Renumbers groups that would collide with existing ones. Numbers only express which objects belong together, so a used
 * number is replaced by a free one for the entire group; others stay. 0 and null mean no group.
 */
export class GroupRenumbering {
  private readonly numbers = new Map<number, number>();
  private free = 1;

  /** @param taken numbers of the existing groups; new numbers are added */
  constructor(private readonly taken: Set<number>) {}

  /** Modifies `data` in place. Use one instance for all batches of an import. */
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

/** For each frame of the pool, the frames that repeat it. */
type Repetitions = ReadonlyMap<number, readonly number[]>;

/** Copies tags and shapes of the pool's frames to the frames that repeat them. Tracks and intervals stay unchanged. */
export function withRepetitions(data: LabeledData, repetitions: Repetitions): LabeledData {
  const framesOf = (frame: number): readonly number[] => [frame, ...(repetitions.get(frame) ?? [])];
  return {
    ...data,
    tags: data.tags.flatMap((tag) => framesOf(tag.frame).map((frame): Tag => ({ ...tag, frame }))),
    shapes: data.shapes.flatMap((shape) =>
      framesOf(shape.frame).map((frame): Shape => ({
        ...shape,
        frame,
        elements: shape.elements.map((element) => ({ ...element, frame })),
      })),
    ),
  };
}

/** Returns whether a frame of the pool has annotations. */
export const isOnPool = (data: LabeledData, pool: ReadonlySet<number>): boolean =>
  data.tags.some(({ frame }) => pool.has(frame)) || data.shapes.some(({ frame }) => pool.has(frame));
