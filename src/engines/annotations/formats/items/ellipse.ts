import type { ImageSize } from '../../rasterize.js';
import { RunCollector, type RunBitmap } from '../../run-bitmap.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The pixels of an ellipse, by the rule of OpenCV's `ellipse`: centre and radii are rounded to whole pixels, the outline
 * is a polygon with a corner every 5 degrees or, if it is small, every 18 to 90, and the outline belongs to the ellipse.
 * Only rows and columns of the image are looked at, however large the ellipse is.
 * @param points cx, cy, right, top
 * @param rotation in degrees clockwise
 */
export function ellipseBitmap(
  [cx = 0, cy = 0, right = 0, top = 0]: readonly number[],
  rotation: number,
  size: ImageSize,
): RunBitmap | undefined {
  const [x, y, rx, ry] = [cx, cy, right - cx, cy - top].map(Math.round) as [number, number, number, number];
  const reach = Math.max(rx, ry);
  const rows = new RowExtents(Math.max(0, y - reach), Math.min(size.height - 1, y + reach), size.width);
  const corners = ellipseCorners({ x, y }, rx, ry, Math.round(rotation));
  for (const [at, corner] of corners.entries()) {
    const next = corners[(at + 1) % corners.length] ?? corner;
    addLine(rows, corner, next);
    addSide(rows, corner, next);
  }
  return rows.bitmap(Math.max(0, x - reach), Math.min(size.width - 1, x + reach));
}

function ellipseCorners({ x, y }: Point, rx: number, ry: number, rotation: number): Point[] {
  const radius = Math.max(rx, ry);
  const step = [[3, 90], [10, 30], [15, 18]].find(([limit = 0]) => radius < limit)?.[1] ?? 5; // prettier-ignore
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians(rotation)), Math.sin(radians(rotation))];
  return Array.from({ length: 360 / step }, (_, at) => {
    const [along, across] = [rx * Math.cos(radians(at * step)), ry * Math.sin(radians(at * step))];
    return { x: fixedPoint(x + along * cos - across * sin), y: fixedPoint(y + along * sin + across * cos) };
  });
}

/** With 16 binary places, so that errors of rounding do not move pixels. */
const fixedPoint = (value: number): number => Math.round(value * 2 ** 16) / 2 ** 16;

/** The first and last pixel of a convex outline on each row of an image. */
class RowExtents {
  private readonly first: Float64Array;
  private readonly last: Float64Array;

  constructor(
    readonly top: number,
    readonly bottom: number,
    readonly width: number,
  ) {
    const count = Math.max(0, bottom - top + 1);
    this.first = new Float64Array(count).fill(Infinity);
    this.last = new Float64Array(count).fill(-Infinity);
  }

  add(x: number, y: number): void {
    const row = y - this.top;
    if (row < 0 || row >= this.first.length) return;
    this.first[row] = Math.min(this.first[row] ?? 0, x);
    this.last[row] = Math.max(this.last[row] ?? 0, x);
  }

  bitmap(left: number, right: number): RunBitmap | undefined {
    const runs = new RunCollector();
    for (let row = 0; row < this.first.length; row++) {
      const [start, end] = [Math.max(this.first[row] ?? 0, left), Math.min(this.last[row] ?? 0, right)];
      if (start <= end) runs.add(this.top + row, start, end + 1);
    }
    return runs.bitmap();
  }
}

/** Where an edge crosses each row, as the filling of a polygon goes along it: downwards from one whole row to another. */
function addSide(rows: RowExtents, a: Point, b: Point): void {
  const [start, end] = a.y > b.y ? [b, a] : [a, b];
  const [first, last] = [Math.round(start.y), Math.round(end.y)];
  for (let y = Math.max(first, rows.top); y < Math.min(last, rows.bottom + 1); y++)
    rows.add(Math.round(start.x + ((end.x - start.x) * (y - first)) / (last - first)), y);
}

/** The pixels of a line, one for each step along its longer axis. */
function addLine(rows: RowExtents, a: Point, b: Point): void {
  const [dx, dy] = [Math.abs(b.x - a.x), Math.abs(b.y - a.y)];
  const isFlat = dx > dy;
  const [start, end] = (isFlat ? a.x > b.x : a.y > b.y) ? [b, a] : [a, b];
  const slope = Math.max(dx, dy) === 0 ? 0 : isFlat ? (end.y - start.y) / dx : (end.x - start.x) / dy;
  if (isFlat) addFlatLine(rows, start, end, slope);
  else {
    const [first, last] = [Math.round(start.y), Math.round(end.y)];
    for (let y = Math.max(first, rows.top); y <= Math.min(last, rows.bottom); y++)
      rows.add(Math.round(start.x + slope * (y - first)), y);
  }
  rows.add(Math.round(end.x), Math.round(end.y));
}

function addFlatLine(rows: RowExtents, start: Point, end: Point, slope: number): void {
  const [first, last] = [Math.round(start.x), Math.round(end.x)];
  const rowAt = (x: number): number => Math.round(start.y + slope * (x - first));
  const [from, to] = [Math.max(first, -1), Math.min(last, rows.width)];
  for (let x = from; x <= to; x++) rows.add(x, rowAt(x));
  // Beside the image, it only matters on which rows the line is.
  if (first < from) eachRowBetween(rows, rowAt(first), rowAt(Math.min(last, from - 1)), -1);
  if (last > to) eachRowBetween(rows, rowAt(Math.max(first, to + 1)), rowAt(last), rows.width);
}

function eachRowBetween(rows: RowExtents, a: number, b: number, x: number): void {
  const [first, last] = [Math.max(Math.min(a, b), rows.top), Math.min(Math.max(a, b), rows.bottom)];
  for (let y = first; y <= last; y++) rows.add(x, y);
}
