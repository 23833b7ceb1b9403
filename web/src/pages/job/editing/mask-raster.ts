import type { Point } from '#shared/annotations/editing/geometry';
import type { Bitmap, Box } from '#shared/annotations/mask';

// Positions are in pixels of the image. The pixel x, y covers x..x + 1, y..y + 1.

export interface Brush {
  /** Width and height in pixels of the image. */
  readonly size: number;
  readonly form: 'round' | 'square';
}

/** The values of background and foreground. */
export type Pixel = 0 | 1;

/** The left and the right end of a row. */
type Range = readonly [from: number, to: number];

/** Moves the centre of a brush so that its edges lie between pixels, as far as its form allows. */
export function centred({ x, y }: Point, { size }: Brush): Point {
  const centre = (value: number): number => (size % 2 === 0 ? Math.round(value) : Math.floor(value) + 0.5);
  return { x: centre(x), y: centre(y) };
}

/**
 * Sets the pixels whose centres a brush covers on its way between two positions.
 * @returns the changed box; undefined if the brush is outside
 */
export function paintStroke(bitmap: Bitmap, from: Point, to: Point, brush: Brush, pixel: Pixel): Box | undefined {
  const [start, end] = [centred(from, brush), centred(to, brush)];
  const radius = brush.size / 2;
  const [top, bottom] = [Math.min(start.y, end.y) - radius, Math.max(start.y, end.y) + radius];
  const rangeAt = brush.form === 'square' ? squareRange : roundRange;
  return fillRows(bitmap, top, bottom, pixel, (y) => [rangeAt(start, end, radius, y)]);
}

/**
 * Sets the pixels whose centres are inside a polygon, by the nonzero rule, with which canvases fill.
 * @returns the changed box; undefined if the polygon is outside
 */
export function paintPolygon(bitmap: Bitmap, points: readonly number[], pixel: Pixel): Box | undefined {
  let [top, bottom] = [Infinity, -Infinity];
  for (let i = 1; i < points.length; i += 2) {
    top = Math.min(top, points[i] ?? Infinity);
    bottom = Math.max(bottom, points[i] ?? -Infinity);
  }
  return fillRows(bitmap, top, bottom, pixel, (y) => polygonRanges(points, y));
}

/** Fills rows from the pixel centres at or after the start of a range to those before its end. */
function fillRows(
  { left, top, right, bottom, width, pixels }: Bitmap,
  from: number,
  to: number,
  pixel: Pixel,
  rangesAt: (y: number) => readonly (Range | undefined)[],
): Box | undefined {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  const lastRow = Math.min(Math.ceil(to), bottom);
  for (let row = Math.max(Math.floor(from), top); row <= lastRow; row += 1) {
    for (const range of rangesAt(row + 0.5)) {
      if (range === undefined) continue;
      const first = Math.max(Math.ceil(range[0] - 0.5), left);
      const last = Math.min(Math.ceil(range[1] - 0.5) - 1, right);
      if (first > last) continue;
      const at = (row - top) * width - left;
      pixels.fill(pixel, at + first, at + last + 1);
      box.left = Math.min(box.left, first);
      box.right = Math.max(box.right, last);
      box.top = Math.min(box.top, row);
      box.bottom = row;
    }
  }
  return box.bottom === -Infinity ? undefined : box;
}

/** The row of a square that moves along a line. */
function squareRange(start: Point, end: Point, radius: number, y: number): Range | undefined {
  if (y < Math.min(start.y, end.y) - radius || y > Math.max(start.y, end.y) + radius) return undefined;
  const rise = end.y - start.y;
  // Where the centre is when the far and the near edge reach the row.
  const at = (height: number): number => Math.max(0, Math.min(1, (height - start.y) / rise));
  const [first, last] = rise === 0 ? [0, 1] : [at(y - radius), at(y + radius)];
  const [x1, x2] = [start.x + first * (end.x - start.x), start.x + last * (end.x - start.x)];
  return [Math.min(x1, x2) - radius, Math.max(x1, x2) + radius];
}

/** The row of a disc that moves along a line: of a disc at each end, and of the rectangle between them. */
function roundRange(start: Point, end: Point, radius: number, y: number): Range | undefined {
  let [from, to] = [Infinity, -Infinity];
  const add = (x: number): void => {
    from = Math.min(from, x);
    to = Math.max(to, x);
  };
  for (const centre of [start, end]) {
    const square = radius ** 2 - (y - centre.y) ** 2;
    if (square < 0) continue;
    add(centre.x - Math.sqrt(square));
    add(centre.x + Math.sqrt(square));
  }
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const length = Math.hypot(dx, dy);
  if (length > 0) {
    const [nx, ny] = [(-dy / length) * radius, (dx / length) * radius];
    const corners = [
      [start.x + nx, start.y + ny],
      [end.x + nx, end.y + ny],
      [end.x - nx, end.y - ny],
      [start.x - nx, start.y - ny],
    ].flat();
    for (const [x] of crossings(corners, y)) add(x);
  }
  return from <= to ? [from, to] : undefined;
}

/** The rows inside a polygon at a height. */
function polygonRanges(points: readonly number[], y: number): Range[] {
  const ranges: Range[] = [];
  let [winding, start] = [0, 0];
  for (const [x, direction] of crossings(points, y).toSorted(([a], [b]) => a - b)) {
    if (winding === 0) start = x;
    winding += direction;
    if (winding === 0) ranges.push([start, x]);
  }
  return ranges;
}

/**
 * Where the edges of a polygon cross a height: x, and 1 for downwards or -1 for upwards.
 * Each edge is computed downwards, so that two polygons on both sides of it find exactly the same x.
 */
function crossings(points: readonly number[], y: number): [x: number, direction: 1 | -1][] {
  const found: [number, 1 | -1][] = [];
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
    const isDownwards = (points[j + 1] ?? 0) < (points[i + 1] ?? 0);
    const [upper, lower] = isDownwards ? [j, i] : [i, j];
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [points[upper], points[upper + 1], points[lower], points[lower + 1]];
    if (y1 <= y === y2 <= y) continue;
    found.push([x1 + ((y - y1) / (y2 - y1)) * (x2 - x1), isDownwards ? 1 : -1]);
  }
  return found;
}
