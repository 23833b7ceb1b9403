import { type Bitmap, type Box, contentBox, emptyBitmap, partOf } from '../../../../shared/annotations/mask.js';

/** Edges are drawn on a grid with this many points per pixel. */
const SCALE = 5;

/**
 * The pixels of a polygon, by the rule of COCO's masks (pycocotools, `rleFrPoly`): the outline is drawn on a five times
 * finer grid, each column of pixels is crossed at its centre, and pixels between two crossings are inside.
 * @param points x1, y1, x2, y2 … in pixels
 * @returns the smallest bitmap; undefined if no pixel of the image is inside
 */
export function polygonBitmap(points: readonly number[], width: number, height: number): Bitmap | undefined {
  const crossings = crossingsOf(points, width, height);
  const box = boxOfRuns(crossings, width, height);
  if (box === undefined) return undefined;
  const bitmap = emptyBitmap(box);
  for (let at = 0; at < crossings.length; at += 2) {
    const [start = 0, end = width * height] = [crossings[at], crossings[at + 1]];
    for (let position = start; position < end;) {
      const column = Math.floor(position / height);
      const stop = Math.min(end, (column + 1) * height);
      let at = (position - column * height - box.top) * bitmap.width + column - box.left;
      for (; position < stop; position++, at += bitmap.width) bitmap.pixels[at] = 1;
    }
  }
  return bitmap;
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

/** Positions, column by column, at which the outline enters or leaves the polygon; ascending. */
function crossingsOf(points: readonly number[], width: number, height: number): number[] {
  const outline = new Outline(width, height);
  const corner = (at: number): Point => ({
    x: Math.trunc(SCALE * (points[at % points.length] ?? 0) + 0.5),
    y: Math.trunc(SCALE * (points[(at + 1) % points.length] ?? 0) + 0.5),
  });
  for (let at = 0; at + 1 < points.length; at += 2) addEdge(outline, corner(at), corner(at + 2));
  return outline.crossings.sort((a, b) => a - b);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Adds the points of an edge, one for each step along its longer axis. Both directions have the same points. */
function addEdge(outline: Outline, from: Point, to: Point): void {
  const [dx, dy] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  const isFlat = dx >= dy;
  const isReversed = isFlat ? from.x > to.x : from.y > to.y;
  const [start, end] = isReversed ? [to, from] : [from, to];
  const length = isFlat ? dx : dy;
  const slope = length === 0 ? 0 : (isFlat ? end.y - start.y : end.x - start.x) / length;
  for (let step = 0; step <= length; step++) {
    const along = isReversed ? length - step : step;
    const across = slope * along + 0.5;
    if (isFlat) outline.add(start.x + along, Math.trunc(start.y + across));
    else outline.add(Math.trunc(start.x + across), start.y + along);
  }
}

/** Collects where an outline on the fine grid crosses the centres of the columns of pixels. */
class Outline {
  readonly crossings: number[] = [];
  private x = NaN;
  private y = NaN;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {}

  add(x: number, y: number): void {
    if (x !== this.x && !Number.isNaN(this.x)) this.cross(Math.min(x, this.x), Math.min(y, this.y));
    this.x = x;
    this.y = y;
  }

  private cross(x: number, y: number): void {
    const column = (x + 0.5) / SCALE - 0.5;
    if (!Number.isInteger(column) || column < 0 || column > this.width - 1) return;
    const row = (y + 0.5) / SCALE - 0.5;
    this.crossings.push(column * this.height + Math.ceil(Math.min(Math.max(row, 0), this.height)));
  }
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
