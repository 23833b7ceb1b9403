import { type Bitmap, type Box, contentBox, emptyBitmap, partOf } from '../../../../shared/annotations/mask.js';
import { polygonCrossings } from '../../polygon-crossings.js';

/**
 * The pixels of a polygon, see {@link polygonCrossings}.
 * @param points x1, y1, x2, y2 … in pixels
 * @returns the smallest bitmap; undefined if no pixel of the image is inside
 */
export function polygonBitmap(points: readonly number[], width: number, height: number): Bitmap | undefined {
  const crossings = polygonCrossings(points, width, height);
  const box = boxOfRuns(crossings, width, height);
  if (box === undefined) return undefined;
  const bitmap = emptyBitmap(box);
  eachRow(crossings, width, height, (row, start, end) => {
    const first = (row - box.top) * bitmap.width - box.left;
    bitmap.pixels.fill(1, first + start, first + end);
  });
  return bitmap;
}

/** Receives a run of pixels along a row: the row, its first column, and the column after it. */
type RowRunFound = (row: number, start: number, end: number) => void;

/** Calls back with every horizontal run of pixels in a polygon, see {@link polygonCrossings}. */
export function eachPolygonRun(points: readonly number[], width: number, height: number, found: RowRunFound): void {
  eachRow(polygonCrossings(points, width, height), width, height, found);
}

/**
 * Turns runs down the columns into runs along the rows. A run begins or ends in the rows in which a column differs from
 * the one before.
 */
function eachRow(crossings: readonly number[], width: number, height: number, found: RowRunFound): void {
  const runs = crossings.length % 2 === 0 ? crossings : [...crossings, width * height];
  const starts = new Int32Array(height).fill(-1);
  let [before, rows]: [number[], number[]] = [[], []];
  let at = 0;
  let column = Math.floor((runs[0] ?? 0) / height);
  do {
    at = rowsOfColumn(runs, at, column * height, height, rows);
    eachDifference(before, rows, (row) => {
      const start = starts[row] ?? -1;
      if (start !== -1) found(row, start, column);
      starts[row] = start === -1 ? column : -1;
    });
    [before, rows] = [rows, before];
    column++;
  } while (before.length > 0 || at < runs.length);
}

/**
 * @param at of the first run that may be in the column
 * @param top position of the first pixel of the column
 * @param rows receives the rows at which runs begin and end
 * @returns where the runs of the next column begin
 */
function rowsOfColumn(runs: readonly number[], at: number, top: number, height: number, rows: number[]): number {
  rows.length = 0;
  const bottom = top + height;
  for (let next = at; ; next += 2) {
    const [start = Infinity, end = Infinity] = [runs[next], runs[next + 1]];
    if (start >= bottom) return next;
    rows.push(Math.max(start, top) - top, Math.min(end, bottom) - top);
    if (end > bottom) return next;
  }
}

/** Calls back with each row that is in the runs of one column, but not in those of the other. */
function eachDifference(a: readonly number[], b: readonly number[], found: (row: number) => void): void {
  let [i, j] = [0, 0];
  const next = (): number => ((a[i] ?? Infinity) <= (b[j] ?? Infinity) ? a[i++] : b[j++]) ?? 0;
  while (i < a.length || j < b.length) {
    const start = next();
    const end = next();
    for (let row = start; row < end; row++) found(row);
  }
}

/** The smallest box around runs of positions that go down the columns of an image. */
function boxOfRuns(crossings: readonly number[], width: number, height: number): Box | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let at = 0; at < crossings.length; at += 2) {
    const [start = 0, end = width * height] = [crossings[at], crossings[at + 1]];
    if (start === end) continue;
    const [first, last] = [Math.floor(start / height), Math.floor((end - 1) / height)];
    left = Math.min(left, first);
    right = Math.max(right, last);
    // A run over several columns has the last row of one and the first row of the next.
    top = first === last ? Math.min(top, start % height) : 0;
    bottom = first === last ? Math.max(bottom, (end - 1) % height) : height - 1;
  }
  return right < 0 ? undefined : { left, top, right, bottom };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The pixels of an ellipse, by the rule of OpenCV's `ellipse`: centre and radii are rounded to whole pixels, the outline
 * is a polygon with a corner every 5 degrees or, if it is small, every 18 to 90, and the outline belongs to the ellipse.
 * @param points cx, cy, right, top
 * @param rotation in degrees clockwise
 */
export function ellipseBitmap(
  [cx = 0, cy = 0, right = 0, top = 0]: readonly number[],
  rotation: number,
  width: number,
  height: number,
): Bitmap | undefined {
  const [x, y, rx, ry] = [cx, cy, right - cx, cy - top].map(Math.round) as [number, number, number, number];
  const reach = Math.max(rx, ry);
  const box: Box = {
    left: Math.max(0, x - reach),
    top: Math.max(0, y - reach),
    right: Math.min(width - 1, x + reach),
    bottom: Math.min(height - 1, y + reach),
  };
  if (box.left > box.right || box.top > box.bottom) return undefined;
  const bitmap = emptyBitmap(box);
  for (const [row, [first, last]] of rowsOf(ellipseCorners({ x, y }, rx, ry, Math.round(rotation)))) {
    if (row < box.top || row > box.bottom || last < box.left || first > box.right) continue;
    const start = (row - box.top) * bitmap.width - box.left;
    bitmap.pixels.fill(1, start + Math.max(first, box.left), start + Math.min(last, box.right) + 1);
  }
  const content = contentBox(bitmap);
  return content && partOf(bitmap, content);
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

/** The first and last pixel on each row of a convex polygon whose corners are centres of pixels. */
function rowsOf(corners: readonly Point[]): Map<number, [first: number, last: number]> {
  const rows = new Map<number, [number, number]>();
  for (const [at, corner] of corners.entries()) {
    const next = corners[(at + 1) % corners.length] ?? corner;
    for (const { x, y } of [...lineBetween(corner, next), ...sideBetween(corner, next)]) {
      const row = rows.get(y);
      rows.set(y, row === undefined ? [x, x] : [Math.min(row[0], x), Math.max(row[1], x)]);
    }
  }
  return rows;
}

/** Where an edge crosses each row, as the filling of a polygon goes along it: downwards from one whole row to another. */
function sideBetween(a: Point, b: Point): Point[] {
  const [start, end] = a.y > b.y ? [b, a] : [a, b];
  const [first, last] = [Math.round(start.y), Math.round(end.y)];
  return Array.from({ length: last - first }, (_, step) => ({
    x: Math.round(start.x + ((end.x - start.x) * step) / (last - first)),
    y: first + step,
  }));
}

/** The pixels of a line, one for each step along its longer axis. */
function lineBetween(a: Point, b: Point): Point[] {
  const [dx, dy] = [Math.abs(b.x - a.x), Math.abs(b.y - a.y)];
  const isFlat = dx > dy;
  const [start, end] = (isFlat ? a.x > b.x : a.y > b.y) ? [b, a] : [a, b];
  const length = isFlat ? Math.round(end.x) - Math.round(start.x) : Math.round(end.y) - Math.round(start.y);
  const slope = Math.max(dx, dy) === 0 ? 0 : isFlat ? (end.y - start.y) / dx : (end.x - start.x) / dy;
  const line = Array.from({ length: length + 1 }, (_, step) =>
    isFlat
      ? { x: Math.round(start.x) + step, y: Math.round(start.y + slope * step) }
      : { x: Math.round(start.x + slope * step), y: Math.round(start.y) + step },
  );
  return [...line, { x: Math.round(end.x), y: Math.round(end.y) }];
}
