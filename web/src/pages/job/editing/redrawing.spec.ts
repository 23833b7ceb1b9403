import { joinedAt, keptPoints, vertexAt } from './redrawing';

const points = [0, 0, 10, 0, 20, 0, 20, 10, 0, 10];
const polygon = { type: 'polygon', points, from: 1 } as const;

describe('redrawing an outline', () => {
  it('keeps the vertices up to the one where it starts', () => {
    expect(keptPoints(polygon)).toEqual([0, 0, 10, 0]);
  });

  it('replaces the part up to the vertex where it ends', () => {
    const drawn = [...keptPoints(polygon), 15, 5];
    expect(joinedAt(polygon, drawn, 3)).toEqual([0, 0, 10, 0, 15, 5, 20, 10, 0, 10]);
  });

  it('can replace the first vertex of a polygon, but not of a polyline', () => {
    const from = { ...polygon, from: 3 };
    const drawn = [...keptPoints(from), 5, 20];
    expect(joinedAt(from, drawn, 1)).toEqual([10, 0, 20, 0, 20, 10, 5, 20]);
    expect(joinedAt({ ...from, type: 'polyline' }, drawn, 1)).toBeUndefined();
    expect(joinedAt(from, drawn, 3)).toBeUndefined();
  });

  it('ends at vertices near the pointer only', () => {
    expect(vertexAt(polygon, 19, 11, 2)).toBe(3);
    expect(vertexAt(polygon, 15, 5, 2)).toBeUndefined();
  });
});
