import type { Box } from '../../shared/annotations/mask.js';
import { TooManyPairs } from '../annotations/assignment.js';
import { PairBudget, type PairLimits } from '../annotations/pair-budget.js';
import { TooManyCrossings } from '../annotations/polygon-crossings.js';
import { maskBitmap } from '../annotations/rasterize.js';
import { TooManyRuns } from '../annotations/run-bitmap.js';
import { type FrameObject, type FrameSize, rounded } from './frame-objects.js';
import { maskRegion, NO_PIXELS, polygonRegion, type Region } from './regions.js';

/**
 * Comparing two shapes passes over the ends of their runs of pixels: all of one frame takes a few seconds at most, and
 * 300 MB. Five thousand shapes across an image of 4,000 columns are well below it.
 */
const FRAME: PairLimits = { work: 2_000_000_000, kept: 40_000_000 };

/** Points of an outline are transformed in about the time of this many ends of runs. */
const POINT = 8;

/** Shapes of one frame, drawn when they are first needed. */
export class Drawing {
  private readonly regions = new Map<FrameObject, Region>();
  private readonly upright = new Map<FrameObject, Region>();

  /** @param budget of everything that is done with the shapes */
  constructor(
    readonly size: FrameSize,
    readonly budget = new PairBudget(FRAME),
  ) {}

  /** @returns the pixels of a rectangle, ellipse, polygon or mask */
  region(object: FrameObject): Region {
    return cached(this.regions, object, () => this.draw(object, object.rotation));
  }

  /** @returns the same as if the object were not rotated */
  uprightRegion(object: FrameObject): Region {
    if (object.rotation === 0) return this.region(object);
    return cached(this.upright, object, () => this.draw(object, 0));
  }

  /** @throws TooManyPairs */
  private draw(object: FrameObject, rotation: number): Region {
    const region = drawn(() => regionOf(object, rotation, this.size));
    this.budget.spend(POINT * object.points.length + region.length);
    this.budget.keep(region.length);
    return region;
  }
}

function regionOf(object: FrameObject, rotation: number, size: FrameSize): Region {
  if (object.kind === 'mask') return maskRegion(object.points, size);
  const outline = outlineOf(object, rotation);
  return outline.length === 0 ? NO_PIXELS : polygonRegion(outline, size);
}

/** @throws TooManyPairs if a shape has more runs of pixels than any object has */
function drawn<T>(draw: () => T): T {
  try {
    return draw();
  } catch (error) {
    if (error instanceof TooManyCrossings || error instanceof TooManyRuns)
      throw new TooManyPairs(error.message, { cause: error });
    throw error;
  }
}

function cached<K, V>(known: Map<K, V>, key: K, create: () => V): V {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = create()));
  return value;
}

/** @returns the corners of the polygon that is drawn for a shape; empty for masks and for types without area */
export function outlineOf({ kind, points }: FrameObject, rotation: number): readonly number[] {
  switch (kind) {
    case 'polygon':
      return points;
    case 'rectangle': {
      const { left, top, right, bottom } = pointsBox(points);
      const centre = [(left + right) / 2, (top + bottom) / 2] as const;
      return rounded(turned([left, top, right, top, right, bottom, left, bottom], centre, rotation));
    }
    case 'ellipse': {
      const [cx = 0, cy = 0] = points;
      return rounded(turned(ellipseOutline(points), [cx, cy], rotation));
    }
    default:
      return [];
  }
}

/** An ellipse is drawn as a polygon with this number of corners; the last one repeats the first. */
const ELLIPSE_CORNERS = 720;

function ellipseOutline([cx = 0, cy = 0, right = 0, top = 0]: readonly number[]): number[] {
  const outline: number[] = [];
  for (let i = 0; i < ELLIPSE_CORNERS; i++) {
    const angle = (2 * Math.PI * i) / (ELLIPSE_CORNERS - 1);
    outline.push(cx + (right - cx) * Math.cos(angle), cy + (cy - top) * Math.sin(angle));
  }
  return outline;
}

/** Turns points clockwise about a centre. */
function turned(points: number[], [cx, cy]: readonly [number, number], rotation: number): number[] {
  if (rotation === 0) return points;
  const angle = (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const result: number[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const [x, y] = [(points[i] ?? 0) - cx, (points[i + 1] ?? 0) - cy];
    result.push(cx + x * cos - y * sin, cy + x * sin + y * cos);
  }
  return result;
}

/** The smallest box around a flat list of points. */
export function pointsBox(points: readonly number[]): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let i = 0; i + 1 < points.length; i += 2) {
    const [x, y] = [points[i] ?? 0, points[i + 1] ?? 0];
    if (x < box.left) box.left = x;
    if (x > box.right) box.right = x;
    if (y < box.top) box.top = y;
    if (y > box.bottom) box.bottom = y;
  }
  return box;
}

/**
 * @returns the box of a shape without its rotation; of a skeleton, that of its elements that are not outside; undefined
 * for tags, and for masks without pixels in the image
 */
export function boxOf(object: FrameObject, size: FrameSize): Box | undefined {
  const { kind, points } = object;
  switch (kind) {
    case 'tag':
      return undefined;
    case 'ellipse': {
      const [cx = 0, cy = 0, right = 0, top = 0] = points;
      const [rx, ry] = [Math.abs(right - cx), Math.abs(cy - top)];
      return { left: cx - rx, top: cy - ry, right: cx + rx, bottom: cy + ry };
    }
    case 'mask':
      return drawn(() => maskBitmap(points, size));
    case 'skeleton':
      return pointsBox(object.elements.flatMap((element) => (element.outside ? [] : element.points.slice(0, 2))));
    default:
      return pointsBox(points);
  }
}

/** The smallest box around boxes. */
export function enclosingBox(boxes: Iterable<Box>): Box {
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const box of boxes) {
    all.left = Math.min(all.left, box.left);
    all.top = Math.min(all.top, box.top);
    all.right = Math.max(all.right, box.right);
    all.bottom = Math.max(all.bottom, box.bottom);
  }
  return all;
}

/** The means of the lefts, tops, rights and bottoms. */
export function meanBox(boxes: readonly Box[]): Box {
  const mean = (side: keyof Box): number => boxes.reduce((sum, box) => sum + box[side], 0) / boxes.length;
  return { left: mean('left'), top: mean('top'), right: mean('right'), bottom: mean('bottom') };
}

export const boxArea = ({ left, top, right, bottom }: Box): number => (right - left) * (bottom - top);

/** Whether two boxes share some area. */
export const boxesIntersect = (a: Box, b: Box): boolean =>
  Math.min(a.right, b.right) > Math.max(a.left, b.left) && Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top);

/** Drawn shapes may have pixels up to this distance from their outline. */
const PIXEL = 1;

/** The box within which a drawn shape, rotated or not, has its pixels; undefined if it has none. */
export function drawnReach(object: FrameObject, size: FrameSize): Box | undefined {
  const upright = boxOf(object, size);
  if (upright === undefined) return undefined;
  const { left, top, right, bottom } =
    object.rotation === 0 ? upright : enclosingBox([upright, pointsBox(outlineOf(object, object.rotation))]);
  return { left: left - PIXEL, top: top - PIXEL, right: right + PIXEL, bottom: bottom + PIXEL };
}
