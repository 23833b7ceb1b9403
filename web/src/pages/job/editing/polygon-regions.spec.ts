import { insidePolygon } from '../scene/hit';
import { polygonWithin, unionOfPolygons } from './polygon-regions';

const box = (left: number, top: number, right: number, bottom: number): number[] => [
  left,
  top,
  right,
  top,
  right,
  bottom,
  left,
  bottom,
];

const areaOf = (points: readonly number[]): number => {
  let sum = 0;
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
    sum += (points[j] ?? 0) * (points[i + 1] ?? 0) - (points[i] ?? 0) * (points[j + 1] ?? 0);
  }
  return Math.abs(sum / 2);
};

describe('the union of polygons', () => {
  it('is one polygon if they overlap or have a side in common', () => {
    expect(unionOfPolygons([box(0, 0, 10, 10), box(5, 5, 15, 15)]).map(areaOf)).toEqual([175]);
    expect(unionOfPolygons([box(0, 0, 10, 10), box(10, 0, 20, 10)]).map(areaOf)).toEqual([200]);
  });

  it('has one for each region', () => {
    expect(unionOfPolygons([box(0, 0, 10, 10), box(20, 0, 30, 10)]).map(areaOf)).toEqual([100, 100]);
  });

  it('leaves holes out, each joined to the outline by a slit', () => {
    const bars = [box(0, 0, 30, 4), box(0, 16, 30, 20), box(0, 0, 4, 20), box(13, 0, 17, 20), box(26, 0, 30, 20)];
    const [polygon = [], ...others] = unionOfPolygons(bars);
    expect(others).toEqual([]);
    expect(areaOf(polygon)).toBe(600 - 2 * 9 * 12);
    expect(
      [
        [2, 2],
        [8, 10],
        [15, 10],
        [22, 10],
      ].map(([x = 0, y = 0]) => insidePolygon(polygon, x, y)),
    ).toEqual([true, false, true, false]);
  });
});

describe('a polygon within the image', () => {
  it('ends at its edges', () => {
    const [part = [], ...others] = polygonWithin([-10, 5, 5, -10, 20, 5, 5, 20], { width: 10, height: 10 });
    expect(others).toEqual([]);
    expect(areaOf(part)).toBe(100);
    expect(polygonWithin([-10, 0, 10, 0, -10, 20], { width: 100, height: 100 }).map(areaOf)).toEqual([50]);
  });

  it('can have several parts, or none', () => {
    const arch = [2, -5, 8, -5, 8, 5, 6, 5, 6, -1, 4, -1, 4, 5, 2, 5];
    expect(polygonWithin(arch, { width: 10, height: 10 }).map(areaOf)).toEqual([10, 10]);
    expect(polygonWithin(box(20, 20, 30, 30), { width: 10, height: 10 })).toEqual([]);
  });
});
