import type { Point, Size } from '#shared/annotations/editing/geometry';

/** Pixels with red, green, blue and opacity, row by row. */
export interface Pixels extends Size {
  readonly data: Uint8ClampedArray;
}

/** The cost of a step on the strongest edge, and what a step without any edge costs more. */
const LEAST = 1;
const MORE = 63;
/** The costs of straight and diagonal steps, with a ratio near to √2. */
const STRAIGHT = 5;
const DIAGONAL = 7;
const MAX_STEP = (LEAST + MORE) * DIAGONAL;
const UNREACHED = 0xff_ff_ff_ff;

/**
 * Paths along the edges of an image, from a seed to any other pixel: the live wire of Mortensen and Barrett (1995). Steps on
 * strong edges are cheap, and Dijkstra's algorithm finds the cheapest paths once for all pixels.
 */
export class LiveWire {
  private readonly size: Size;
  /** The previous pixel on the way from the seed. */
  private readonly from: Int32Array;

  constructor(image: Pixels, seed: Point) {
    this.size = { width: image.width, height: image.height };
    this.from = cheapestPaths(edgeCosts(image), image, this.indexOf(seed));
  }

  /** @returns the pixels from the seed to a position. Positions outside of the image are moved to its border */
  pathTo(target: Point): Point[] {
    const { width } = this.size;
    const path: Point[] = [];
    for (let at = this.indexOf(target); at !== -1; at = this.from[at] ?? -1) {
      path.push({ x: at % width, y: Math.floor(at / width) });
    }
    return path.toReversed();
  }

  private indexOf({ x, y }: Point): number {
    const { width, height } = this.size;
    const column = Math.max(0, Math.min(width - 1, Math.floor(x)));
    return Math.max(0, Math.min(height - 1, Math.floor(y))) * width + column;
  }
}

/** The cost of each pixel, which is low where a colour changes (Sobel operator). */
export function edgeCosts({ width, height, data }: Pixels): Uint8Array {
  const strengths = new Float32Array(width * height);
  const row = width * 4;
  const value = (at: number): number => data[at] ?? 0;
  let most = 0;
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      let strength = 0;
      for (let i = at * 4; i < at * 4 + 3; i += 1) {
        const [above, below] = [i - row, i + row];
        const diagonals = value(below + 4) - value(above - 4);
        const others = value(above + 4) - value(below - 4);
        const across = diagonals + others + 2 * (value(i + 4) - value(i - 4));
        const down = diagonals - others + 2 * (value(below) - value(above));
        strength = Math.max(strength, across * across + down * down);
      }
      strengths[at] = strength;
      most = Math.max(most, strength);
    }
  }
  const costs = new Uint8Array(width * height).fill(LEAST + MORE);
  if (most === 0) return costs;
  for (let at = 0; at < costs.length; at += 1) {
    const share = Math.sqrt(Math.sqrt((strengths[at] ?? 0) / most)); // of a square: weaker edges count, too
    costs[at] = LEAST + Math.round(MORE * (1 - share));
  }
  return costs;
}

/** Dijkstra's algorithm with a circular list of buckets, one for each distance. */
function cheapestPaths(costs: Uint8Array, { width, height }: Size, seed: number): Int32Array {
  const from = new Int32Array(costs.length).fill(-1);
  const distances = new Uint32Array(costs.length).fill(UNREACHED);
  const buckets: number[][] = Array.from({ length: MAX_STEP + 1 }, () => []);
  let waiting = 1;
  distances[seed] = 0;
  buckets[0]?.push(seed);
  const reach = (next: number, at: number, before: number, length: number): void => {
    const distance = before + (costs[next] ?? 0) * length;
    if (distance >= (distances[next] ?? 0)) return;
    distances[next] = distance;
    from[next] = at;
    buckets[distance % buckets.length]?.push(next);
    waiting += 1;
  };
  for (let distance = 0; waiting > 0; distance += 1) {
    const bucket = buckets[distance % buckets.length] ?? [];
    for (let at = bucket.pop(); at !== undefined; at = bucket.pop()) {
      waiting -= 1;
      if (distances[at] !== distance) continue; // a shorter path was found in the meantime
      const x = at % width;
      const [hasLeft, hasRight, hasAbove, hasBelow] = [x > 0, x < width - 1, at >= width, at < (height - 1) * width];
      if (hasLeft) reach(at - 1, at, distance, STRAIGHT);
      if (hasRight) reach(at + 1, at, distance, STRAIGHT);
      if (hasAbove) reach(at - width, at, distance, STRAIGHT);
      if (hasBelow) reach(at + width, at, distance, STRAIGHT);
      if (hasLeft && hasAbove) reach(at - width - 1, at, distance, DIAGONAL);
      if (hasRight && hasAbove) reach(at - width + 1, at, distance, DIAGONAL);
      if (hasLeft && hasBelow) reach(at + width - 1, at, distance, DIAGONAL);
      if (hasRight && hasBelow) reach(at + width + 1, at, distance, DIAGONAL);
    }
  }
  return from;
}
