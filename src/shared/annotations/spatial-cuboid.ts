/** What a cuboid of a point cloud has: position, rotation about x, y and z in radians, and size. */
const VALUES = 9;
const FIRST_ANGLE = 3;
const LAST_ANGLE = 5;
const TURN = 2 * Math.PI;

/**
 * Whether the points are those of a cuboid in a point cloud. They end with seven zeros. Of a cuboid in an image, three
 * corners would be the same.
 */
export const isSpatialCuboid = (points: readonly number[]): boolean =>
  points.length === 16 && points.slice(VALUES).every((value) => value === 0);

/** A cuboid between two others: angles along the shorter arc, everything else linear. @param ratio 0 (left) to 1 (right) */
export const mixSpatialCuboids = (left: readonly number[], right: readonly number[], ratio: number): number[] =>
  left.map((value, at) => {
    const change = (right[at] ?? value) - value;
    if (at < FIRST_ANGLE || at > LAST_ANGLE) return value + change * ratio;
    return normalized(value + shorter(change) * ratio);
  });

/** @returns an arc of less than half a turn in either direction */
const shorter = (arc: number): number => arc - TURN * Math.round(arc / TURN);

/** @returns the angle between −π and π */
const normalized = (angle: number): number => (Math.abs(angle) > Math.PI ? shorter(angle) : angle);
