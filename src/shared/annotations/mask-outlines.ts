import type { Bitmap } from './mask.js';

/** The maximum number of unit edges in the outlines of a mask. A mask with more is noise; polygons would be far larger. */
export const MAX_OUTLINE = 1_000_000;

/**
 * Polygons that cover exactly the pixels of the foreground, one for each region whose pixels have sides in common.
 * Vertices are corners of pixels: the pixel x, y covers x..x + 1, y..y + 1. The edge of a hole is joined to the edge
 * around it by a slit without width, so that a filled polygon leaves the hole out, by every rule of filling.
 * @returns flat lists x1, y1, x2, y2 …, clockwise, in the order of the first pixels; undefined when there are more
 * than {@link MAX_OUTLINE} edges
 */
export function maskOutlines(bitmap: Bitmap): number[][] | undefined {
  return new OutlineTracer(bitmap).trace();
}

/** Right, down, left, up; the foreground is to the right of every edge. */
const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;
const [DOWN, UP] = [1, 3];

/** A closed sequence of unit edges. */
interface Ring {
  /** Any of its nodes. */
  readonly node: number;
  /** Around foreground; otherwise around a hole. */
  readonly isOuter: boolean;
  /** The first node at the left end, where an edge leads down; only holes are asked for it. */
  readonly leftmost: number;
}

class OutlineTracer {
  /** Nodes: where they are, and which one follows. */
  private readonly x: number[] = [];
  private readonly y: number[] = [];
  private readonly next: number[] = [];
  /** Pixels whose upper edge belongs to a ring by now. */
  private readonly seen: Uint8Array;
  /** Nodes at which an edge leads up, by the pixel at its right. */
  private readonly upEdges = new Map<number, number>();

  constructor(private readonly bitmap: Bitmap) {
    this.seen = new Uint8Array(bitmap.pixels.length);
  }

  trace(): number[][] | undefined {
    const { width, height } = this.bitmap;
    const rings: Ring[] = [];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (!this.isSet(x, y) || this.isSet(x, y - 1) || this.seen[y * width + x] === 1) continue;
        const ring = this.follow(x, y);
        if (ring === undefined) return undefined;
        rings.push(ring);
      }
    }
    // From left to right: a hole is joined to the ring at its left.
    const holes = rings.filter(({ isOuter }) => !isOuter);
    holes.sort((a, b) => (this.x[a.leftmost] ?? 0) - (this.x[b.leftmost] ?? 0));
    for (const { leftmost } of holes) this.join(leftmost);
    return rings.filter(({ isOuter }) => isOuter).map(({ node }) => this.polygon(node));
  }

  /** Follows a ring, starting at the upper edge of a pixel. */
  private follow(startX: number, startY: number): Ring | undefined {
    const first = this.x.length;
    let [x, y, direction, area, leftmost] = [startX, startY, 0, 0, -1];
    do {
      const node = this.x.length;
      if (node >= MAX_OUTLINE) return undefined;
      this.x.push(x);
      this.y.push(y);
      this.next.push(node + 1);
      if (direction === 0) this.seen[y * this.bitmap.width + x] = 1;
      if (direction === UP) this.upEdges.set((y - 1) * this.bitmap.width + x, node);
      if (direction === DOWN && x < (this.x[leftmost] ?? Infinity)) leftmost = node;
      const [dx, dy] = STEPS[direction] ?? [0, 0];
      area += x * dy - y * dx;
      [x, y] = [x + dx, y + dy];
      direction = this.turn(x, y, direction);
    } while (x !== startX || y !== startY || direction !== 0);
    this.next[this.next.length - 1] = first;
    return { node: first, isOuter: area > 0, leftmost };
  }

  /** Prefers right turns: pixels that only share a corner are not joined. */
  private turn(x: number, y: number, direction: number): number {
    for (const change of [1, 0, 3]) {
      const wanted = (direction + change) % 4;
      const [right, left] = this.sides(x, y, wanted);
      if (right && !left) return wanted;
    }
    throw new Error('The outline is not closed');
  }

  /** Whether the pixels to the right and to the left of an edge are foreground. */
  private sides(x: number, y: number, direction: number): [boolean, boolean] {
    const upperLeft = this.isSet(x - 1, y - 1);
    const [upperRight, lowerLeft, lowerRight] = [this.isSet(x, y - 1), this.isSet(x - 1, y), this.isSet(x, y)];
    if (direction === 0) return [lowerRight, upperRight];
    if (direction === DOWN) return [lowerLeft, lowerRight];
    return direction === UP ? [upperRight, upperLeft] : [upperLeft, lowerLeft];
  }

  /** Joins the ring of a hole to the ring at the left end of its row of foreground pixels. */
  private join(hole: number): void {
    const [holeX, y] = [this.x[hole] ?? 0, this.y[hole] ?? 0];
    let x = holeX - 1;
    while (this.isSet(x - 1, y)) x--;
    const before = this.upEdges.get(y * this.bitmap.width + x);
    const after = before === undefined ? undefined : this.next[before];
    if (before === undefined || after === undefined) throw new Error('The hole is outside of every outline');
    // before, (x, y), around the hole and back, (x, y) again.
    const entry = this.copy(after);
    const around = this.copy(hole);
    this.next[around] = this.next[hole] ?? 0;
    this.next[before] = entry;
    this.next[entry] = around;
    this.next[hole] = after;
  }

  private copy(node: number): number {
    this.x.push(this.x[node] ?? 0);
    this.y.push(this.y[node] ?? 0);
    return this.next.push(0) - 1;
  }

  /** The corners of a ring. */
  private polygon(first: number): number[] {
    const { left, top } = this.bitmap;
    const points: number[] = [];
    let node = first;
    do {
      const next = this.next[node] ?? first;
      const following = this.next[next] ?? first;
      if (this.heading(node, next) !== this.heading(next, following)) {
        points.push(left + (this.x[next] ?? 0), top + (this.y[next] ?? 0));
      }
      node = next;
    } while (node !== first);
    return points;
  }

  private heading(from: number, to: number): number {
    const [dx, dy] = [(this.x[to] ?? 0) - (this.x[from] ?? 0), (this.y[to] ?? 0) - (this.y[from] ?? 0)];
    return Math.sign(dx) * 3 + Math.sign(dy);
  }

  private isSet(x: number, y: number): boolean {
    const { width, height, pixels } = this.bitmap;
    return x >= 0 && y >= 0 && x < width && y < height && pixels[y * width + x] === 1;
  }
}
