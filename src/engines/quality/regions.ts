import type { PairBudget } from '../annotations/pair-budget.js';
import { polygonCrossings } from '../annotations/polygon-crossings.js';
import { eachRow, maskBitmap } from '../annotations/rasterize.js';
import { eachRunOf, RunCollector } from '../annotations/run-bitmap.js';
import type { Steps } from '../concurrency/steps.js';
import type { FrameSize } from './frame-objects.js';

/**
 * The pixels of a shape: ascending positions column * height + row at which it begins and ends (exclusive), in turns.
 * Takes memory by the number of columns, not of pixels.
 */
export type Region = readonly number[];

export const NO_PIXELS: Region = [];

/** @returns the pixels of a polygon by the rule of COCO's masks, see {@link polygonCrossings} */
export function polygonRegion(points: readonly number[], { width, height }: FrameSize): Region {
  const region: number[] = [];
  // Two crossings at one position cancel out.
  for (const position of polygonCrossings(points, width, height)) {
    if (region.at(-1) === position) region.pop();
    else region.push(position);
  }
  if (region.length % 2 === 1) region.push(width * height);
  return region;
}

/** @returns the pixels of a mask that are within the image @throws TooManyRuns */
export function maskRegion(points: readonly number[], { width, height }: FrameSize): Region {
  const mask = maskBitmap(points, { width, height });
  if (mask === undefined) return NO_PIXELS;
  const ends: number[] = [];
  eachRunOf(mask, (row, start, end) => ends.push(row * width + start, row * width + end));
  const columns = new RunCollector();
  eachRow(ends, { width: height, height: width }, columns.add);
  const region: number[] = [];
  const turned = columns.bitmap();
  if (turned !== undefined)
    eachRunOf(turned, (column, start, end) => region.push(column * height + start, column * height + end));
  return region;
}

/** @returns the number of pixels */
export function areaOf(region: Region): number {
  let area = 0;
  for (let at = 0; at < region.length; at += 2) area += (region[at + 1] ?? 0) - (region[at] ?? 0);
  return area;
}

/** @returns the number of pixels that two regions share */
export function sharedArea(a: Region, b: Region): number {
  let area = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [endOfA, endOfB] = [a[i + 1] ?? 0, b[j + 1] ?? 0];
    const shared = Math.min(endOfA, endOfB) - Math.max(a[i] ?? 0, b[j] ?? 0);
    if (shared > 0) area += shared;
    if (endOfA < endOfB) i += 2;
    else j += 2;
  }
  return area;
}

/** @returns intersection over union, 0 if both are empty */
export function regionIou(a: Region, b: Region): number {
  const shared = sharedArea(a, b);
  return shared === 0 ? 0 : shared / (areaOf(a) + areaOf(b) - shared);
}

/** @returns the pixels of `region` that are not in `other` */
export function without(region: Region, other: Region): Region {
  const rest: number[] = [];
  let j = 0;
  for (let i = 0; i < region.length; i += 2) {
    let start = region[i] ?? 0;
    const end = region[i + 1] ?? 0;
    while (j < other.length && (other[j + 1] ?? 0) <= start) j += 2;
    for (let at = j; at < other.length && (other[at] ?? 0) < end; at += 2) {
      if ((other[at] ?? 0) > start) rest.push(start, other[at] ?? 0);
      start = Math.max(start, other[at + 1] ?? 0);
    }
    if (start < end) rest.push(start, end);
  }
  return rest;
}

/** Joins regions by twos, so that the union of n of them takes log n passes over their pixels. @returns the pixels of all */
export function* unionOf(regions: readonly Region[], budget?: PairBudget): Steps<Region> {
  let left = [...regions];
  while (left.length > 1) {
    const joined: Region[] = [];
    for (let at = 0; at < left.length; at += 2) {
      yield;
      const [one, other] = [left[at] ?? NO_PIXELS, left[at + 1] ?? NO_PIXELS];
      budget?.spend(one.length + other.length);
      joined.push(unionOfTwo(one, other));
    }
    left = joined;
  }
  if (regions.length > 1) budget?.keep(left[0]?.length ?? 0);
  return left[0] ?? NO_PIXELS;
}

function unionOfTwo(a: Region, b: Region): Region {
  if (b.length === 0) return a;
  const union: number[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const isFirst = (a[i] ?? Infinity) <= (b[j] ?? Infinity);
    const start = (isFirst ? a[i] : b[j]) ?? 0;
    const end = (isFirst ? a[i + 1] : b[j + 1]) ?? 0;
    if (isFirst) i += 2;
    else j += 2;
    const last = union.at(-1);
    if (last === undefined || start > last) union.push(start, end);
    else union[union.length - 1] = Math.max(last, end);
  }
  return union;
}
