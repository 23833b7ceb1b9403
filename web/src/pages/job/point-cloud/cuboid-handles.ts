import { Plane, type Ray, Vector3 } from 'three';
import type { Point } from '#shared/annotations/editing/geometry';
import { axisOf, CORNERS, type Cuboid, headingOf, resizedBy, type Signs, cornerPoint, turnedBy } from './cuboid';
import { OrbitCamera, type PlaneCamera, type ViewCamera } from './view-camera';

/** A handle of the selected cuboid in a view: of a side or a corner, or the one that turns it. */
export interface CuboidHandle {
  readonly at: Point;
  /** Undefined for the handle that turns the cuboid. */
  readonly signs: Signs | undefined;
}

/** Distance of the turning handle from the cuboid, in screen pixels. */
const TURN_DISTANCE = 26;
const REACH = 9;
/** Of a cuboid with handles, in screen pixels. */
const MIN_DIAGONAL = 60;
const SNAP = Math.PI / 12;

/**
 * The handles of a cuboid: along an axis, those of its sides and corners; in perspective, those of its faces. The turning
 * handle comes first, on the side of the front or of the top. A cuboid that appears small has none, so that it can be moved.
 */
export function handlesOf(cuboid: Cuboid, view: OrbitCamera | PlaneCamera): CuboidHandle[] {
  const turn = rotationHandle(cuboid, view);
  if (turn === undefined || !isLarge(cuboid, view)) return [];
  const all = view instanceof OrbitCamera ? FACE_SIGNS : signsIn(axesIn(cuboid, view));
  const handles = all.flatMap((signs) => {
    const at = view.project(cornerPoint(cuboid, signs));
    return at === undefined ? [] : [{ at, signs }];
  });
  return [{ at: turn, signs: undefined }, ...handles];
}

/** Whether there is room for handles. */
function isLarge(cuboid: Cuboid, view: ViewCamera): boolean {
  const corners = CORNERS.flatMap((signs) => view.project(cornerPoint(cuboid, signs)) ?? []);
  const extent = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
  return Math.hypot(extent(corners.map(({ x }) => x)), extent(corners.map(({ y }) => y))) >= MIN_DIAGONAL;
}

/** The signs of the sides and corners in the plane of two axes. */
const signsIn = (axes: readonly [0 | 1 | 2, 0 | 1 | 2]): Signs[] =>
  [-1, 0, 1].flatMap((a) =>
    [-1, 0, 1].flatMap((b) => (a === 0 && b === 0 ? [] : [withSigns([axes[0], a], [axes[1], b])])),
  );

const withSigns = (...along: readonly (readonly [axis: 0 | 1 | 2, sign: number])[]): Signs => {
  const sign = (axis: 0 | 1 | 2): number => along.find(([one]) => one === axis)?.[1] ?? 0;
  return [sign(0), sign(1), sign(2)];
};

const FACE_SIGNS: readonly Signs[] = ([0, 1, 2] as const).flatMap((axis) => [
  withSigns([axis, 1]),
  withSigns([axis, -1]),
]);

/** @returns the handle at a position */
export const handleAt = (handles: readonly CuboidHandle[], { x, y }: Point): CuboidHandle | undefined =>
  handles.find(({ at }) => Math.hypot(at.x - x, at.y - y) <= REACH);

/** The cuboid after a handle was dragged. @param snaps whether it turns in steps of 15° */
export function dragged(
  cuboid: Cuboid,
  view: OrbitCamera | PlaneCamera,
  handle: CuboidHandle,
  from: Point,
  to: Point,
  snaps: boolean,
): Cuboid {
  const { signs } = handle;
  if (view instanceof OrbitCamera) return draggedInSpace(cuboid, view, handle, from, to, snaps);
  const normal = view.direction.negate();
  if (signs !== undefined) return resizedBy(cuboid, signs, view.movement(to.x - from.x, to.y - from.y), normal);
  const centre = view.project(cuboid.centre);
  const front = view.project(cornerPoint(cuboid, turnSigns(cuboid, view)));
  if (centre === undefined || front === undefined) return cuboid;
  const before = angleOf(centre, front);
  const after = angleOf(centre, to);
  const angle = snaps ? Math.round(after / SNAP) * SNAP - before : after - angleOf(centre, from);
  return turnedBy(cuboid, normal, angle);
}

/** In perspective, a face moves along its axis, and the cuboid turns about its own vertical axis. */
function draggedInSpace(
  cuboid: Cuboid,
  view: OrbitCamera,
  { signs }: CuboidHandle,
  from: Point,
  to: Point,
  snaps: boolean,
): Cuboid {
  if (signs !== undefined) {
    const face = cornerPoint(cuboid, signs);
    const axis = face.clone().sub(cuboid.centre).normalize();
    const by = positionAlong(face, axis, view.ray(to)) - positionAlong(face, axis, view.ray(from));
    return resizedBy(cuboid, signs, axis.multiplyScalar(by), NO_NORMAL);
  }
  const up = axisOf(cuboid, 2);
  const plane = new Plane().setFromNormalAndCoplanarPoint(up, cuboid.centre);
  const [before, after] = [from, to].map((at) => view.ray(at).intersectPlane(plane, new Vector3()));
  if (!before || !after) return cuboid;
  const [start, end] = [before.sub(cuboid.centre), after.sub(cuboid.centre)];
  const angle = Math.atan2(new Vector3().crossVectors(start, end).dot(up), start.dot(end));
  if (!snaps) return turnedBy(cuboid, up, angle);
  const heading = headingOf(cuboid);
  return turnedBy(cuboid, up, Math.round((heading + angle) / SNAP) * SNAP - heading);
}

/** All axes appear in full length. */
const NO_NORMAL = new Vector3();

/** @returns where a line comes closest to a line of sight, measured along its direction from its origin */
function positionAlong(origin: Vector3, direction: Vector3, ray: Ray): number {
  const between = origin.clone().sub(ray.origin);
  const [cos, along, across] = [direction.dot(ray.direction), direction.dot(between), ray.direction.dot(between)];
  const share = 1 - cos * cos;
  return share < 1e-6 ? 0 : (cos * across - along) / share;
}

/** Anticlockwise from the right. */
const angleOf = (centre: Point, { x, y }: Point): number => Math.atan2(centre.y - y, x - centre.x);

/** The two axes of the cuboid that lie most in the plane of the view. */
function axesIn(cuboid: Cuboid, view: PlaneCamera): [0 | 1 | 2, 0 | 1 | 2] {
  const { direction } = view;
  const depth = (axis: 0 | 1 | 2): number => Math.abs(axisOf(cuboid, axis).dot(direction));
  const [first = 0, second = 1] = ([0, 1, 2] as const).toSorted((a, b) => depth(a) - depth(b)).slice(0, 2);
  return first < second ? [first, second] : [second, first];
}

/** The side at which the turning handle is: the front seen from above or in perspective, otherwise the top. */
function turnSigns(cuboid: Cuboid, view: OrbitCamera | PlaneCamera): Signs {
  if (view instanceof OrbitCamera) return [1, 0, 0];
  const [first, second] = axesIn(cuboid, view);
  return withSigns([view.side === 'top' ? first : second, 1]);
}

function rotationHandle(cuboid: Cuboid, view: OrbitCamera | PlaneCamera): Point | undefined {
  const [centre, side] = [view.project(cuboid.centre), view.project(cornerPoint(cuboid, turnSigns(cuboid, view)))];
  if (centre === undefined || side === undefined) return undefined;
  const [dx, dy] = [side.x - centre.x, side.y - centre.y];
  const length = Math.hypot(dx, dy) || 1;
  return { x: side.x + (dx / length) * TURN_DISTANCE, y: side.y + (dy / length) * TURN_DISTANCE };
}
