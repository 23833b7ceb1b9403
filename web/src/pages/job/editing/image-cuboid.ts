import { orderedBox, type Point, roundCoordinate } from '#shared/annotations/editing/geometry';

// The eight corners of a cuboid in an image, as CVAT numbers them: top and bottom of the left and right edges of the
// front, then of the right and left edges of the back.
const FRONT = [0, 1, 2, 3] as const;
/** The corner of the back for each corner of the front. */
const BEHIND: Readonly<Record<number, number>> = { 0: 6, 1: 7, 2: 4, 3: 5 };
/** The corner at the other end of a vertical edge of the front. */
const VERTICAL: Readonly<Record<number, number>> = { 0: 1, 1: 0, 2: 3, 3: 2 };
/** The corner at the other end of a horizontal edge of the front. */
const HORIZONTAL: Readonly<Record<number, number>> = { 0: 2, 2: 0, 1: 3, 3: 1 };
/** The sides of the front, each with its two corners and the direction in which it moves: left, right, top, bottom. */
const SIDES = [
  { corners: [0, 1], isHorizontal: true },
  { corners: [2, 3], isHorizontal: true },
  { corners: [0, 2], isHorizontal: false },
  { corners: [1, 3], isHorizontal: false },
] as const;
const CORNERS = 8;

/** The number of clicks that define a cuboid: three corners of its front, and the back of the third. */
export const CUBOID_POINTS = 4;

const cornersOf = (points: readonly number[]): Point[] =>
  Array.from({ length: CORNERS }, (_, at) => ({ x: points[at * 2] ?? 0, y: points[at * 2 + 1] ?? 0 }));

const pointsOf = (corners: readonly Point[]): number[] =>
  corners.flatMap(({ x, y }) => [roundCoordinate(x), roundCoordinate(y)]);

const moved = ({ x, y }: Point, dx: number, dy: number): Point => ({ x: x + dx, y: y + dy });

const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/** The fourth corner of the parallelogram that starts with three corners in a row. */
const fourthCorner = (first: Point, second: Point, third: Point): Point => ({
  x: first.x + third.x - second.x,
  y: first.y + third.y - second.y,
});

/**
 * A cuboid by four points: three neighbouring corners of its front, and the corner of its back next to the third.
 * @returns its points
 */
export function cuboidByPoints([first, second, third, back]: readonly [Point, Point, Point, Point]): number[] {
  const front = [first, second, third, fourthCorner(first, second, third)].sort((a, b) => a.x - b.x);
  const byHeight = (a: Point, b: Point): number => a.y - b.y;
  const ordered = [...front.slice(0, 2).sort(byHeight), ...front.slice(2).sort(byHeight)];
  const [dx, dy] = [back.x - third.x, back.y - third.y];
  return withBack(ordered, () => ({ x: dx, y: dy }));
}

/** What to show while a cuboid is drawn by four points, with the points so far. */
export function cuboidSketch(points: readonly Point[]): {
  readonly type: 'polyline' | 'cuboid';
  readonly points: number[];
} {
  const [first, second, third, back] = points;
  if (first !== undefined && second !== undefined && third !== undefined) {
    if (back !== undefined) return { type: 'cuboid', points: cuboidByPoints([first, second, third, back]) };
    return { type: 'polyline', points: pointsOf([first, second, third, fourthCorner(first, second, third), first]) };
  }
  return { type: 'polyline', points: pointsOf(points) };
}

/** @param front corners of the front @param depth the way from a corner of the front to the one behind it */
function withBack(front: readonly Point[], depth: (corner: number) => Point): number[] {
  const corners: Point[] = [...front];
  for (const corner of FRONT) {
    const { x, y } = depth(corner);
    const from = front[corner];
    if (from !== undefined) corners[BEHIND[corner] ?? 0] = moved(from, x, y);
  }
  return pointsOf(corners);
}

/** Positions of the handles, flat: the corners, then the middles of the left, right, top and bottom side of the front. */
export function cuboidHandles(points: readonly number[]): number[] {
  const corners = cornersOf(points);
  const at = (corner: number): Point => corners[corner] ?? { x: 0, y: 0 };
  return [
    ...points,
    ...SIDES.flatMap(({ corners: [a, b] }) => {
      const { x, y } = middle(at(a), at(b));
      return [x, y];
    }),
  ];
}

/**
 * Drags a handle to a position. A corner of the front resizes it, and its vertical edges stay as they are; a side moves
 * with what is behind it; a corner of the back moves the whole back, which changes the depth.
 * @param isAlone whether a corner moves alone, which changes the perspective
 */
export function withCuboidHandleAt(points: readonly number[], handle: number, to: Point, isAlone: boolean): number[] {
  const positions = cuboidHandles(points);
  const dx = to.x - (positions[handle * 2] ?? 0);
  const dy = to.y - (positions[handle * 2 + 1] ?? 0);
  const ways = new Map<number, Point>();
  const move = (corner: number, way: Point): void => {
    ways.set(corner, way);
    const behind = BEHIND[corner];
    if (behind !== undefined) ways.set(behind, way);
  };
  const side = SIDES[handle - CORNERS];
  if (side !== undefined) {
    for (const corner of side.corners) move(corner, side.isHorizontal ? { x: dx, y: 0 } : { x: 0, y: dy });
  } else if (isAlone) ways.set(handle, { x: dx, y: dy });
  else if (BEHIND[handle] === undefined) for (const back of Object.values(BEHIND)) ways.set(back, { x: dx, y: dy });
  else {
    move(handle, { x: dx, y: dy });
    move(VERTICAL[handle] ?? handle, { x: dx, y: 0 });
    move(HORIZONTAL[handle] ?? handle, { x: 0, y: dy });
  }
  const corners = cornersOf(points);
  return pointsOf(corners.map((corner, at) => moved(corner, ways.get(at)?.x ?? 0, ways.get(at)?.y ?? 0)));
}

/** The way from a corner of the front to the one behind it. */
const depthAt =
  (corners: readonly Point[]) =>
  (corner: number): Point => {
    const [from, to] = [corners[corner], corners[BEHIND[corner] ?? 0]];
    return { x: (to?.x ?? 0) - (from?.x ?? 0), y: (to?.y ?? 0) - (from?.y ?? 0) };
  };

/** Shows the cuboid from the other side: its back moves from the right to the left, or from the left to the right. */
export function withOtherSide(points: readonly number[]): number[] {
  const corners = cornersOf(points);
  const depth = depthAt(corners);
  return withBack(corners.slice(0, FRONT.length), (corner) => {
    const { x, y } = depth(HORIZONTAL[corner] ?? corner);
    return { x: -x, y };
  });
}

/** Removes the perspective: the front becomes a rectangle, and the back has its size. */
export function withoutPerspective(points: readonly number[]): number[] {
  const corners = cornersOf(points);
  const front = corners.slice(0, FRONT.length);
  const [xs, ys] = [front.map(({ x }) => x), front.map(({ y }) => y)];
  const [left = 0, top = 0, right = 0, bottom = 0] = orderedBox([
    Math.min(...xs),
    Math.min(...ys),
    Math.max(...xs),
    Math.max(...ys),
  ]);
  const depths = FRONT.map(depthAt(corners));
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const way = { x: mean(depths.map(({ x }) => x)), y: mean(depths.map(({ y }) => y)) };
  const rectangle = [
    { x: left, y: top },
    { x: left, y: bottom },
    { x: right, y: top },
    { x: right, y: bottom },
  ];
  return withBack(rectangle, () => way);
}
