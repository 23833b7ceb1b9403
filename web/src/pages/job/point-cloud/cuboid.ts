import { Euler, Matrix4, Quaternion, type Ray, Vector3 } from 'three';
import { MIN_SIZE, storedPoints } from './cuboid-numbers';

/** A cuboid in metres. Its length is along its own x axis, its width along y, its height along z. */
export interface Cuboid {
  readonly centre: Vector3;
  readonly rotation: Quaternion;
  readonly size: Vector3;
}

/** Signs of a corner, an edge or a face of a cuboid along its axes: −1, 0 or 1. */
export type Signs = readonly [x: number, y: number, z: number];

/** Corners whose indices differ in one bit share an edge: bit 0 is x, bit 1 is y, bit 2 is z. */
export const CORNERS: readonly Signs[] = Array.from({ length: 8 }, (_, i): Signs => [
  (i & 1) * 2 - 1,
  (i & 2) - 1,
  (i & 4) / 2 - 1,
]);

/** Pairs of indices in {@link CORNERS}. */
export const EDGES: readonly (readonly [number, number])[] = CORNERS.flatMap((_, i) =>
  [1, 2, 4].filter((bit) => (i & bit) === 0).map((bit) => [i, i | bit] as const),
);

/** Indices in {@link CORNERS} around each face. The first one is the front, where x is largest. */
export const FACES: readonly (readonly number[])[] = [
  [1, 3, 7, 5],
  [0, 2, 6, 4],
  [0, 1, 5, 4],
  [2, 3, 7, 6],
  [0, 1, 3, 2],
  [4, 5, 7, 6],
];

/** @param points position, rotation in radians about x, y and z, and size, as the API stores them */
export function cuboidOf(points: readonly number[]): Cuboid {
  const vector = (at: number): Vector3 => new Vector3(points[at] ?? 0, points[at + 1] ?? 0, points[at + 2] ?? 0);
  const angles = vector(3);
  return {
    centre: vector(0),
    rotation: new Quaternion().setFromEuler(new Euler(angles.x, angles.y, angles.z, 'XYZ')),
    size: vector(6),
  };
}

/** The points of a cuboid for the API. */
export function pointsOf({ centre, rotation, size }: Cuboid): number[] {
  const angles = new Euler().setFromQuaternion(rotation, 'XYZ');
  return storedPoints([...centre.toArray(), angles.x, angles.y, angles.z, ...size.toArray()]);
}

/** The direction of an axis of the cuboid. */
export const axisOf = ({ rotation }: Cuboid, axis: 0 | 1 | 2): Vector3 =>
  new Vector3().setComponent(axis, 1).applyQuaternion(rotation);

/** The position of a corner, of the middle of an edge or of a face, or of the centre. */
export const cornerPoint = ({ centre, rotation, size }: Cuboid, [x, y, z]: Signs): Vector3 =>
  new Vector3((x * size.x) / 2, (y * size.y) / 2, (z * size.z) / 2).applyQuaternion(rotation).add(centre);

export const movedBy = (cuboid: Cuboid, by: Vector3): Cuboid => ({ ...cuboid, centre: cuboid.centre.clone().add(by) });

/**
 * Moves sides of a cuboid. The opposite sides stay where they are.
 * @param signs the sides
 * @param by how far, within a plane
 * @param normal of the plane
 */
export function resizedBy(cuboid: Cuboid, signs: Signs, by: Vector3, normal: Vector3): Cuboid {
  const [centre, size] = [cuboid.centre.clone(), cuboid.size.clone()];
  for (const axis of [0, 1, 2] as const) {
    const sign = signs[axis];
    if (sign === 0) continue;
    const direction = axisOf(cuboid, axis);
    // In the plane, an axis that leaves it appears shorter.
    const visible = 1 - direction.dot(normal) ** 2;
    const before = size.getComponent(axis);
    const after = Math.max(MIN_SIZE, before + (sign * by.dot(direction)) / visible);
    size.setComponent(axis, after);
    centre.addScaledVector(direction, (sign * (after - before)) / 2);
  }
  return { ...cuboid, centre, size };
}

/** @param angle in radians, anticlockwise for somebody towards whom the axis points */
export const turnedBy = (cuboid: Cuboid, axis: Vector3, angle: number): Cuboid => ({
  ...cuboid,
  rotation: new Quaternion().setFromAxisAngle(axis, angle).multiply(cuboid.rotation),
});

/** The angle of the cuboid's x axis in the horizontal plane, in radians. */
export function headingOf(cuboid: Cuboid): number {
  const direction = axisOf(cuboid, 0);
  return Math.atan2(direction.y, direction.x);
}

/** @returns the distance at which a ray meets the cuboid, or undefined */
export function distanceTo({ centre, rotation, size }: Cuboid, ray: Ray): number | undefined {
  const toLocal = new Matrix4().compose(centre, rotation, new Vector3(1, 1, 1)).invert();
  const local = ray.clone().applyMatrix4(toLocal);
  let [near, far] = [-Infinity, Infinity];
  for (const axis of [0, 1, 2] as const) {
    const [origin, direction] = [local.origin.getComponent(axis), local.direction.getComponent(axis)];
    const half = size.getComponent(axis) / 2;
    const [a, b] = [(-half - origin) / direction, (half - origin) / direction];
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far && far >= 0 ? near : undefined;
}
