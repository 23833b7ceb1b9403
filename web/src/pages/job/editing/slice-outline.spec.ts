import * as fc from 'fast-check';
import { insidePolygon } from '../scene/hit';
import { crossesItself, sideOf, slicedOutline } from './slice-outline';

const SQUARE = [0, 0, 10, 0, 10, 10, 0, 10];

const areaOf = (points: readonly number[]): number => {
  let sum = 0;
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
    sum += (points[j] ?? 0) * (points[i + 1] ?? 0) - (points[i] ?? 0) * (points[j + 1] ?? 0);
  }
  return Math.abs(sum / 2);
};
const areas = (outline: readonly number[], line: readonly number[]): number[] | undefined =>
  slicedOutline(outline, line)
    ?.map(({ points }) => Math.round(areaOf(points) * 10) / 10)
    .toSorted((a, b) => a - b);

/** A polygon whose vertices are at growing angles around a centre, so that its edges do not cross. */
const anyStar = fc.array(fc.double({ min: 5, max: 40, noNaN: true }), { minLength: 3, maxLength: 12 }).map((radii) =>
  radii.flatMap((radius, at) => {
    const angle = (at / radii.length) * 2 * Math.PI;
    return [50 + Math.cos(angle) * radius, 50 + Math.sin(angle) * radius];
  }),
);
const anyLine = fc
  .array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 2, maxLength: 5 })
  .chain((xs) =>
    fc
      .array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: xs.length, maxLength: xs.length })
      .map((ys) => xs.flatMap((x, at) => [x, ys[at] ?? 0])),
  );

describe('a sliced outline', () => {
  it('has two pieces, each on its side of the line', () => {
    const pieces = slicedOutline(SQUARE, [4, -5, 4, 15]) ?? [];
    expect(
      pieces
        .map(({ side, points }) => [side, Math.round(areaOf(points))])
        .toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    ).toEqual([
      ['left', 60],
      ['right', 40],
    ]);
  });

  it('follows the vertices of the line', () => {
    expect(areas(SQUARE, [-5, 5, 5, 5, 5, 15])).toEqual([25, 75]);
  });

  it('is cut from edge to edge if the line starts or ends inside', () => {
    expect(areas(SQUARE, [5, 4, 5, 6])).toEqual([50, 50]);
  });

  it('is cut along lines through vertices', () => {
    expect(areas(SQUARE, [0, 0, 10, 10])).toEqual([50, 50]);
  });

  it('has a piece for each part between two crossings', () => {
    const comb = [0, 0, 10, 0, 10, 10, 6, 10, 6, 4, 4, 4, 4, 10, 0, 10];
    expect(areas(comb, [-5, 7, 15, 7])).toEqual([12, 12, 64]);
  });

  it('keeps a hole that is joined to the outline by a slit', () => {
    const ring = [0, 0, 10, 0, 10, 10, 0, 10, 0, 5, 4, 5, 4, 6, 6, 6, 6, 4, 4, 4, 4, 5, 0, 5];
    expect(areaOf(ring)).toBe(96);
    expect(areas(ring, [2, -5, 2, 15])).toEqual([10, 10, 76]);
    expect(areas(ring, [5, -5, 5, 15])).toEqual([24, 24, 48]);
  });

  it('is undefined where the line does not divide it', () => {
    expect(slicedOutline(SQUARE, [-5, -5, 20, -5])).toBeUndefined();
  });

  it('covers the same area, whatever the line', () => {
    fc.assert(
      fc.property(anyStar, anyLine, (outline, line) => {
        fc.pre(!crossesItself(line));
        const pieces = slicedOutline(outline, line);
        if (pieces === undefined) return;
        const sum = pieces.reduce((total, { points }) => total + areaOf(points), 0);
        expect(Math.abs(sum - areaOf(outline))).toBeLessThan(2);
        for (let at = 0; at < 20; at += 1) {
          const [x, y] = [20 + at * 3.137, 25 + at * 2.713];
          const inside = pieces.filter(({ points }) => insidePolygon(points, x, y)).length;
          expect(inside).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe('a line', () => {
  it('may cross itself', () => {
    expect(crossesItself([0, 0, 10, 10, 10, 0, 0, 10])).toBe(true);
    expect(crossesItself([0, 0, 10, 10, 20, 0])).toBe(false);
  });

  it('has two sides', () => {
    expect(sideOf([0, 0, 0, 10], 5, 5)).toBe('left');
    expect(sideOf([0, 0, 0, 10], -5, 5)).toBe('right');
  });
});
