import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { polygonCrossings as crossingsOf, TooManyCrossings } from './polygon-crossings.js';

const polygonCrossings = (points: readonly number[], width: number, height: number): number[] => [
  ...crossingsOf(points, width, height),
];

/** The same rule, point by point along the outline as in pycocotools' `rleFrPoly`. */
function walkedCrossings(points: readonly number[], width: number, height: number): number[] {
  const corner = (at: number) => {
    const [x = 0, y = 0] = points.slice(at % points.length);
    return [Math.trunc(5 * x + 0.5), Math.trunc(5 * y + 0.5)] as const;
  };
  const outline: [number, number][] = [];
  for (let at = 0; at < points.length; at += 2) {
    let [[xs, ys], [xe, ye]] = [corner(at), corner(at + 2)];
    const [dx, dy] = [Math.abs(xe - xs), Math.abs(ys - ye)];
    const flip = (dx >= dy && xs > xe) || (dx < dy && ys > ye);
    if (flip) [xs, xe, ys, ye] = [xe, xs, ye, ys];
    const slope = dx >= dy ? (ye - ys) / dx : (xe - xs) / dy;
    for (let d = 0; d <= Math.max(dx, dy); d++) {
      const t = flip ? Math.max(dx, dy) - d : d;
      if (dx >= dy) outline.push([t + xs, Math.trunc(ys + (dx === 0 ? 0 : slope * t) + 0.5)]);
      else outline.push([Math.trunc(xs + slope * t + 0.5), t + ys]);
    }
  }
  const crossings: number[] = [];
  outline.forEach(([x, y], at) => {
    const [lastX, lastY] = outline[at - 1] ?? [x, y];
    if (x === lastX) return;
    const column = (Math.min(x, lastX) + 0.5) / 5 - 0.5;
    if (!Number.isInteger(column) || column < 0 || column > width - 1) return;
    const row = Math.min(Math.max((Math.min(y, lastY) + 0.5) / 5 - 0.5, 0), height);
    crossings.push(column * height + Math.ceil(row));
  });
  return crossings.sort((a, b) => a - b);
}

describe('polygonCrossings', () => {
  it('draws a rectangle with the pixels between its corners', () => {
    expect(polygonCrossings([1, 1, 3, 1, 3, 4, 1, 4], 5, 10)).toEqual([11, 14, 21, 24]);
  });

  it('is the same as a walk along the outline', () => {
    const coordinate = fc.oneof(fc.integer({ min: -40, max: 160 }), fc.double({ min: -40, max: 160, noNaN: true }));
    const outline = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 8 });
    fc.assert(
      fc.property(outline, (corners) => {
        const points = corners.flat();
        expect(polygonCrossings(points, 120, 90)).toEqual(walkedCrossings(points, 120, 90));
      }),
      { numRuns: 500 },
    );
  });

  it('is refused if thousands of edges cross the whole image', () => {
    const zigzag = Array.from({ length: 20_000 }, (_, at) => [at % 2 === 0 ? 0 : 9000, at]).flat();
    expect(() => polygonCrossings(zigzag, 9000, 9000)).toThrow(TooManyCrossings);
  });

  it('takes no longer for polygons far beyond the image', () => {
    const far = 1e15;
    expect(polygonCrossings([-far, -far, far, -far, far, far, -far, far], 3, 4)).toEqual([0, 4, 4, 8, 8, 12]);
  });
});
