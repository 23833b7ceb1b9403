// The baseline for comparisons with a ground truth: every shape is compared with every other, drawn ones as bitmaps of the
// whole image, and pairs are found in the full matrix.

import { serveCalls } from '../child.mjs';
import { crowdedFrames } from '../crowded-frames.mjs';

const THRESHOLD = 0.4;

/** @param {{plan: Parameters<typeof crowdedFrames>[0]}} call with rectangles or convex polygons only */
function compare({ plan }) {
  const { groundTruth, annotations } = crowdedFrames(plan);
  const begin = process.cpuUsage();
  let [pairs, similarity] = [0, 0];
  for (let frame = 0; frame < plan.frames; frame += 1) {
    const [gt, ds] = [groundTruth, annotations].map((shapes) => shapes.filter((shape) => shape.frame === frame));
    const found = compareFrame(gt, ds, plan.size);
    pairs += found.pairs;
    similarity += found.similarity;
  }
  const { user, system } = process.cpuUsage(begin);
  return { seconds: (user + system) / 1e6, pairs, similarity: similarity / plan.frames };
}

function compareFrame(gt, ds, size) {
  const isDrawn = gt[0].type !== 'rectangle';
  const [rows, columns] = isDrawn ? [gt, ds].map((side) => side.map((shape) => draw(shape.points, size))) : [gt, ds];
  const iou = isDrawn ? bitmapIou : ({ points: a }, { points: b }) => boxIou(a, b);
  const matrix = rows.map((a) => columns.map((b) => iou(a, b)));
  const partners = hungarian(matrix.map((row) => row.map((value) => (value < THRESHOLD ? 1 : 1 - value))));
  const matched = partners.map((column, row) => (matrix[row][column] >= THRESHOLD ? matrix[row][column] : 0));
  const pairs = matched.filter((value) => value > 0).length;
  const alone = (found, best) => found.reduce((sum, isMatched, at) => sum + (isMatched ? 0 : best(at)), 0);
  const isTaken = columns.map((_, column) => matched.some((value, row) => value > 0 && partners[row] === column));
  const rest =
    alone(
      matched.map((value) => value > 0),
      (row) => Math.max(...matrix[row]),
    ) + alone(isTaken, (column) => Math.max(...matrix.map((row) => row[column])));
  const total = rows.length + columns.length - pairs;
  return { pairs, similarity: (matched.reduce((sum, value) => sum + value, 0) + rest) / total };
}

/** Coordinates with two decimals, as the reports of CVAT use them. */
const rounded = (points) => points.map((value) => Math.round(value * 100) / 100);

function boxIou(one, other) {
  const [a, b] = [rounded(one), rounded(other)];
  const [w, h] = [0, 1].map((axis) => Math.min(a[axis + 2], b[axis + 2]) - Math.max(a[axis], b[axis]));
  if (w <= 0 || h <= 0) return 0;
  const area = (p) => (p[2] - p[0]) * (p[3] - p[1]);
  return (w * h) / (area(a) + area(b) - w * h);
}

/** A bitmap of the image with the pixels whose centre is in the polygon. */
function draw(points, { width, height }) {
  const bitmap = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) if (isInside(points, x + 0.5, y + 0.5)) bitmap[y * width + x] = 1;
  }
  return bitmap;
}

function isInside(points, x, y) {
  let inside = false;
  for (let at = 0; at < points.length; at += 2) {
    const [x1, y1] = [points[at], points[at + 1]];
    const [x2, y2] = [points[(at + 2) % points.length], points[(at + 3) % points.length]];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  }
  return inside;
}

function bitmapIou(a, b) {
  let [both, either] = [0, 0];
  for (let at = 0; at < a.length; at += 1) {
    both += a[at] & b[at];
    either += a[at] | b[at];
  }
  return either === 0 ? 0 : both / either;
}

/** The Hungarian method with potentials over a square matrix, in cubic time. @returns the column of each row */
function hungarian(cost) {
  const size = cost.length;
  const [u, v] = [new Float64Array(size + 1), new Float64Array(size + 1)];
  const [rowOf, before] = [new Int32Array(size + 1), new Int32Array(size + 1)];
  for (let row = 1; row <= size; row += 1) {
    rowOf[0] = row;
    const [least, isUsed] = [new Float64Array(size + 1).fill(Infinity), new Uint8Array(size + 1)];
    let column = 0;
    while (rowOf[column] !== 0) {
      isUsed[column] = 1;
      const current = rowOf[column];
      let [delta, next] = [Infinity, 0];
      for (let j = 1; j <= size; j += 1) {
        if (isUsed[j]) continue;
        const reduced = cost[current - 1][j - 1] - u[current] - v[j];
        if (reduced < least[j]) [least[j], before[j]] = [reduced, column];
        if (least[j] < delta) [delta, next] = [least[j], j];
      }
      for (let j = 0; j <= size; j += 1) {
        if (isUsed[j]) {
          u[rowOf[j]] += delta;
          v[j] -= delta;
        } else least[j] -= delta;
      }
      column = next;
    }
    while (column !== 0) {
      rowOf[column] = rowOf[before[column]];
      column = before[column];
    }
  }
  const columnOf = Array.from({ length: size }, () => 0);
  for (let j = 1; j <= size; j += 1) columnOf[rowOf[j] - 1] = j - 1;
  return columnOf;
}

serveCalls({ compare });
