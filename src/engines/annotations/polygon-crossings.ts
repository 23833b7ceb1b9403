/** Edges are drawn on a grid with this many points per pixel. */
const SCALE = 5;

/** On the fine grid, the outline crosses the centre of pixel column c between x = 5c + 2 and x = 5c + 3. */
const CENTRE = 2;

/** The most crossings of one polygon: 250 edges across an image of 4,000 columns. They take 8 MB, and a tenth of a second. */
const MAX_CROSSINGS = 1_000_000;

/** A polygon crosses the columns of the image so often that drawing it would take too much time and memory. */
export class TooManyCrossings extends Error {
  override name = 'TooManyCrossings';
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Where the outline of a polygon enters and leaves its inside, by the rule of COCO's masks (pycocotools, `rleFrPoly`):
 * the outline is drawn on a five times finer grid, each column of pixels is crossed at its centre, and pixels between
 * two crossings are inside. Takes time by the number of columns that each edge crosses within the image, however far
 * the polygon extends beyond it.
 * @param points x1, y1, x2, y2 … in pixels
 * @returns positions column * height + row, ascending
 * @throws TooManyCrossings
 */
export function polygonCrossings(points: readonly number[], width: number, height: number): Float64Array {
  const crossings = new Float64Array(countOf(points, width));
  let count = 0;
  const cross = (column: number, y: number): void => {
    const row = (y + 0.5) / SCALE - 0.5;
    crossings[count++] = column * height + Math.ceil(Math.min(Math.max(row, 0), height));
  };
  eachEdge(points, (from, to) => addEdge(from, to, width, cross));
  return crossings.sort();
}

/** @throws TooManyCrossings */
function countOf(points: readonly number[], width: number): number {
  let count = 0;
  eachEdge(points, (from, to) => {
    const { first, last } = columnsBetween(from, to, width);
    count += Math.max(0, last - first + 1);
  });
  if (count > MAX_CROSSINGS)
    throw new TooManyCrossings(`a polygon crosses more than ${MAX_CROSSINGS} columns of pixels`);
  return count;
}

function eachEdge(points: readonly number[], found: (from: Point, to: Point) => void): void {
  const corner = (at: number): Point => ({
    x: Math.trunc(SCALE * (points[at % points.length] ?? 0) + 0.5),
    y: Math.trunc(SCALE * (points[(at + 1) % points.length] ?? 0) + 0.5),
  });
  let from = corner(0);
  for (let at = 2; at < points.length + 2; at += 2) {
    const to = corner(at);
    found(from, to);
    from = to;
  }
}

/** The columns of the image that an edge crosses; none if the first is after the last. */
const columnsBetween = (from: Point, to: Point, width: number): { readonly first: number; readonly last: number } => ({
  first: Math.max(0, Math.ceil((Math.min(from.x, to.x) - CENTRE) / SCALE)),
  last: Math.min(width - 1, Math.floor((Math.max(from.x, to.x) - 1 - CENTRE) / SCALE)),
});

/** Calls back with the columns that an edge crosses, and the upper y of the two fine points next to the crossing. */
function addEdge(from: Point, to: Point, width: number, cross: (column: number, y: number) => void): void {
  const { first, last } = columnsBetween(from, to, width);
  if (first > last) return;
  const [dx, dy] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  const isFlat = dx >= dy;
  // Both directions of an edge have the same points.
  const [start, end] = (isFlat ? from.x > to.x : from.y > to.y) ? [to, from] : [from, to];
  const slope = isFlat ? (end.y - start.y) / dx : (end.x - start.x) / dy;
  for (let column = first; column <= last; column++) {
    const x = column * SCALE + CENTRE;
    cross(column, isFlat ? flatCrossing(start, slope, x) : steepCrossing(start, slope, x, dy));
  }
}

function flatCrossing(start: Point, slope: number, x: number): number {
  const along = x - start.x;
  const [left, right] = [start.y + slope * along + 0.5, start.y + slope * (along + 1) + 0.5];
  return Math.min(Math.trunc(left), Math.trunc(right));
}

/** Along a steep edge each fine y has one x: finds the last y before x changes between `x` and `x + 1`. */
function steepCrossing(start: Point, slope: number, x: number, length: number): number {
  const isBeyond = (along: number): boolean => {
    const at = Math.trunc(start.x + slope * along + 0.5);
    return slope > 0 ? at > x : at <= x;
  };
  const near = Math.min(length, Math.max(1, Math.ceil((x + 0.5 - start.x) / slope)));
  if (isBeyond(near) && !isBeyond(near - 1)) return start.y + near - 1;
  let [before, beyond] = [0, length];
  while (beyond - before > 1) {
    const middle = Math.floor((before + beyond) / 2);
    if (isBeyond(middle)) beyond = middle;
    else before = middle;
  }
  return start.y + before;
}
