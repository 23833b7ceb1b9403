import { bestPairs } from './assignment.js';
import type { Pair } from './assignment.js';
import type { Shape, Tag } from '../../shared/annotations/model.js';
import { horizontalExtent, shapeSimilarity } from './similarity.js';

/** Two shapes of one label are the same from this similarity on. */
const SAME_SHAPE = 0.75;

interface OnFrame {
  frame: number;
  label_id: number;
}

/** Where a job begins and how many of its frames the jobs before it have too. */
export interface Overlap {
  start: number;
  overlap: number;
}

/**
 * Finds what several jobs have annotated twice. It is told the jobs in the order of their frames and keeps only what
 * the next ones can meet; from a job it needs the objects on frames shared with others, but takes all of them.
 */
export class DuplicateFinder<T extends OnFrame> {
  private seen: T[] = [];

  /** @param pairs which of the old and the fresh objects of one frame may be one; positions in the lists */
  constructor(private readonly pairs: (old: readonly T[], fresh: readonly T[]) => Pair[]) {}

  /** @returns those of the fresh objects that are there already */
  admit(job: Overlap, fresh: readonly T[]): Set<T> {
    const end = job.start + job.overlap;
    this.seen = this.seen.filter((object) => object.frame >= job.start);
    const old = byFrame(this.seen.filter((object) => object.frame < end));
    const duplicates = new Set<T>();
    for (const [frame, shared] of byFrame(fresh.filter((object) => object.frame < end))) {
      for (const { b } of bestPairs(this.pairs(old.get(frame) ?? [], shared))) {
        const duplicate = shared[b];
        if (duplicate !== undefined) duplicates.add(duplicate);
      }
    }
    for (const object of fresh) if (!duplicates.has(object)) this.seen.push(object);
    return duplicates;
  }
}

/** Finds shapes that two jobs have both: rectangles and polygons (3d: cuboids) of one label that overlap. */
export function duplicateShapes(options: { is3d: boolean }): DuplicateFinder<Shape> {
  const similarity = { is3d: options.is3d, atLeast: SAME_SHAPE };
  return new DuplicateFinder((old, fresh) => {
    const pairs: Pair[] = [];
    const sorted = new ExtentIndex(fresh, options.is3d);
    old.forEach((oldShape, a) => {
      for (const { shape, position } of sorted.meeting(oldShape)) {
        if (shape.label_id !== oldShape.label_id) continue;
        const found = shapeSimilarity(oldShape, shape, similarity);
        if (found >= SAME_SHAPE) pairs.push({ a, b: position, similarity: found });
      }
    });
    return pairs;
  });
}

/** Finds tags that two jobs have both. */
export function duplicateTags(): DuplicateFinder<Tag> {
  return new DuplicateFinder((old, fresh) => {
    const pairs: Pair[] = [];
    fresh.forEach((tag, b) => {
      old.forEach((oldTag, a) => {
        if (oldTag.label_id === tag.label_id) pairs.push({ a, b, similarity: 1 });
      });
    });
    return pairs;
  });
}

interface Placed {
  shape: Shape;
  position: number;
  low: number;
  high: number;
}

/** Shapes sorted along x: on a crowded frame only neighbours are compared. */
class ExtentIndex {
  private readonly placed: Placed[] = [];
  private readonly widest: number;

  constructor(
    shapes: readonly Shape[],
    private readonly is3d: boolean,
  ) {
    shapes.forEach((shape, position) => {
      const extent = horizontalExtent(shape, is3d);
      if (extent !== undefined) this.placed.push({ shape, position, ...extent });
    });
    this.placed.sort((a, b) => a.low - b.low);
    this.widest = this.placed.reduce((widest, { low, high }) => Math.max(widest, high - low), 0);
  }

  /** Yields the shapes whose extents meet that of the given one. */
  *meeting(shape: Shape): Generator<Placed> {
    const extent = horizontalExtent(shape, this.is3d);
    if (extent === undefined) return;
    for (let i = this.firstFrom(extent.low - this.widest); i < this.placed.length; i++) {
      const other = this.placed[i];
      if (other === undefined || other.low > extent.high) return;
      if (other.high >= extent.low) yield other;
    }
  }

  private firstFrom(low: number): number {
    let [first, last] = [0, this.placed.length];
    while (first < last) {
      const middle = (first + last) >> 1;
      if ((this.placed[middle]?.low ?? Infinity) < low) first = middle + 1;
      else last = middle;
    }
    return first;
  }
}

function byFrame<T extends OnFrame>(objects: readonly T[]): Map<number, T[]> {
  const frames = new Map<number, T[]>();
  for (const object of objects) {
    const list = frames.get(object.frame);
    if (list === undefined) frames.set(object.frame, [object]);
    else list.push(object);
  }
  return frames;
}
