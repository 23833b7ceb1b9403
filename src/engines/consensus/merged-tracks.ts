import type {
  AttributeValue,
  ShapeElement,
  Track,
  TrackedShape,
  TrackElement,
} from '../../shared/annotations/model.js';
import type { LabelIndex } from '../annotations/labels.js';
import type { FrameObject } from '../quality/frame-objects.js';
import type { MergedObject } from './merge.js';

/** A shape of a track that was taken in a frame. */
interface Taken {
  readonly frame: number;
  /** The position of the frame among those that were merged: a gap in it ends the track. */
  readonly position: number;
  readonly object: MergedObject;
}

/**
 * Makes tracks of the shapes that stem from tracks: one for each track of a replica, where its shape was taken. Between
 * keyframes of the source, shapes stay interpolated. If an object is tracked by several replicas, their tracks may take
 * turns.
 */
export class MergedTracks {
  private readonly taken = new Map<string, Taken[]>();
  private readonly frames: number[] = [];

  constructor(private readonly labels: LabelIndex) {}

  /** @param frame ascending, each frame of the job once */
  add(frame: number, objects: readonly MergedObject[]): void {
    const position = this.frames.length;
    this.frames.push(frame);
    for (const object of objects) {
      const key = `${object.member.jobId} ${object.member.id}`;
      const known = this.taken.get(key);
      const shape = { frame, position, object };
      if (known === undefined) this.taken.set(key, [shape]);
      else known.push(shape);
    }
  }

  tracks(): Track[] {
    return [...this.taken.values()].map((taken) => this.toTrack(taken));
  }

  private toTrack(taken: readonly Taken[]): Track {
    const [first, last] = [taken[0], taken.at(-1)];
    if (first === undefined || last === undefined) throw new Error('A merged track has a shape');
    const { member } = last.object;
    const keyframes = this.keyframes(taken);
    return {
      id: null,
      label_id: member.labelId,
      frame: first.frame,
      group: first.object.group,
      source: 'consensus',
      attributes: this.withScope(member.labelId, member.attributes, 'immutable'),
      shapes: keyframes.map(({ shape, isOutside }) => this.trackedShape(shape, isOutside)),
      elements: this.elements(member, keyframes),
    };
  }

  /**
   * The first and the last frame without a gap between them, keyframes of the source, and a hidden shape after each last
   * frame, unless the job ends there.
   */
  private keyframes(taken: readonly Taken[]): { shape: Taken; isOutside: boolean }[] {
    return taken.flatMap((shape, at) => {
      const isFirst = taken[at - 1]?.position !== shape.position - 1;
      const isLast = taken[at + 1]?.position !== shape.position + 1;
      const next = isLast ? this.frames[shape.position + 1] : undefined;
      const isKeyframe = isFirst || next !== undefined || shape.object.member.keyframe === true;
      return [
        ...(isKeyframe ? [{ shape, isOutside: false }] : []),
        ...(next === undefined ? [] : [{ shape: { ...shape, frame: next }, isOutside: true }]),
      ];
    });
  }

  private trackedShape({ frame, object: { member, zOrder } }: Taken, isOutside: boolean): TrackedShape {
    return {
      id: null,
      type: member.kind === 'tag' ? 'rectangle' : member.kind,
      frame,
      occluded: member.occluded,
      outside: isOutside,
      z_order: zOrder,
      rotation: member.rotation,
      points: [...member.points],
      attributes: this.withScope(member.labelId, member.attributes, 'mutable'),
    };
  }

  private elements(last: FrameObject, keyframes: readonly { shape: Taken; isOutside: boolean }[]): TrackElement[] {
    const byLabel = keyframes.map(
      ({ shape }) => new Map(shape.object.member.elements.toReversed().map((element) => [element.label_id, element])),
    );
    return last.elements.map(({ label_id: label, attributes }) => {
      const shapes = keyframes.flatMap(({ shape, isOutside }, at) => {
        const element = byLabel[at]?.get(label);
        return element === undefined ? [] : [this.elementShape(element, shape.frame, isOutside)];
      });
      return {
        id: null,
        label_id: label,
        frame: shapes[0]?.frame ?? 0,
        group: 0,
        source: 'file',
        attributes: this.withScope(label, attributes, 'immutable'),
        shapes,
      };
    });
  }

  private elementShape(element: ShapeElement, frame: number, isOutside: boolean): TrackedShape {
    const { type, occluded, z_order, rotation, points } = element;
    return {
      id: null,
      type,
      frame,
      occluded,
      outside: isOutside || element.outside,
      z_order,
      rotation,
      points: [...points],
      attributes: this.withScope(element.label_id, element.attributes, 'mutable'),
    };
  }

  private withScope(
    label: number,
    attributes: readonly AttributeValue[],
    scope: 'mutable' | 'immutable',
  ): AttributeValue[] {
    return attributes.filter(({ spec_id: spec }) => this.labels.allows(label, spec, scope));
  }
}
