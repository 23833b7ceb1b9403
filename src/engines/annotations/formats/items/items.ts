import { annotatedFrames, type FrameShape } from '../annotated-frames.js';
import {
  type Dataset,
  type DatasetFrame,
  type DatasetTask,
  distinctNames,
  groupedBy,
  imageName,
  subsetFolder,
} from '../dataset.js';
import type { AnnotationSource } from '../format.js';
import { withoutExtension } from '../import-batch.js';
import type { Tag } from '../../../../shared/annotations/model.js';

/** A frame as most formats name it. */
export interface DatasetItem {
  readonly task: DatasetTask;
  readonly frame: DatasetFrame;
  /** Position in the dataset, from 0. */
  readonly index: number;
  readonly subset: string;
  /** Path of the image without extension, such as `a/one`. */
  readonly id: string;
  /** Path of the image with its extension in lower case, such as `a/one.png`, unless another has this path. */
  readonly image: string;
}

/** An item with everything on it: tags, and shapes ordered by z-order, then single shapes before those of tracks. */
export interface AnnotatedItem extends DatasetItem {
  readonly tags: readonly Tag[];
  readonly shapes: readonly FrameShape[];
}

/** The items of a dataset, in order. */
export class DatasetItems {
  readonly all: readonly DatasetItem[];
  private readonly byFrame = new Map<DatasetFrame, DatasetItem>();

  /**
   * @param subsetOf the folder of a task
   * @param named the frame with the name that the format gives it
   */
  constructor(
    { tasks }: Pick<Dataset, 'tasks'>,
    subsetOf: (task: DatasetTask) => string = subsetFolder,
    named: (frame: DatasetFrame) => DatasetFrame = (frame) => frame,
  ) {
    const all: DatasetItem[] = [];
    // A format may put tasks of different subsets into one.
    const renamed = distinctNames(
      tasks.map((task) => ({ ...task, subset: subsetOf(task), frames: task.frames.map(named) })),
      withoutExtension,
    );
    const inLowerCase = new Map<string, number>();
    for (const { subset, frames } of renamed) {
      for (const { name } of frames) {
        const key = `${subset}/${name.toLowerCase()}`;
        inLowerCase.set(key, (inLowerCase.get(key) ?? 0) + 1);
      }
    }
    for (const [at, task] of tasks.entries()) {
      const { subset, frames } = renamed[at] ?? task;
      for (const [place, frame] of task.frames.entries()) {
        const { name } = frames[place] ?? frame;
        const isAlone = inLowerCase.get(`${subset}/${name.toLowerCase()}`) === 1;
        const item = { task, frame, index: all.length, subset, ...namesOf(frames[place] ?? frame, task, isAlone) };
        this.byFrame.set(frame, item);
        all.push(item);
      }
    }
    this.all = all;
  }

  of(frame: DatasetFrame): DatasetItem {
    const item = this.byFrame.get(frame);
    if (item === undefined) throw new Error(`Frame ${frame.frame} is not in the dataset`);
    return item;
  }

  /** In the order in which the subsets first appear. */
  bySubset(): Map<string, DatasetItem[]> {
    return groupedBy(this.all, ({ subset }) => subset);
  }
}

/**
 * The items of a dataset, computed once, because they are needed for every image.
 * @param subsetsOf returns the folder of a task
 * @param named the frame with the name that the format gives it
 */
export function itemsWith(
  subsetsOf: (dataset: Dataset) => (task: DatasetTask) => string = () => subsetFolder,
  named?: (frame: DatasetFrame) => DatasetFrame,
): (dataset: Dataset) => DatasetItems {
  const known = new WeakMap<Dataset, DatasetItems>();
  return (dataset) => {
    const items = known.get(dataset) ?? new DatasetItems(dataset, subsetsOf(dataset), named);
    known.set(dataset, items);
    return items;
  };
}

/** The part of a dataset that belongs to a subset. */
export interface SubsetPart {
  readonly subset: string;
  readonly dataset: Dataset;
  readonly items: readonly DatasetItem[];
}

/** The parts of a dataset, for formats that have a file for each subset: files are written one after the other. */
export function subsetParts(dataset: Dataset, items: DatasetItems): SubsetPart[] {
  return Array.from(items.bySubset(), ([subset, members]) => {
    const tasks = new Set(members.map(({ task }) => task));
    return { subset, items: members, dataset: { ...dataset, tasks: dataset.tasks.filter((task) => tasks.has(task)) } };
  });
}

/** @param isAlone whether no other name differs only in upper and lower case */
function namesOf(frame: DatasetFrame, task: DatasetTask, isAlone: boolean): Pick<DatasetItem, 'id' | 'image'> {
  const name = imageName(frame, task);
  const id = withoutExtension(name);
  return { id, image: isAlone ? id + name.slice(id.length).toLowerCase() : name };
}

/**
 * Yields the items with their annotations. Coordinates have two decimals, except those of masks. The annotations of one
 * frame, and the tags and tracks of one task, are held in memory.
 */
export async function* annotatedItems(
  dataset: Dataset,
  source: AnnotationSource,
  items: DatasetItems,
): AsyncGenerator<AnnotatedItem> {
  let tags: readonly Tag[] = [];
  let shapes: FrameShape[] = [];
  for await (const part of annotatedFrames(dataset, source)) {
    if (part.first) [tags, shapes] = [part.tags, []];
    for (const shape of part.shapes) shapes.push(rounded(shape));
    if (!part.last) continue;
    shapes.sort((a, b) => a.z_order - b.z_order);
    yield { ...items.of(part.frame), tags, shapes };
  }
}

function rounded(shape: FrameShape): FrameShape {
  if (shape.type !== 'mask') shape.points = shape.points.map(twoDecimals);
  for (const element of shape.elements) element.points = element.points.map(twoDecimals);
  return shape;
}

/** Rounds to two decimals; adding 0 turns -0 into 0. */
export const twoDecimals = (value: number): number => Math.round(value * 100) / 100 + 0;

/** The shortest decimal with at least one digit after the point: `5.0`, `12.67`. */
export const decimalText = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));

/** The smallest box around points: left, top, right, bottom. */
export function boundsOf(points: readonly number[]): [number, number, number, number] {
  const bounds: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x = 0, y = 0] = [points[at], points[at + 1]];
    bounds[0] = Math.min(bounds[0], x);
    bounds[1] = Math.min(bounds[1], y);
    bounds[2] = Math.max(bounds[2], x);
    bounds[3] = Math.max(bounds[3], y);
  }
  return bounds;
}

/** Corners of a rectangle after its rotation about the centre: top left, top right, bottom right, bottom left. */
export function cornersOf({ points, rotation }: Pick<FrameShape, 'points' | 'rotation'>): number[] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points;
  const [cx, cy, angle] = [(x1 + x2) / 2, (y1 + y2) / 2, (rotation * Math.PI) / 180];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [x1, y1, x2, y1, x2, y2, x1, y2].map((_, at, all) => {
    const [dx, dy] = [(all[at - (at % 2)] ?? 0) - cx, (all[at - (at % 2) + 1] ?? 0) - cy];
    return at % 2 === 0 ? cx + dx * cos - dy * sin : cy + dx * sin + dy * cos;
  });
}
