import { interpolateCurve, mix } from './curve.js';
import type { Shape, ShapeElement, Track, TrackedShape, TrackElement } from './model.js';

/**
 * The keyframes of a track, sorted, with the shape in between. Where two keyframes share a frame the later one of the
 * list counts. Attributes are those of the keyframe before: complete the track first if keyframes inherit.
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

  private indexAfter(frame: number): number {
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
  // A hidden object does not move; a visible one moves on towards the place where it disappears.
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
      // Several points have no order that says which one moved where.
      return left.points.length === 2 && right.points.length === 2
        ? mix(left.points, right.points, ratio)
        : [...left.points];
    case 'mask':
      return [...left.points];
    case 'rectangle':
    case 'ellipse':
    case 'cuboid':
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

/** A track and its elements, ready to be asked for many frames. */
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

/** Looks at a track as single shapes, one per frame on which it is visible, see {@link TrackFrames.at}. */
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
