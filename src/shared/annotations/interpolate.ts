import type { Shape, ShapeElement, Track, TrackedShape, TrackElement } from './model.js';
import { isSpatialCuboid, mixSpatialCuboids } from './spatial-cuboid.js';

/**
 * The sorted keyframes of a track, and the shapes between them. If two keyframes have the same frame, the last one in the
 * list is used. Attributes come from the keyframe before: complete the track first if keyframes inherit.
 */
export class Keyframes {
  readonly shapes: readonly TrackedShape[];

  constructor(shapes: readonly TrackedShape[]) {
    const sorted = shapes.toSorted((a, b) => a.frame - b.frame);
    this.shapes = sorted.filter((shape, i) => shape.frame !== sorted[i + 1]?.frame);
  }

  /** @returns the last keyframe at or before the frame */
  before(frame: number): TrackedShape | undefined {
    return this.shapes[this.indexAfter(frame) - 1];
  }

  /** @returns the first keyframe after the frame */
  after(frame: number): TrackedShape | undefined {
    return this.shapes[this.indexAfter(frame)];
  }

  /**
   * @returns the shape on a frame: the keyframe itself, or an interpolated one without id; undefined before the first
   * keyframe. Hidden shapes are returned too, with `outside`.
   */
  at(frame: number): TrackedShape | undefined {
    const index = this.indexAfter(frame);
    const left = this.shapes[index - 1];
    if (left === undefined || left.frame === frame) return left;
    return between(left, this.shapes[index], frame);
  }

  /** @returns the position of the first keyframe after the frame; the number of keyframes if there is none */
  indexAfter(frame: number): number {
    let [low, high] = [0, this.shapes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.shapes[middle]?.frame ?? Infinity) <= frame) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function between(left: TrackedShape, right: TrackedShape | undefined, frame: number): TrackedShape {
  const shape: TrackedShape = { ...left, id: null, frame, points: [...left.points] };
  delete shape.keyframe;
  // A hidden object does not move; a visible one moves towards the position where it disappears.
  if (right === undefined || left.outside || left.type !== right.type) return shape;
  const ratio = (frame - left.frame) / (right.frame - left.frame);
  shape.rotation = mixAngle(left.rotation, right.rotation, ratio);
  shape.points = mixPoints(left, right, ratio);
  return shape;
}

/** Degrees, along the shorter arc. */
function mixAngle(left: number, right: number, ratio: number): number {
  if (left === right) return left;
  const arc = ((((right - left) % 360) + 540) % 360) - 180;
  return (((left + arc * ratio) % 360) + 360) % 360;
}

function mixPoints(left: TrackedShape, right: TrackedShape, ratio: number): number[] {
  switch (left.type) {
    case 'polygon':
      return interpolateCurve(left.points, right.points, true, ratio);
    case 'polyline':
      return interpolateCurve(left.points, right.points, false, ratio);
    case 'points':
      // The order of several points does not say which one moved where.
      return left.points.length === 2 && right.points.length === 2
        ? mix(left.points, right.points, ratio)
        : [...left.points];
    case 'mask':
      return [...left.points];
    case 'cuboid':
      return isSpatialCuboid(left.points) && isSpatialCuboid(right.points)
        ? mixSpatialCuboids(left.points, right.points, ratio)
        : mix(left.points, right.points, ratio);
    case 'rectangle':
    case 'ellipse':
    case 'skeleton':
      return mix(left.points, right.points, ratio);
  }
}

/**
 * @param frames the frames wanted, in any order
 * @returns one shape per frame on which the track exists, hidden ones included; elements of a skeleton are tracks of
 * their own and not looked at
 */
export function interpolateTrack(track: TrackElement, frames: Iterable<number>): TrackedShape[] {
  const keyframes = new Keyframes(track.shapes);
  const found: TrackedShape[] = [];
  for (const frame of frames) {
    const shape = keyframes.at(frame);
    if (shape !== undefined) found.push(shape);
  }
  return found;
}

/** A track and its elements, prepared for queries of many frames. */
export class TrackFrames {
  private readonly keyframes: Keyframes;
  private readonly elements: readonly { readonly element: TrackElement; readonly keyframes: Keyframes }[];

  constructor(readonly track: Track) {
    this.keyframes = new Keyframes(track.shapes);
    this.elements = track.elements.map((element) => ({ element, keyframes: new Keyframes(element.shapes) }));
  }

  /**
   * @returns the track as a single shape, with the attributes of the track and of its keyframe; undefined before the
   * first keyframe. Where it is hidden it has `outside`. The elements of a skeleton are those that exist on the frame,
   * hidden ones included.
   */
  at(frame: number): Shape | undefined {
    const shape = this.keyframes.at(frame);
    if (shape === undefined) return undefined;
    const elements = this.elements.flatMap(({ element, keyframes }) => {
      const found = keyframes.at(frame);
      return found === undefined ? [] : [toShape(element, found)];
    });
    return Object.assign(toShape(this.track, shape), { elements });
  }

  /** Frames at which the track or one of its elements has a keyframe, ascending. */
  keyframeNumbers(): number[] {
    const all = [this.keyframes, ...this.elements.map(({ keyframes }) => keyframes)];
    return [...new Set(all.flatMap(({ shapes }) => shapes.map(({ frame }) => frame)))].sort((a, b) => a - b);
  }
}

/** The track as single shapes, one for each frame on which it is visible, see {@link TrackFrames.at}. */
export function* trackShapes(track: Track, frames: Iterable<number>): Generator<Shape> {
  const found = new TrackFrames(track);
  for (const frame of frames) {
    const shape = found.at(frame);
    if (shape !== undefined && !shape.outside) yield shape;
  }
}

function toShape(track: TrackElement, shape: TrackedShape): ShapeElement {
  return {
    id: track.id,
    label_id: track.label_id,
    group: track.group,
    source: track.source,
    attributes: [...track.attributes, ...shape.attributes],
    type: shape.type,
    frame: shape.frame,
    occluded: shape.occluded,
    outside: shape.outside,
    z_order: shape.z_order,
    rotation: shape.rotation,
    points: shape.points,
    score: 1,
  };
}

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
function interpolateCurve(left: readonly number[], right: readonly number[], closed: boolean, ratio: number): number[] {
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
function mix(left: readonly number[], right: readonly number[], ratio: number): number[] {
  return left.map((value, i) => value + ((right[i] ?? value) - value) * ratio);
}

function close(points: readonly number[]): number[] {
  return [...points, ...points.slice(0, 2)];
}

/** Rotates `points` so that they start at the vertex closest to the first one of `model`, relative to the centres. */
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

/** @returns the position of each vertex along the line, from 0 to 1 */
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

/** Both lists ascend. */
function unite(a: readonly number[], b: readonly number[]): number[] {
  const united: number[] = [];
  let before = -Infinity;
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const isFirst = j >= b.length || (i < a.length && (a[i] ?? 0) <= (b[j] ?? 0));
    const next = (isFirst ? a[i++] : b[j++]) ?? 0;
    if (next - before > SAME) united.push(next);
    before = next;
  }
  return united;
}

/** @returns the points of the line at the given ascending positions */
function sample(points: readonly number[], at: readonly number[], stops: readonly number[]): number[] {
  const result: number[] = [];
  let segment = 0;
  for (const stop of stops) {
    while (segment < at.length - 2 && (at[segment + 1] ?? 1) < stop) segment++;
    const [begin, end] = [at[segment] ?? 0, at[segment + 1] ?? 1];
    const ratio = end > begin ? Math.min(1, (stop - begin) / (end - begin)) : 0;
    for (const axis of [0, 1]) {
      const start = points[2 * segment + axis];
      if (start !== undefined) result.push(start + ((points[2 * segment + 2 + axis] ?? start) - start) * ratio);
    }
  }
  return result;
}
