import type { AttributeValue, Shape, Track, TrackedShape } from '../../shared/annotations/model.js';

/** Two neighboring frames that both have boxes. */
export interface BoxPair {
  readonly frame0: number;
  readonly frame1: number;
  readonly boxes0: readonly Shape[];
  readonly boxes1: readonly Shape[];
}

/** Joins the boxes of neighboring frames to tracks, as a reid function matches them. */
export class BoxTracks {
  private readonly pathOf = new Map<Shape, Shape[]>();
  private readonly byFrame = new Map<number, Shape[]>();

  /** @param frames the frames to compare, ascending; boxes on other frames are ignored */
  constructor(
    private readonly frames: readonly number[],
    boxes: readonly Shape[],
  ) {
    const wanted = new Set(frames);
    for (const box of boxes) {
      if (!wanted.has(box.frame)) continue;
      this.byFrame.set(box.frame, [...(this.byFrame.get(box.frame) ?? []), box]);
      this.pathOf.set(box, [box]);
    }
  }

  /** The pairs of frames to compare, ascending. */
  *pairs(): Generator<BoxPair> {
    for (const [at, frame1] of this.frames.entries()) {
      const frame0 = this.frames[at - 1] ?? -1;
      const [boxes0, boxes1] = [this.byFrame.get(frame0), this.byFrame.get(frame1)];
      if (boxes0 !== undefined && boxes1 !== undefined) yield { frame0, frame1, boxes0, boxes1 };
    }
  }

  /** @param matching for each box of the first frame its index in the second, or -1. The first of two claims counts */
  link({ boxes0, boxes1 }: BoxPair, matching: readonly number[]): void {
    const claimed = new Set<number>();
    for (const [at, index] of matching.entries()) {
      const [box, next] = [boxes0[at], boxes1[index]];
      const path = box === undefined ? undefined : this.pathOf.get(box);
      if (path === undefined || next === undefined || claimed.has(index)) continue;
      claimed.add(index);
      path.push(next);
      this.pathOf.set(next, path);
    }
  }

  /** All boxes that become tracks. */
  get boxes(): readonly Shape[] {
    return [...this.pathOf.keys()];
  }

  /**
   * @param stop the last frame: a track that ends earlier gets a hidden shape on the next frame
   * @param isMutable whether an attribute can change within a track
   */
  tracks(stop: number, isMutable: (specId: number) => boolean): Track[] {
    return [...new Set(this.pathOf.values())].map((path) => trackOf(path, stop, isMutable));
  }
}

function trackOf(path: readonly Shape[], stop: number, isMutable: (specId: number) => boolean): Track {
  const [first, last] = [path[0], path.at(-1)];
  if (first === undefined || last === undefined) throw new Error('A track has no boxes');
  const mutable = ({ spec_id: id }: AttributeValue): boolean => isMutable(id);
  const shapes = path.map((box) => keyframeOf(box, box.attributes.filter(mutable)));
  if (last.frame < stop) {
    const hidden = keyframeOf(last, last.attributes.filter(mutable));
    shapes.push({ ...hidden, frame: last.frame + 1, outside: true });
  }
  return {
    id: null,
    label_id: first.label_id,
    group: null,
    source: 'auto',
    attributes: first.attributes.filter((value) => !mutable(value)),
    frame: first.frame,
    shapes,
    elements: [],
  };
}

const keyframeOf = (box: Shape, attributes: AttributeValue[]): TrackedShape => ({
  id: null,
  type: box.type,
  frame: box.frame,
  occluded: box.occluded,
  outside: false,
  z_order: box.z_order,
  rotation: box.rotation,
  points: box.points,
  attributes,
});
