import type { FrameSize } from './frame-objects.js';
import { pointsBox } from './drawing.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Two positions along lines that are nearer than this, relative to the length of the line, are one. */
const SAME = 1e-7;

/**
 * How close two polylines are, 0..1: both are given the same number of points, at the vertices of either, and the
 * similarity is the mean of exp(−d² / (2·S·(2t)²)) over the distances d of these points, where S is the area of the image
 * and t the thickness of the line (object keypoint similarity of COCO's keypoint evaluation, applied to lines).
 * @param a, b flat lists x1, y1, x2, y2 …
 * @param thickness relative to the size of the image
 * @returns with the points in the given order, and with the better of this and the reversed order
 */
export function lineSimilarity(
  a: readonly number[],
  b: readonly number[],
  thickness: number,
  size: FrameSize,
): { readonly oriented: number; readonly best: number } {
  const area = size.width * size.height;
  if (areApart(a, b, area * (6 * thickness) ** 2)) return { oriented: 0, best: 0 };
  const [onA, onB] = commonPoints(verticesOf(a), verticesOf(b));
  const tolerance = 2 * area * (2 * thickness) ** 2;
  const oriented = meanCloseness(onA, onB, tolerance);
  return { oriented, best: Math.max(oriented, meanCloseness(onA, onB.toReversed(), tolerance)) };
}

/** The circle around the box of a line, for a quick look at whether two lines can be near each other. */
export function circleOf(points: readonly number[]): {
  readonly x: number;
  readonly y: number;
  readonly square: number;
} {
  const { left, top, right, bottom } = pointsBox(points);
  return { x: (left + right) / 2, y: (top + bottom) / 2, square: ((right - left) ** 2 + (bottom - top) ** 2) / 4 };
}

function areApart(a: readonly number[], b: readonly number[], margin: number): boolean {
  const [one, other] = [circleOf(a), circleOf(b)];
  return (one.x - other.x) ** 2 + (one.y - other.y) ** 2 > one.square + other.square + margin;
}

const meanCloseness = (a: readonly Point[], b: readonly Point[], tolerance: number): number => {
  let sum = 0;
  a.forEach((point, i) => {
    const other = b[i] ?? point;
    sum += Math.exp(-((point.x - other.x) ** 2 + (point.y - other.y) ** 2) / tolerance);
  });
  return sum / a.length;
};

function verticesOf(points: readonly number[]): Point[] {
  return Array.from({ length: points.length / 2 }, (_, i) => ({ x: points[2 * i] ?? 0, y: points[2 * i + 1] ?? 0 }));
}

/** A line that is walked from its start by relative length, 0..1. */
class Walk {
  private readonly lengths: readonly number[];
  private readonly ends: readonly number[];
  private readonly length: number;
  private segment = 0;

  constructor(private readonly vertices: readonly Point[]) {
    this.lengths = vertices.slice(1).map(({ x, y }, i) => {
      const before = vertices[i] ?? { x, y };
      return Math.hypot(x - before.x, y - before.y);
    });
    this.length = this.lengths.reduce((sum, length) => sum + length, 0);
    let end = 0;
    this.ends = this.lengths.map((length) => (end += length / this.length));
  }

  get isOver(): boolean {
    return this.segment >= this.lengths.length;
  }

  /** Where the current segment ends. */
  get end(): number {
    return this.isOver ? 1 : (this.ends[this.segment] ?? 1);
  }

  /** @returns the end of the current segment, and moves on to the next one */
  next(): Point {
    this.segment++;
    return this.vertices[this.segment] ?? { x: 0, y: 0 };
  }

  /** @param position not after the end of the current segment */
  at(position: number): Point {
    const last = this.vertices.at(-1) ?? { x: 0, y: 0 };
    if (this.isOver) return last;
    const [start = last, end = last] = [this.vertices[this.segment], this.vertices[this.segment + 1]];
    const rest = this.end - position;
    if (Math.abs(rest) <= SAME) return end;
    const share = (rest * this.length) / (this.lengths[this.segment] ?? 1);
    return { x: start.x * share + end.x * (1 - share), y: start.y * share + end.y * (1 - share) };
  }
}

/** Points on both lines, at the vertices of either, without the last one. */
function commonPoints(a: readonly Point[], b: readonly Point[]): [Point[], Point[]] {
  const [walkA, walkB] = [new Walk(a), new Walk(b)];
  const [onA, onB] = [a.slice(0, 1), b.slice(0, 1)];
  while (!walkA.isOver || !walkB.isOver) {
    if (!walkA.isOver && (walkB.isOver || walkA.end <= walkB.end)) {
      onB.push(walkB.at(walkA.end));
      onA.push(walkA.next());
    } else {
      onA.push(walkA.at(walkB.end));
      onB.push(walkB.next());
    }
  }
  return [onA.slice(0, -1), onB.slice(0, -1)];
}
