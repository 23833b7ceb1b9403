/** Limits for the size of outlines and the number of crossings, so that a comparison ends in bounded time. */
const MAX_VERTICES = 1000;
const MAX_SLABS = 5000;

/** Receives the number of pairs of edges that were looked at. */
export type Spend = (work: number) => void;

/**
 * Intersection over union of two polygons (even-odd rule), exact except for rounding: no edges cross between two
 * neighbouring x coordinates of vertices and crossings, so all areas there are trapezoids.
 * @param a, b flat lists x1, y1, x2, y2 …
 * @returns 0..1; also 0 for outlines above the limits
 */
export function polygonIou(a: readonly number[], b: readonly number[], spend: Spend = () => undefined): number {
  if (a.length + b.length > 2 * MAX_VERTICES) return 0;
  const edges = new Edges(a, b);
  const stops = edges.stops(spend);
  return stops.length > MAX_SLABS ? 0 : edges.iou(stops, spend);
}

/** The edges of two polygons, from left to right. Vertical ones enclose no area and are left out. */
class Edges {
  /** The left ends, and the right ones; x1 < x2. */
  private readonly x1: Float64Array;
  private readonly y1: Float64Array;
  private readonly x2: Float64Array;
  private readonly y2: Float64Array;
  /** Whether an edge belongs to the second polygon. */
  private readonly second: Uint8Array;
  private readonly count: number;
  /** The edges at the current position. */
  private readonly open: Int32Array;

  constructor(a: readonly number[], b: readonly number[]) {
    const most = (a.length + b.length) / 2;
    const ends = new Float64Array(4 * most);
    const own = new Uint8Array(most);
    const ofFirst = addEdges(a, ends, 0);
    this.count = addEdges(b, ends, ofFirst);
    own.fill(1, ofFirst);
    const order = new Uint16Array(this.count);
    for (let edge = 0; edge < this.count; edge++) order[edge] = edge;
    order.sort((p, q) => (ends[4 * p] ?? 0) - (ends[4 * q] ?? 0));
    [this.x1, this.y1, this.x2, this.y2] = [0, 1, 2, 3].map(() => new Float64Array(this.count)) as [Float64Array, Float64Array, Float64Array, Float64Array]; // prettier-ignore
    this.second = new Uint8Array(this.count);
    for (let at = 0; at < this.count; at++) {
      const edge = order[at] ?? 0;
      this.x1[at] = ends[4 * edge] ?? 0;
      this.y1[at] = ends[4 * edge + 1] ?? 0;
      this.x2[at] = ends[4 * edge + 2] ?? 0;
      this.y2[at] = ends[4 * edge + 3] ?? 0;
      this.second[at] = own[edge] ?? 0;
    }
    this.open = new Int32Array(this.count);
  }

  /** The x coordinates at which edges begin, end and cross, ascending and distinct. */
  stops(spend: Spend): Float64Array {
    const stops: number[] = [];
    let count = 0;
    for (let edge = 0; edge < this.count; edge++) {
      const start = this.x1[edge] ?? 0;
      count = this.keep(count, start, false);
      spend(count + 1);
      stops.push(start, this.x2[edge] ?? 0);
      for (let at = 0; at < count; at++) {
        const x = this.crossing(edge, this.open[at] ?? 0);
        if (!Number.isNaN(x)) stops.push(x);
      }
      this.open[count++] = edge;
    }
    const sorted = new Float64Array(stops).sort();
    let distinct = 0;
    for (let at = 0; at < sorted.length; at++)
      if (at === 0 || sorted[at] !== sorted[distinct - 1]) sorted[distinct++] = sorted[at] ?? 0;
    return sorted.subarray(0, distinct);
  }

  iou(stops: Float64Array, spend: Spend): number {
    let [both, either, count, next] = [0, 0, 0, 0];
    const heights = new Float64Array(this.count);
    for (let at = 1; at < stops.length; at++) {
      const [left, right] = [stops[at - 1] ?? 0, stops[at] ?? 0];
      count = this.keep(count, right, true);
      while (next < this.count && (this.x1[next] ?? 0) <= left) this.open[count++] = next++;
      spend(count);
      this.sortOpen(count, (left + right) / 2, heights);
      let [inFirst, inSecond, previous] = [false, false, 0];
      for (let border = 0; border < count; border++) {
        const area = ((heights[border] ?? 0) - previous) * (right - left);
        if (inFirst && inSecond) both += area;
        if (inFirst || inSecond) either += area;
        if (this.second[this.open[border] ?? 0] === 1) inSecond = !inSecond;
        else inFirst = !inFirst;
        previous = heights[border] ?? 0;
      }
    }
    return either > 0 ? both / either : 0;
  }

  /** Removes the edges that end before a position, or at it unless `including`. @returns how many are left */
  private keep(count: number, x: number, including: boolean): number {
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const edge = this.open[at] ?? 0;
      const end = this.x2[edge] ?? 0;
      if (end > x || (including && end === x)) this.open[kept++] = edge;
    }
    return kept;
  }

  /** By their heights at a position. They are nearly sorted, because only edges that cross there change places. */
  private sortOpen(count: number, x: number, heights: Float64Array): void {
    const { open } = this;
    for (let at = 0; at < count; at++) {
      const edge = open[at] ?? 0;
      const height = this.heightAt(edge, x);
      let place = at;
      for (; place > 0 && (heights[place - 1] ?? 0) > height; place--) {
        heights[place] = heights[place - 1] ?? 0;
        open[place] = open[place - 1] ?? 0;
      }
      heights[place] = height;
      open[place] = edge;
    }
  }

  /** @returns x where two edges cross; NaN if they do not */
  private crossing(a: number, b: number): number {
    const left = Math.max(this.x1[a] ?? 0, this.x1[b] ?? 0);
    const right = Math.min(this.x2[a] ?? 0, this.x2[b] ?? 0);
    if (left >= right) return NaN;
    const before = this.heightAt(a, left) - this.heightAt(b, left);
    const after = this.heightAt(a, right) - this.heightAt(b, right);
    return before * after < 0 ? left + ((right - left) * before) / (before - after) : NaN;
  }

  private heightAt(edge: number, x: number): number {
    const [x1, y1] = [this.x1[edge] ?? 0, this.y1[edge] ?? 0];
    return y1 + (((this.y2[edge] ?? 0) - y1) * (x - x1)) / ((this.x2[edge] ?? 0) - x1);
  }
}

/** Adds x1, y1, x2, y2 of each edge. @returns the number of edges so far */
function addEdges(points: readonly number[], ends: Float64Array, before: number): number {
  let count = before;
  for (let i = 0; i < points.length; i += 2) {
    const next = i + 2 < points.length ? i + 2 : 0;
    const [fromX, toX] = [points[i] ?? 0, points[next] ?? 0];
    if (fromX === toX) continue;
    const [from, to] = fromX < toX ? [i, next] : [next, i];
    ends[4 * count] = points[from] ?? 0;
    ends[4 * count + 1] = points[from + 1] ?? 0;
    ends[4 * count + 2] = points[to] ?? 0;
    ends[4 * count + 3] = points[to + 1] ?? 0;
    count++;
  }
  return count;
}
