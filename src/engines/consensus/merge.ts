import type { AttributeValue, Shape, Tag, Track } from '../../shared/annotations/model.js';
import type { LabelSpec } from '../annotations/labels.js';
import { mapSteps, type Steps } from '../concurrency/steps.js';
import { LabelIndex } from '../annotations/labels.js';
import { maskBitmap } from '../annotations/rasterize.js';
import { maskPointsOf } from '../annotations/run-bitmap.js';
import { sublabelsOf } from '../quality/similarity.js';
import type { FrameObject, FrameSize } from '../quality/frame-objects.js';
import { type Cluster, clustersOf, representative } from './clusters.js';
import { MergedTracks } from './merged-tracks.js';
import { type PairOptions, type ReplicatedFrame, similarityOf } from './pairs.js';

export interface MergeSettings {
  /** The lowest similarity of two shapes that are the same object, 0..1. */
  readonly iou_threshold: number;
  /** The share of replicas that must have an object, 0..1. With 0, everything is kept. */
  readonly quorum: number;
}

/** The annotations of one frame in every replica that takes part, in the order of their job ids. */
export interface MergedFrame extends ReplicatedFrame {
  readonly frame: number;
}

/** A member of a cluster that goes into the result. */
export interface MergedObject {
  readonly member: FrameObject;
  readonly cluster: Cluster;
  /** The largest z-order of the cluster. */
  readonly zOrder: number;
  readonly group: number;
}

/**
 * Merges the replicas of one job, frame by frame. Nothing is averaged: the result consists of unchanged annotations, each
 * standing for a cluster of similar ones with the same label that at least the quorum of replicas has.
 */
export class ReplicaMerge {
  private readonly options: PairOptions;
  private readonly labels: LabelIndex;
  private readonly merged: MergedTracks;
  /** The number of replicas that must have an object. */
  private readonly needed: number;

  /**
   * @param replicas the number of replicas that take part
   * @param labels of the task, sublabels included
   */
  constructor(settings: MergeSettings, replicas: number, labels: readonly LabelSpec[]) {
    this.options = { iouThreshold: settings.iou_threshold, sublabels: sublabelsOf(labels) };
    this.labels = new LabelIndex(labels);
    this.merged = new MergedTracks(this.labels);
    this.needed = Math.ceil(settings.quorum * replicas);
  }

  /**
   * @param frame frames must ascend; leave out deleted ones, but not those without annotations
   * @returns the tags and single shapes of the frame; ids are null
   */
  *frame(frame: MergedFrame): Steps<{ tags: Tag[]; shapes: Shape[] }> {
    const similarity = similarityOf(frame, this.options);
    const kept: { member: FrameObject; cluster: Cluster }[] = [];
    for (const replicas of shapesByKind(frame.replicas)) {
      for (const cluster of yield* clustersOf(replicas, this.options.iouThreshold, similarity)) {
        yield;
        const member = cluster.length < this.needed ? undefined : representative(cluster, similarity, frame.size);
        if (member !== undefined) kept.push({ member, cluster });
      }
    }
    const groups = yield* groupsOf(kept.map(({ cluster }) => cluster));
    const objects = kept.map(({ member, cluster }, at): MergedObject => {
      const zOrder = Math.max(...cluster.map((each) => each.zOrder));
      return { member, cluster, zOrder, group: groups[at] ?? 0 };
    });
    const ofTracks = objects.filter(({ member }) => member.type === 'track');
    this.merged.add(frame.frame, ofTracks);
    const single = objects.filter(({ member }) => member.type === 'shape');
    const shapes = yield* mapSteps(single, (object) => toShape(object, frame));
    return { tags: this.tags(frame), shapes };
  }

  /** @returns the tracks, after the last frame */
  tracks(): Track[] {
    return this.merged.tracks();
  }

  /** One tag for every label with enough votes. As in CVAT, only the first one has attributes that were voted for. */
  private tags({ frame, replicas }: MergedFrame): Tag[] {
    const byLabel = new Map<number, FrameObject[]>();
    for (const object of replicas.flat()) {
      const known = byLabel.get(object.labelId);
      if (object.kind !== 'tag') continue;
      if (known === undefined) byLabel.set(object.labelId, [object]);
      else known.push(object);
    }
    const kept = [...byLabel].filter(([, tags]) => tags.length >= this.needed);
    return kept.map(([label, tags], at) => ({
      id: null,
      label_id: label,
      frame,
      group: 0,
      source: 'file',
      attributes: this.labels
        .defaults(label, 'all')
        .map((value) => (at === 0 ? this.elected(value, tags) : { ...value })),
    }));
  }

  /** The value with the most votes, if there are enough of them, otherwise the default. */
  private elected({ spec_id: spec, value: byDefault }: AttributeValue, tags: readonly FrameObject[]): AttributeValue {
    const votes = new Map<string, number>();
    for (const { attributes } of tags) {
      const value = attributes.find(({ spec_id: id }) => id === spec)?.value ?? byDefault;
      votes.set(value, (votes.get(value) ?? 0) + 1);
    }
    const [value = byDefault, count = 0] = [...votes].toSorted(([, a], [, b]) => b - a)[0] ?? [];
    return { spec_id: spec, value: count >= this.needed ? value : byDefault };
  }
}

/** Shapes by type, in the order in which the types first occur; for each type a list for every replica. */
function shapesByKind(replicas: ReplicatedFrame['replicas']): FrameObject[][][] {
  const kinds = new Map<string, FrameObject[][]>();
  replicas.forEach((objects, at) => {
    for (const object of objects) {
      if (object.kind === 'tag') continue;
      const known = kinds.get(object.kind) ?? replicas.map(() => []);
      known[at]?.push(object);
      kinds.set(object.kind, known);
    }
  });
  return [...kinds.values()];
}

/**
 * Groups of clusters in one frame: clusters are in one group if members of them have a group number in common, whatever
 * replica it comes from. No group counts as a number once another member of the cluster has one.
 * @returns the group of each cluster, from 1; 0 for clusters that are alone
 */
function* groupsOf(clusters: readonly Cluster[]): Steps<number[]> {
  const numbers = clusters.map((cluster) => {
    const groups = new Set(cluster.map(({ group }) => group));
    return groups.size === 1 && groups.has(0) ? [] : [...groups];
  });
  const sameAs = new Map<number, number>();
  const rootOf = (number: number): number => {
    let root = number;
    for (let next = sameAs.get(root); next !== undefined; next = sameAs.get(root)) root = next;
    if (root !== number) sameAs.set(number, root);
    return root;
  };
  for (const [first, ...others] of numbers) {
    yield;
    if (first === undefined) continue;
    for (const other of others) {
      const [one, two] = [rootOf(first), rootOf(other)];
      if (one !== two) sameAs.set(two, one);
    }
  }
  const sets = new Map<number, number[]>();
  for (const [at, [first]] of numbers.entries()) {
    if (first === undefined) continue;
    const known = sets.get(rootOf(first));
    if (known === undefined) sets.set(rootOf(first), [at]);
    else known.push(at);
  }
  const groups = clusters.map(() => 0);
  let last = 0;
  for (const members of sets.values()) {
    if (members.length < 2) continue;
    last += 1;
    for (const cluster of members) groups[cluster] = last;
  }
  return groups;
}

function toShape({ member, zOrder, group }: MergedObject, { frame, size }: MergedFrame): Shape {
  return {
    id: null,
    label_id: member.labelId,
    type: member.kind === 'tag' ? 'rectangle' : member.kind,
    frame,
    group,
    source: 'consensus',
    occluded: member.occluded,
    outside: false,
    z_order: zOrder,
    rotation: member.rotation,
    score: 1,
    points: member.kind === 'mask' ? trimmedMask(member.points, size) : [...member.points],
    attributes: [...member.attributes],
    elements: member.elements.map((element) => ({ ...element, id: null, frame, group: 0, source: 'file' })),
  };
}

/** A mask within the image, in the smallest box, as CVAT stores merged masks. */
function trimmedMask(points: readonly number[], size: FrameSize): number[] {
  const mask = maskBitmap(points, size);
  return mask === undefined ? [...points] : maskPointsOf(mask);
}
