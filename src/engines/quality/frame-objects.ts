import { completeShape, completeTrack, withDefaults } from '../annotations/complete.js';
import { LabelIndex, type LabelSpec } from '../annotations/labels.js';
import { finish, mapSteps, type Steps } from '../concurrency/steps.js';
import { TrackFrames } from '../../shared/annotations/interpolate.js';
import type {
  AttributeValue,
  LabeledData,
  Shape,
  ShapeElement,
  ShapeType,
  Tag,
  Track,
} from '../../shared/annotations/model.js';

/** Of a task or project, sublabels included. */
export interface QualityLabel extends LabelSpec {
  readonly name: string;
}

/** One annotation in one frame. */
export interface FrameObject {
  /** Of the tag or shape; of the track if it comes from one. */
  readonly id: number;
  readonly jobId: number;
  readonly type: 'tag' | 'shape' | 'track';
  readonly kind: 'tag' | ShapeType;
  readonly labelId: number;
  /** 0 if it is in no group. */
  readonly group: number;
  readonly zOrder: number;
  readonly occluded: boolean;
  /** Degrees clockwise. */
  readonly rotation: number;
  /** With two decimals, see points-layout of annotations. */
  readonly points: readonly number[];
  /** Of a skeleton, those that are outside included. */
  readonly elements: readonly ShapeElement[];
  /** Complete: defaults are filled in. */
  readonly attributes: readonly AttributeValue[];
  /** Whether a track has a keyframe here. */
  readonly keyframe?: boolean;
}

/** Width and height of a frame in pixels. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** A track that can be visible from the frame `start` to before `end`. */
interface PreparedTrack {
  readonly id: number | null;
  readonly frames: TrackFrames;
  readonly keyframes: ReadonlySet<number>;
  readonly start: number;
  readonly end: number;
}

/** The annotations of a job, frame by frame. Objects are created when a frame is asked for. */
export class JobFrames {
  private readonly tags = new Map<number, Tag[]>();
  private readonly shapes = new Map<number, Shape[]>();
  private readonly tracks: PreparedTrack[] = [];
  private readonly labels: LabelIndex;

  /** @param data see `add` */
  constructor(
    private readonly jobId: number,
    data: Pick<LabeledData, 'tags' | 'shapes' | 'tracks'>,
    labels: readonly LabelSpec[],
  ) {
    this.labels = new LabelIndex(labels);
    this.add(data);
  }

  /** Adds annotations, in any order. @param data becomes the property of this object, which completes it in place */
  add({ tags = [], shapes = [], tracks = [] }: Partial<Pick<LabeledData, 'tags' | 'shapes' | 'tracks'>>): void {
    addByFrame(this.tags, tags);
    addByFrame(this.shapes, shapes);
    for (const track of tracks) this.tracks.push(prepared(track, this.labels));
    if (tracks.length > 0) this.tracks.sort(byId);
  }

  /**
   * @returns tags, then shapes by z-order; within one z-order single shapes come before those of tracks, both by id. The
   * order decides between equally good pairs. Cuboids, hidden shapes of tracks, and skeletons without visible or occluded
   * elements are left out
   */
  at(frame: number): FrameObject[] {
    return finish(this.steps(frame));
  }

  /** The same in steps. */
  *steps(frame: number): Steps<FrameObject[]> {
    const tags = (this.tags.get(frame) ?? []).toSorted(byId).map((tag) => this.tagObject(tag));
    const single = (this.shapes.get(frame) ?? []).toSorted(byId).filter(isCompared);
    const shapes = yield* mapSteps(single, (shape) => {
      completeShape(shape, this.labels);
      return this.shapeObject(shape);
    });
    for (const { frames, keyframes, start, end } of this.tracks) {
      if (frame < start || frame >= end) continue;
      yield;
      const shape = frames.at(frame);
      if (shape === undefined || shape.outside || !isCompared(shape)) continue;
      shapes.push({ ...this.shapeObject(shape), type: 'track', keyframe: keyframes.has(frame) });
    }
    return [...tags, ...shapes.sort((a, b) => a.zOrder - b.zOrder)];
  }

  private tagObject(tag: Tag): FrameObject {
    return {
      id: tag.id ?? 0,
      jobId: this.jobId,
      type: 'tag',
      kind: 'tag',
      labelId: tag.label_id,
      group: tag.group ?? 0,
      zOrder: 0,
      occluded: false,
      rotation: 0,
      points: [],
      elements: [],
      attributes: withDefaults(tag.attributes, this.labels.defaults(tag.label_id, 'all')),
    };
  }

  private shapeObject(shape: Shape): FrameObject {
    return {
      id: shape.id ?? 0,
      jobId: this.jobId,
      type: 'shape',
      kind: shape.type,
      labelId: shape.label_id,
      group: shape.group ?? 0,
      zOrder: shape.z_order,
      occluded: shape.occluded,
      rotation: shape.rotation,
      points: rounded(shape.points),
      elements: shape.elements.map((element) => ({ ...element, points: rounded(element.points) })),
      attributes: shape.attributes,
    };
  }
}

function prepared(track: Track, labels: LabelIndex): PreparedTrack {
  completeTrack(track, labels);
  const frames = new TrackFrames(track);
  const [first, last] = [track.shapes[0], track.shapes.at(-1)];
  const end = last?.outside === true ? last.frame : Infinity;
  return {
    id: track.id,
    frames,
    keyframes: new Set(frames.keyframeNumbers()),
    start: first?.frame ?? Infinity,
    end,
  };
}

const byId = (a: { readonly id: number | null }, b: { readonly id: number | null }): number =>
  (a.id ?? 0) - (b.id ?? 0);

function addByFrame<T extends { readonly frame: number }>(frames: Map<number, T[]>, items: readonly T[]): void {
  for (const item of items) {
    const known = frames.get(item.frame);
    if (known === undefined) frames.set(item.frame, [item]);
    else known.push(item);
  }
}

const isCompared = ({ type, elements }: Pick<Shape, 'type' | 'elements'>): boolean =>
  type !== 'cuboid' && (type !== 'skeleton' || elements.some(({ outside }) => !outside));

/** Coordinates with two decimals; halves go to the even neighbour, as in numpy's `around`. */
export function rounded(points: number[]): number[] {
  return points.every((value) => Number.isInteger(value)) ? points : points.map(round);
}

function round(value: number): number {
  const scaled = value * 100;
  const floor = Math.floor(scaled);
  const isUp = scaled - floor === 0.5 ? floor % 2 !== 0 : scaled - floor > 0.5;
  return (isUp ? floor + 1 : floor) / 100;
}
