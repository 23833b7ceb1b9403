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
  const crossings = crossingsOf(outlineOf(points), width, height);
  const box = boxOfRuns(crossings, width, height);
  if (box === undefined) return undefined;
  const bitmap = emptyBitmap(box);
  for (let at = 0; at < crossings.length; at += 2) {
    const [start = 0, end = width * height] = [crossings[at], crossings[at + 1]];
    for (let position = start; position < end; position++) {
      const column = Math.floor(position / height);
      bitmap.pixels[(position - column * height - box.top) * bitmap.width + column - box.left] = 1;
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

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The points of the fine grid on the outline, in order. */
function outlineOf(points: readonly number[]): Point[] {
  const corners: Point[] = [];
  for (let at = 0; at + 1 < points.length; at += 2) {
    corners.push({
      x: Math.trunc(SCALE * (points[at] ?? 0) + 0.5),
      y: Math.trunc(SCALE * (points[at + 1] ?? 0) + 0.5),
    });
  }
  return corners.flatMap((corner, at) => edgeBetween(corner, corners[(at + 1) % corners.length] ?? corner));
}

/** The points of an edge, one for each step along its longer axis. Both directions give the same points. */
function edgeBetween(from: Point, to: Point): Point[] {
  const [dx, dy] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  const isFlat = dx >= dy;
  const isReversed = isFlat ? from.x > to.x : from.y > to.y;
  const [start, end] = isReversed ? [to, from] : [from, to];
  const length = isFlat ? dx : dy;
  const slope = length === 0 ? 0 : (isFlat ? end.y - start.y : end.x - start.x) / length;
  const edge: Point[] = [];
  for (let step = 0; step <= length; step++) {
    const along = isReversed ? length - step : step;
    const across = slope * along + 0.5;
    edge.push(
      isFlat
        ? { x: start.x + along, y: Math.trunc(start.y + across) }
        : { x: Math.trunc(start.x + across), y: start.y + along },
    );
  }
  return edge;
}

/** Positions, column by column, at which the outline enters or leaves the polygon; ascending. */
function crossingsOf(outline: readonly Point[], width: number, height: number): number[] {
  const crossings: number[] = [];
  for (let at = 1; at < outline.length; at++) {
    const [before, here] = [outline[at - 1], outline[at]];
    if (before === undefined || here === undefined || here.x === before.x) continue;
    const column = ((here.x < before.x ? here.x : here.x - 1) + 0.5) / SCALE - 0.5;
    if (!Number.isInteger(column) || column < 0 || column > width - 1) continue;
    const row = (Math.min(here.y, before.y) + 0.5) / SCALE - 0.5;
    crossings.push(column * height + Math.ceil(Math.min(Math.max(row, 0), height)));
  }
  return crossings.sort((a, b) => a - b);
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
