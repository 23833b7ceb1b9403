/**
 * Interpolation of outlines whose numbers of vertices differ. Both outlines are measured from 0 to 1 along their
 * length; the result has a vertex wherever one of the two has one, so no corner of either is cut off. Outlines with
 * equally many vertices are interpolated vertex by vertex, which is what somebody who moved vertices expects.
 */

/** Two vertices nearer than this, relative to the length of the outline, are one. */
const SAME = 1e-9;

/**
 * @param left, right flat lists x1, y1, x2, y2 …
 * @param closed true for polygons: the start of `right` is the vertex that corresponds best to the start of `left`
 * @param ratio 0 (left) to 1 (right)
 */
export function interpolateCurve(
  left: readonly number[],
  right: readonly number[],
  closed: boolean,
  ratio: number,
): number[] {
  if (left.length === right.length) return mix(left, right, ratio);
  const from = closed ? close(left) : left;
  const to = closed ? close(turnTowards(right, left)) : right;
  const [fromAt, toAt] = [positions(from), positions(to)];
  const stops = unite(fromAt, toAt);
  // The closing vertex of a polygon repeats its first one.
  if (closed) stops.pop();
  return mix(sample(from, fromAt, stops), sample(to, toAt, stops), ratio);
}

/** Linear interpolation, number by number. */
export function mix(left: readonly number[], right: readonly number[], ratio: number): number[] {
  return left.map((value, i) => value + ((right[i] ?? value) - value) * ratio);
}

function close(points: readonly number[]): number[] {
  return [...points, ...points.slice(0, 2)];
}

/** Lets `points` begin with the vertex that lies, seen from its centre, most like the first one of `model`. */
function turnTowards(points: readonly number[], model: readonly number[]): number[] {
  const [cx, cy] = centre(points);
  const [mx, my] = centre(model);
  const [wantX, wantY] = [(model[0] ?? 0) - mx + cx, (model[1] ?? 0) - my + cy];
  let best = 0;
  let bestDistance = Infinity;
  for (let i = 0; i < points.length; i += 2) {
    const distance = Math.hypot((points[i] ?? 0) - wantX, (points[i + 1] ?? 0) - wantY);
    if (distance < bestDistance) [best, bestDistance] = [i, distance];
  }
  return [...points.slice(best), ...points.slice(0, best)];
}

function centre(points: readonly number[]): [number, number] {
  let [x, y] = [0, 0];
  for (let i = 0; i < points.length; i += 2) {
    x += points[i] ?? 0;
    y += points[i + 1] ?? 0;
  }
  const count = points.length / 2 || 1;
  return [x / count, y / count];
}

/** @returns where each vertex lies along the line, from 0 to 1 */
function positions(points: readonly number[]): number[] {
  const found = [0];
  let length = 0;
  for (let i = 2; i < points.length; i += 2) {
    const dx = (points[i] ?? 0) - (points[i - 2] ?? 0);
    const dy = (points[i + 1] ?? 0) - (points[i - 1] ?? 0);
    length += Math.hypot(dx, dy);
    found.push(length);
  }
  // A line without length has its vertices at even distances.
  const last = found.length - 1;
  return found.map((value, i) => (length > 0 ? value / length : i / last));
}

function unite(a: readonly number[], b: readonly number[]): number[] {
  const sorted = [...a, ...b].sort((x, y) => x - y);
  return sorted.filter((value, i) => i === 0 || value - (sorted[i - 1] ?? 0) > SAME);
}

/** @returns the points of the line at the given ascending positions */
function sample(points: readonly number[], at: readonly number[], stops: readonly number[]): number[] {
  const result: number[] = [];
  let segment = 0;
  for (const stop of stops) {
    while (segment < at.length - 2 && (at[segment + 1] ?? 1) < stop) segment++;
    const [begin, end] = [at[segment] ?? 0, at[segment + 1] ?? 1];
    const ratio = end > begin ? Math.min(1, (stop - begin) / (end - begin)) : 0;
    const start = points.slice(segment * 2, segment * 2 + 2);
    result.push(...mix(start, points.slice(segment * 2 + 2, segment * 2 + 4), ratio));
  }
  return result;
}
