import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { ShapeType } from '../../shared/annotations/model.js';
import { polygonIou } from './polygon-iou.js';
import { measured, type Outline, similarityOf } from './similarity.js';

function similarity(a: Outline, b: Outline, is3d: boolean): number {
  const [one, other] = [measured(a, is3d), measured(b, is3d)];
  return one === undefined || other === undefined ? 0 : similarityOf(one, other, 0, () => undefined);
}

const compare = (type: ShapeType, a: number[], b: number[], is3d = false) =>
  similarity({ type, points: a }, { type, points: b }, is3d);

type Box = [x: number, y: number, width: number, height: number];
const corners = ([x, y, w, h]: Box) => [x, y, x + w, y, x + w, y + h, x, y + h];
const rectangle = ([x, y, w, h]: Box) => [x, y, x + w, y + h];
const cuboid = (x: number, z: number) => [x, 0, z, 0, 0, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0];

describe('similarityOf', () => {
  it('is the overlap of rectangles, in any order of corners', () => {
    expect(compare('rectangle', [0, 0, 10, 10], [0, 0, 10, 10])).toBe(1);
    expect(compare('rectangle', [0, 0, 10, 10], [15, 10, 5, 0])).toBeCloseTo(1 / 3);
    expect(compare('rectangle', [0, 0, 10, 10], [10, 0, 20, 10])).toBe(0);
    expect(compare('rectangle', [5, 5, 5, 5], [5, 5, 5, 5])).toBe(1);
  });

  it('is 0 for other types and for different types', () => {
    for (const type of ['ellipse', 'points', 'polyline', 'mask', 'skeleton', 'cuboid'] as const) {
      expect(compare(type, [0, 0, 10, 10], [0, 0, 10, 10])).toBe(0);
    }
    const box = { type: 'rectangle', points: [0, 0, 1, 1] } as const;
    const polygon = { type: 'polygon', points: [0, 0, 1, 0, 1, 1] } as const;
    expect(similarity(box, polygon, false)).toBe(0);
  });

  it('multiplies the top and side view of cuboids in 3d', () => {
    expect(compare('cuboid', cuboid(0, 0), cuboid(0, 0), true)).toBe(1);
    expect(compare('cuboid', cuboid(0, 0), cuboid(0, 1), true)).toBeCloseTo(1 / 3);
    expect(compare('cuboid', cuboid(0, 0), cuboid(1, 0), true)).toBeCloseTo(1 / 9);
  });
});

describe('polygonIou', () => {
  it('handles concave and self-intersecting outlines', () => {
    const corner = [0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2];
    expect(polygonIou(corner, [0, 0, 2, 0, 2, 2, 0, 2])).toBeCloseTo(3 / 4);
    expect(polygonIou(corner, [1, 1, 2, 1, 2, 2, 1, 2])).toBe(0);
    expect(polygonIou([0, 0, 4, 0, 4, 4], [0, 0, 4, 4, 0, 4])).toBeCloseTo(0);
    expect(polygonIou([0, 0, 2, 2, 2, 0, 0, 2], [0, 0, 2, 0, 2, 2, 0, 2])).toBeCloseTo(0.5);
  });

  it('agrees with rectangles', () => {
    const side = fc.integer({ min: 0, max: 20 });
    const box = fc.tuple(side, side, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }));
    fc.assert(
      fc.property(box, box, (a, b) => {
        expect(polygonIou(corners(a), corners(b))).toBeCloseTo(compare('rectangle', rectangle(a), rectangle(b)), 9);
      }),
    );
  });

  it('does not compare outlines of thousands of vertices', () => {
    const huge = Array.from({ length: 4002 }, (_, i) => (i * 7919) % 1000);
    expect(polygonIou(huge, huge.toReversed())).toBe(0);
  });
});
