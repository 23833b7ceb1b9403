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
  if (crossings.length === 0) return undefined;
  const bitmap = emptyBitmap({ left: 0, top: 0, right: width - 1, bottom: height - 1 });
  for (let at = 0; at < crossings.length; at += 2) {
    const [start = 0, end = width * height] = [crossings[at], crossings[at + 1]];
    for (let position = start; position < end; position++) {
      bitmap.pixels[(position % height) * width + Math.floor(position / height)] = 1;
    }
  }
  const box = contentBox(bitmap);
  return box && partOf(bitmap, box);
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
 * The pixels of an ellipse whose centre and radii are rounded to whole pixels; both ends of an axis are inside.
 * @param points cx, cy, right, top
 * @param rotation in degrees clockwise
 */
export function ellipseBitmap(
  [cx = 0, cy = 0, right = 0, top = 0]: readonly number[],
  rotation: number,
  width: number,
  height: number,
): Bitmap | undefined {
  const [x, y, rx, ry] = [Math.round(cx), Math.round(cy), Math.round(right - cx), Math.round(cy - top)];
  const angle = (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const reach = Math.max(rx, ry);
  const box: Box = {
    left: Math.max(0, x - reach),
    top: Math.max(0, y - reach),
    right: Math.min(width - 1, x + reach),
    bottom: Math.min(height - 1, y + reach),
  };
  if (box.left > box.right || box.top > box.bottom) return undefined;
  const bitmap = emptyBitmap(box);
  // Half a pixel more than the radius, because the pixels at the ends belong to the ellipse.
  const [a, b] = [rx + 0.5, ry + 0.5];
  for (let row = 0; row < bitmap.height; row++) {
    for (let column = 0; column < bitmap.width; column++) {
      const [dx, dy] = [box.left + column - x, box.top + row - y];
      const [along, across] = [dx * cos + dy * sin, dy * cos - dx * sin];
      if ((along / a) ** 2 + (across / b) ** 2 <= 1) bitmap.pixels[row * bitmap.width + column] = 1;
    }
  }
  const content = contentBox(bitmap);
  return content && partOf(bitmap, content);
}
