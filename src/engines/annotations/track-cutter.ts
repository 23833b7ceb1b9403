import { Keyframes } from '../../shared/annotations/interpolate.js';
import type { AttributeValue, Track, TrackedShape, TrackElement } from '../../shared/annotations/model.js';

/**
 * Cuts a track to the frames start..stop (inclusive) without changing it there. Where interpolation crosses a border,
 * an interpolated keyframe without id, marked `keyframe`, is added. Kept keyframes keep their ids.
 * @returns a new track, or undefined if no part of it is visible there
 */
export function sliceTrack(track: Track, start: number, stop: number): Track | undefined {
  const cutter = new TrackCutter(track);
  const visible = cutter.visibleFrom(start);
  return visible === undefined || visible > stop ? undefined : cutter.cut(start, stop);
}

/** A track that is cut many times: each part takes time by its own length. */
export class TrackCutter {
  private readonly own: ElementCutter<Track>;
  private readonly elements: readonly ElementCutter<TrackElement>[];

  constructor(track: Track) {
    this.own = new ElementCutter(track);
    this.elements = track.elements.map((element) => new ElementCutter(element));
  }

  /** @returns the first frame from this one on at which the track is visible; undefined if there is none */
  visibleFrom(frame: number): number | undefined {
    return this.own.visibleFrom(frame);
  }

  /** See {@link sliceTrack}; the track must be visible there. */
  cut(start: number, stop: number): Track {
    return { ...this.own.cut(start, stop), elements: this.elements.map((element) => element.cut(start, stop)) };
  }
}

class ElementCutter<T extends TrackElement> {
  private readonly keyframes: Keyframes;
  /** By the position of a keyframe: that of the next one, from itself on, that is not hidden. */
  private readonly visible: Int32Array;
  private inheritance: Inheritance | undefined;

  constructor(private readonly element: T) {
    this.keyframes = new Keyframes(element.shapes);
    const { shapes } = this.keyframes;
    this.visible = new Int32Array(shapes.length + 1).fill(shapes.length);
    for (let at = shapes.length - 1; at >= 0; at--)
      this.visible[at] = shapes[at]?.outside === true ? (this.visible[at + 1] ?? 0) : at;
  }

  visibleFrom(frame: number): number | undefined {
    const next = this.keyframes.indexAfter(frame);
    if (this.keyframes.shapes[next - 1]?.outside === false) return frame;
    return this.keyframes.shapes[this.visible[next] ?? -1]?.frame;
  }

  cut(start: number, stop: number): T {
    const { keyframes } = this;
    const inside = keyframes.shapes.slice(keyframes.indexAfter(start - 1), keyframes.indexAfter(stop));
    const shapes = inside.map((shape) => ({ ...shape }));
    const opening = this.border(start);
    if (opening !== undefined) shapes.unshift(opening);
    const closing = keyframes.after(stop) === undefined || start === stop ? undefined : this.border(stop);
    if (closing !== undefined && !closing.outside) shapes.push(closing);
    if (shapes.length === 0) shapes.push(...this.hidden(start));
    const first = shapes[0];
    // Keep attributes inherited from keyframes that are cut off.
    if (first !== undefined && keyframes.before(start - 1) !== undefined)
      first.attributes = this.inherited(first.frame);
    return { ...this.element, frame: first?.frame ?? start, shapes };
  }

  /** @returns the keyframe to add on a border, unless there is one or the track has not begun */
  private border(frame: number): TrackedShape | undefined {
    const before = this.keyframes.before(frame);
    const shape = this.keyframes.at(frame);
    if (before === undefined || shape === undefined || before.frame === frame) return undefined;
    return { ...shape, attributes: this.inherited(frame), keyframe: true };
  }

  /** Hides an element of a skeleton until its first keyframe, so that the skeleton stays complete. */
  private hidden(frame: number): TrackedShape[] {
    const first = this.keyframes.shapes[0];
    return first === undefined ? [] : [{ ...first, id: null, frame, outside: true, keyframe: true }];
  }

  private inherited(frame: number): AttributeValue[] {
    this.inheritance ??= new Inheritance(this.keyframes.shapes);
    return this.inheritance.at(frame);
  }
}

/** The attribute values that apply on a frame: each from the last keyframe that sets it. */
class Inheritance {
  private readonly bySpec = new Map<number, { readonly frames: number[]; readonly values: AttributeValue[] }>();

  constructor(shapes: readonly TrackedShape[]) {
    for (const { frame, attributes } of shapes) {
      for (const attribute of attributes) {
        const known = this.bySpec.get(attribute.spec_id) ?? { frames: [], values: [] };
        this.bySpec.set(attribute.spec_id, known);
        known.frames.push(frame);
        known.values.push(attribute);
      }
    }
  }

  at(frame: number): AttributeValue[] {
    const found: AttributeValue[] = [];
    for (const { frames, values } of this.bySpec.values()) {
      let [low, high] = [0, frames.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((frames[middle] ?? Infinity) <= frame) low = middle + 1;
        else high = middle;
      }
      const value = values[low - 1];
      if (value !== undefined) found.push(value);
    }
    return found;
  }
}
