import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Geometry } from '../model.js';
import {
  BOX_HANDLES,
  croppedTo,
  cuboidFrom,
  ellipseInBox,
  handlesOf,
  hasArea,
  movedBy,
  reversed,
  rotatedTo,
  startingAt,
  withHandleAt,
  withoutVertex,
  withVertex,
} from './geometry.js';

const rectangle = (points: number[], rotation = 0): Geometry => ({ type: 'rectangle', points, rotation });
const polygon = (points: number[]): Geometry => ({ type: 'polygon', points, rotation: 0 });
const handle = (h: number, v: number): number => BOX_HANDLES.findIndex(([x, y]) => x === h && y === v);
const positionOf = (shape: Geometry, index: number): number[] => handlesOf(shape).slice(index * 2, index * 2 + 2);

describe('the handles of a box', () => {
  it('are its corners and the middles of its sides, rotated with it', () => {
    expect(handlesOf(rectangle([0, 0, 10, 20]))).toEqual([0, 0, 5, 0, 10, 0, 10, 10, 10, 20, 5, 20, 0, 20, 0, 10]);
    const turned = handlesOf(rectangle([0, 0, 10, 20], 90));
    expect(turned.map(Math.round)).toEqual([15, 5, 15, 10, 15, 15, 5, 15, -5, 15, -5, 10, -5, 5, 5, 5]);
    expect(handlesOf({ type: 'ellipse', points: ellipseInBox([0, 0, 10, 20]), rotation: 0 })).toEqual(
      handlesOf(rectangle([0, 0, 10, 20])),
    );
  });

  it('move one side or corner, while the opposite one stays, at any rotation', () => {
    const box = fc
      .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }))
      .chain(([x, y]) =>
        fc
          .tuple(fc.integer({ min: 10, max: 90 }), fc.integer({ min: 10, max: 90 }))
          .map(([w, h]) => [x, y, x + w, y + h]),
      );
    const reach = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(box, fc.integer({ min: 0, max: 359 }), fc.nat(7), reach, (points, rotation, index, by) => {
        const shape = rectangle(points, rotation);
        const opposite = (index + 4) % 8;
        const [fixedX = 0, fixedY = 0] = positionOf(shape, opposite);
        const [fromX = 0, fromY = 0] = positionOf(shape, index);
        const length = Math.hypot(fromX - fixedX, fromY - fixedY);
        const [x, y] = [fromX + ((fromX - fixedX) / length) * by, fromY + ((fromY - fixedY) / length) * by];
        const resized = withHandleAt(shape, index, x, y);
        const [newX = 0, newY = 0] = positionOf(resized, opposite);
        expect(Math.hypot(newX - fixedX, newY - fixedY)).toBeLessThan(0.05);
        const [atX = 0, atY = 0] = positionOf(resized, index);
        expect(Math.hypot(atX - x, atY - y)).toBeLessThan(0.05);
      }),
    );
  });

  it('can be dragged across the opposite side', () => {
    expect(withHandleAt(rectangle([0, 0, 10, 10]), handle(1, 1), -5, -8).points).toEqual([-5, -8, 0, 0]);
    expect(withHandleAt(rectangle([0, 0, 10, 10]), handle(1, 0), 25, 99).points).toEqual([0, 0, 25, 10]);
  });
});

describe('outlines', () => {
  const triangle = polygon([0, 0, 10, 0, 5, 8]);

  it('get and lose vertices, but not the ones that they need', () => {
    const square = withVertex(triangle, 1, 5, -2);
    expect(square.points).toEqual([0, 0, 5, -2, 10, 0, 5, 8]);
    expect(withoutVertex(square, 1)).toEqual(triangle);
    expect(withoutVertex(triangle, 0)).toBe(triangle);
    expect(withoutVertex({ type: 'points', points: [1, 2], rotation: 0 }, 0).points).toEqual([1, 2]);
  });

  it('are reversed', () => {
    expect(reversed(triangle).points).toEqual([0, 0, 5, 8, 10, 0]);
    expect(reversed({ ...triangle, type: 'polyline' }).points).toEqual([5, 8, 10, 0, 0, 0]);
    expect(reversed(reversed(triangle))).toEqual(triangle);
    expect(reversed(rectangle([0, 0, 1, 1])).points).toEqual([0, 0, 1, 1]);
  });
});

describe('shapes', () => {
  it('move; a mask moves by whole pixels with its box', () => {
    expect(movedBy(polygon([0, 0, 10, 0, 5, 8]), 1.25, -2).points).toEqual([1.25, -2, 11.25, -2, 6.25, 6]);
    const cuboid = {
      type: 'cuboid' as const,
      points: [1, -0.034, 2, 0, 0, 0.5236, 4, 2, 1.5, 0, 0, 0, 0, 0, 0, 0],
      rotation: 0,
    };
    expect(movedBy(cuboid, 1, 0).points.slice(0, 6)).toEqual([2, -0.034, 2, 0, 0, 0.5236]);
    expect(movedBy({ type: 'mask', points: [0, 4, 2, 3, 3, 4], rotation: 0 }, 1.4, -0.6).points).toEqual([
      0, 4, 3, 2, 4, 3,
    ]);
  });

  it('rotate within 0 to 360 degrees', () => {
    expect([-90, 360, 725.5].map((degrees) => rotatedTo(rectangle([0, 0, 1, 1]), degrees).rotation)).toEqual([
      270, 0, 5.5,
    ]);
  });

  it('are cropped to the image', () => {
    const image = { width: 100, height: 50 };
    expect(croppedTo(rectangle([-5, -5, 120, 20]), image).points).toEqual([0, 0, 100, 20]);
    expect(croppedTo({ type: 'ellipse', points: [0, 25, 20, 5], rotation: 0 }, image).points).toEqual([10, 25, 20, 5]);
  });

  it('lose the pixels of a mask that are outside of the image', () => {
    const image = { width: 10, height: 5 };
    const mask = (points: number[]) => ({ type: 'mask', points, rotation: 0 }) as const;
    expect(croppedTo(mask([0, 20, 8, 3, 12, 6]), image).points).toEqual([0, 4, 8, 3, 9, 4]);
    expect(croppedTo(mask([0, 20, 20, 3, 24, 6]), image).points).toEqual([0, 20, 20, 3, 24, 6]);
  });
});

describe('a new cuboid', () => {
  it('has its back up and to the right, within the image', () => {
    expect(cuboidFrom([10, 20, 60, 70], { width: 100, height: 100 })).toEqual([
      10, 20, 10, 70, 60, 20, 60, 70, 70, 10, 70, 60, 20, 10, 20, 60,
    ]);
    expect(cuboidFrom([50, 0, 100, 50], { width: 100, height: 100 }).slice(8, 12)).toEqual([100, 0, 100, 50]);
  });
});

describe('the area of a shape', () => {
  it('is at least a pixel in each direction', () => {
    expect(hasArea(rectangle([0, 0, 5, 5]))).toBe(true);
    expect(hasArea(rectangle([100, 100, 100, 200]))).toBe(false);
    expect(hasArea(polygon([0, 0, 0, 0, 0, 0]))).toBe(false);
    expect(hasArea({ type: 'polyline', points: [0, 0, 0, 9] })).toBe(true);
  });

  it('can start at another vertex of a polygon', () => {
    const triangle = { type: 'polygon', points: [0, 0, 4, 0, 0, 4], rotation: 0 } as const;
    const of = (type: 'polygon' | 'polyline') => ({ ...triangle, type, points: [...triangle.points] });
    expect(startingAt(of('polygon'), 2).points).toEqual([0, 4, 0, 0, 4, 0]);
    expect(startingAt(of('polyline'), 2).points).toEqual(triangle.points);
  });
});
