import { describe, expect, it } from '@jest/globals';
import { Keyframes } from './interpolate.js';
import { isSpatialCuboid } from './spatial-cuboid.js';

const cuboid = (x: number, rz: number, length = 4): number[] => [x, 2, 3, 0, 0, rz, length, 2, 1, ...zeros];
const zeros = [0, 0, 0, 0, 0, 0, 0];

const keyframe = (frame: number, points: number[]) => ({
  id: null,
  type: 'cuboid' as const,
  frame,
  occluded: false,
  outside: false,
  z_order: 0,
  rotation: 0,
  points,
  attributes: [],
});

const between = (left: number[], right: number[]): number[] =>
  new Keyframes([keyframe(0, left), keyframe(4, right)]).at(1)?.points ?? [];

describe('a cuboid of a point cloud', () => {
  it('is known by its seven zeros', () => {
    expect(isSpatialCuboid(cuboid(1, 0))).toBe(true);
    expect(isSpatialCuboid([...cuboid(1, 0).slice(0, 15), 1])).toBe(false);
  });

  it('moves and grows evenly between keyframes', () => {
    expect(between(cuboid(0, 0, 4), cuboid(8, 1, 8))).toEqual([2, 2, 3, 0, 0, 0.25, 5, 2, 1, ...zeros]);
  });

  it('turns along the shorter arc, with angles between −π and π', () => {
    const angle = (left: number, right: number): number => between(cuboid(0, left), cuboid(0, right))[5] ?? NaN;
    expect(angle(-3, 3)).toBeCloseTo(-3 - (2 * Math.PI - 6) / 4);
    expect(angle(3, -3)).toBeCloseTo(3 + (2 * Math.PI - 6) / 4);
    expect(angle(3.1, -2.9)).toBeCloseTo(3.1 + (2 * Math.PI - 6) / 4 - 2 * Math.PI);
    expect(angle(0.5, 0.9)).toBeCloseTo(0.6);
  });

  it('differs from a cuboid of an image, whose numbers are all coordinates', () => {
    const image = (x: number): number[] => Array.from({ length: 16 }, (_, at) => x + at);
    expect(between(image(0), image(8))).toEqual(image(2));
  });
});
