import { describe, expect, it } from '@jest/globals';
import { Ray, Vector3 } from 'three';
import { axisOf, cuboidOf, distanceTo, headingOf, movedBy, pointsOf, resizedBy, cornerPoint, turnedBy } from './cuboid';

const ZEROS = [0, 0, 0, 0, 0, 0, 0];
const UP = new Vector3(0, 0, 1);
const plain = cuboidOf([10, 20, 1, 0, 0, 0, 4, 2, 2, ...ZEROS]);
const turned = cuboidOf([10, 20, 1, 0, 0, Math.PI / 2, 4, 2, 2, ...ZEROS]);

const close = (found: readonly number[], wanted: readonly number[]): void => {
  expect(found).toHaveLength(wanted.length);
  for (const [at, value] of found.entries()) expect(value).toBeCloseTo(wanted[at] ?? NaN, 3);
};

describe('a cuboid', () => {
  it('has the points of the API', () => {
    const points = [1.5, -2.25, 0.8, 0.1, -0.2, 3, 4, 1.8, 1.6, ...ZEROS];
    close(pointsOf(cuboidOf(points)), points);
  });

  it('has its front where its heading points', () => {
    expect(headingOf(turned)).toBeCloseTo(Math.PI / 2);
    close(cornerPoint(turned, [1, 0, 0]).toArray(), [10, 22, 1]);
  });

  it('moves', () => {
    close(pointsOf(movedBy(plain, new Vector3(1, 2, 3))).slice(0, 3), [11, 22, 4]);
  });

  it.each([
    ['its front', plain, [1, 0, 0], new Vector3(2, 5, 0), [11, 20, 1], [6, 2, 2]],
    ['its rear', plain, [-1, 0, 0], new Vector3(2, 5, 0), [11, 20, 1], [2, 2, 2]],
    ['a corner', plain, [1, -1, 0], new Vector3(2, -1, 0), [11, 19.5, 1], [6, 3, 2]],
    ['the front of a turned one', turned, [1, 0, 0], new Vector3(5, 2, 0), [10, 21, 1], [6, 2, 2]],
  ] as const)('grows at %s, and the opposite side stays', (_, cuboid, signs, by, centre, size) => {
    const after = resizedBy(cuboid, signs, by, UP);
    close(after.centre.toArray(), centre);
    close(after.size.toArray(), size);
    const opposite = signs.map((sign) => -sign) as [number, number, number];
    close(cornerPoint(after, opposite).toArray(), cornerPoint(cuboid, opposite).toArray());
  });

  it('does not shrink below 5 cm', () => {
    expect(resizedBy(plain, [1, 0, 0], new Vector3(-9, 0, 0), UP).size.x).toBeCloseTo(0.05);
  });

  it('turns about the axis of a view', () => {
    const after = turnedBy(turned, UP, Math.PI / 4);
    close(pointsOf(after).slice(3, 6), [0, 0, (3 * Math.PI) / 4]);
    close(axisOf(turnedBy(plain, new Vector3(1, 0, 0), Math.PI / 2), 1).toArray(), [0, 0, 1]);
  });

  it('is met by a ray at its nearest side', () => {
    const along = (x: number): Ray => new Ray(new Vector3(x, 10, 1), new Vector3(0, 1, 0));
    expect(distanceTo(plain, along(11.9))).toBeCloseTo(9);
    expect(distanceTo(plain, along(12.1))).toBeUndefined();
    expect(distanceTo(turned, along(10))).toBeCloseTo(8);
    expect(distanceTo(plain, new Ray(new Vector3(10, 40, 1), new Vector3(0, 1, 0)))).toBeUndefined();
  });
});
