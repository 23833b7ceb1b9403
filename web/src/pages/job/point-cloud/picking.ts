import { Matrix4, PerspectiveCamera, Plane, Quaternion, Vector3 } from 'three';
import type { Point } from '#shared/annotations/editing/geometry';
import type { PointCloud } from './point-cloud';
import type { Cuboid } from './cuboid';
import type { ViewCamera } from './view-camera';

/** Maximum distance of a point from the pointer, in screen pixels. */
const REACH = 8;
/** How much nearer a point at the maximum distance must be than one exactly under the pointer. */
const PRECISION = 0.1;
/** A cuboid stands on the ground: the lowest points around its centre, without outliers. */
const GROUND_RADIUS = 2;
const GROUND_OUTLIERS = 0.02;
/** A car, in metres. */
export const DEFAULT_SIZE: readonly [length: number, width: number, height: number] = [4, 1.8, 1.6];

/**
 * A new cuboid where a position of a view points to: at the nearest point under it, else on the ground.
 * @param size length, width and height
 */
export function placedAt(
  cloud: PointCloud,
  view: ViewCamera,
  at: Point,
  size: readonly [length: number, width: number, height: number],
): Cuboid | undefined {
  const spot = pointAt(cloud, view, at) ?? groundAt(cloud, view, at);
  if (spot === undefined) return undefined;
  const height = size[2];
  const ground = groundAround(cloud, spot) ?? spot.z;
  const centre = new Vector3(spot.x, spot.y, ground + height / 2);
  return { centre, rotation: new Quaternion(), size: new Vector3(...size) };
}

/** @returns the point under the pointer; in perspective, the nearest one to the camera */
function pointAt(cloud: PointCloud, { camera, size }: ViewCamera, { x, y }: Point): Vector3 | undefined {
  const { positions, origin, count } = cloud;
  const toScreen = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  const spot = new Vector3();
  let [best, least] = [-1, Infinity];
  for (let i = 0; i < count; i += 1) {
    setPosition(spot, positions, i, origin);
    const depth = spot.distanceTo(camera.position);
    spot.applyMatrix4(toScreen);
    if (spot.z < -1 || spot.z > 1) continue;
    const distance = Math.hypot(((spot.x + 1) / 2) * size.width - x, ((1 - spot.y) / 2) * size.height - y);
    if (distance > REACH) continue;
    const rank = camera instanceof PerspectiveCamera ? depth * (1 + (PRECISION * distance) / REACH) : distance;
    if (rank < least) [best, least] = [i, rank];
  }
  return best < 0 ? undefined : setPosition(new Vector3(), positions, best, origin);
}

const setPosition = (
  spot: Vector3,
  positions: Float32Array,
  i: number,
  [x, y, z]: readonly [number, number, number],
): Vector3 => spot.set((positions[i * 3] ?? 0) + x, (positions[i * 3 + 1] ?? 0) + y, (positions[i * 3 + 2] ?? 0) + z);

/** Where the line of sight meets the level of the ground. */
function groundAt(cloud: PointCloud, view: ViewCamera, at: Point): Vector3 | undefined {
  const plane = new Plane(new Vector3(0, 0, 1), -cloud.heightRange[0]);
  return view.ray(at).intersectPlane(plane, new Vector3()) ?? undefined;
}

function groundAround({ positions, origin, count }: PointCloud, { x, y }: Vector3): number | undefined {
  const [cx, cy] = [x - origin[0], y - origin[1]];
  const heights: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const [dx, dy] = [(positions[i * 3] ?? 0) - cx, (positions[i * 3 + 1] ?? 0) - cy];
    if (dx * dx + dy * dy <= GROUND_RADIUS ** 2) heights.push(positions[i * 3 + 2] ?? 0);
  }
  if (heights.length === 0) return undefined;
  heights.sort((a, b) => a - b);
  return (heights[Math.floor(heights.length * GROUND_OUTLIERS)] ?? 0) + origin[2];
}
