import { isPointCloud } from '../../../shared/media-kind.js';
import type { AttributeSpec, LabelSpec } from '../labels.js';
import { FreeNumbers } from './free-numbers.js';

/** What a dataset file says about the source of its annotations. All of it fits in memory. */
export interface DatasetHeader {
  id: number;
  name: string;
  bugTracker: string;
  created: Date;
  updated: Date;
  owner: DatasetUser | null;
  assignee: DatasetUser | null;
}

export interface DatasetUser {
  username: string;
  email: string;
}

export interface DatasetAttribute extends AttributeSpec {
  name: string;
}

/** A label. The elements of a skeleton are labels with a `parentId` in the same list. */
export interface DatasetLabel extends LabelSpec {
  name: string;
  /** Format: `#2080c0`. */
  color: string;
  attributes: readonly DatasetAttribute[];
  /** Drawing of a skeleton, otherwise empty. */
  svg: string;
}

export interface DatasetFrame {
  /** Frame number in the task, as in `frame` of annotations. */
  frame: number;
  /** Frame number in the source: start frame + frame * step of the task. */
  number: number;
  /**
   * Path of the image, separated by `/`. Frames of one subset have different names, see {@link distinctNames}. Frames
   * of a video have no extension, see {@link imageName}.
   */
  name: string;
  width: number;
  height: number;
  /** Paths of the context images, sorted; absent if there are none. */
  related?: readonly string[];
}

/** Frame numbers are those of the task; the range is inclusive. */
export interface DatasetSegment {
  id: number;
  start: number;
  stop: number;
  /** URL of its job. */
  url: string;
}

export interface DatasetTask extends DatasetHeader {
  size: number;
  mode: 'annotation' | 'interpolation';
  overlap: number;
  /** Empty if the task has no subset. */
  subset: string;
  startFrame: number;
  stopFrame: number;
  frameFilter: string;
  segments: readonly DatasetSegment[];
  /** File name of the video that the frames come from, otherwise null. */
  video: string | null;
  /** The frames to write, ascending: those of the task or job that are not deleted. */
  frames: readonly DatasetFrame[];
}

/**
 * The object to export. For a task, the header is that of the task itself. For a job, `id`, `assignee` and dates are
 * the job's and the rest is the task's, and the only task in the list has the frames and the segment of the job.
 */
export interface Dataset extends DatasetHeader {
  kind: 'task' | 'job' | 'project';
  labels: readonly DatasetLabel[];
  tasks: readonly DatasetTask[];
  /** The time of the export. */
  dumped: Date;
}

/** Whether the frames are point clouds; undefined if there are none. */
export function dimensionOf({ tasks }: Pick<Dataset, 'tasks'>): '2d' | '3d' | undefined {
  const frames = tasks.map((task) => task.frames[0]).filter((frame) => frame !== undefined);
  if (frames.length === 0) return undefined;
  return frames.some(({ name }) => isPointCloud(name)) ? '3d' : '2d';
}

const DEFAULT_SUBSET = 'default';

/** The file name of a frame's image. Frames of videos are exported as PNG. */
export const imageName = (frame: DatasetFrame, task: DatasetTask, videoExtension = 'png'): string =>
  task.video === null ? frame.name : `${frame.name}.${videoExtension}`;

/** The name that formats use for the subset of a task. */
export const subsetName = (task: DatasetTask): string => task.subset || DEFAULT_SUBSET;

/** A name as one path segment, because labels and subsets can have any name. @param other for names that are only dots */
export const folderName = (name: string, other = '_'): string =>
  name.replaceAll(/[/\\\p{Cc}]/gu, '_').replace(/^\.+$/, other);

/** The subset name as one path segment. */
export const subsetFolder = (task: DatasetTask): string => folderName(subsetName(task), DEFAULT_SUBSET);

/**
 * Subset names of formats that have no tasks without a subset: these go to `train`, or to the subset that has this name
 * in other letter case.
 */
export function trainSubsets(tasks: readonly DatasetTask[]): (task: DatasetTask) => string {
  const train = tasks.map(subsetFolder).find((subset) => subset.toLowerCase() === 'train') ?? 'train';
  return (task) => (task.subset === '' ? train : subsetFolder(task));
}

/** Groups values by `keyOf`, in the order in which the keys first appear. */
export function groupedBy<Value, Key>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [value]);
    else known.push(value);
  }
  return groups;
}

/**
 * Gives frames of one subset different names: the second one of a name gets `_1` before its extension, the next one
 * `_2`. Frames of videos are numbered on from one task to the next.
 * @param idOf what a format keeps of a name; frames of different tasks get different ones. Those of one task keep their
 *   names, by which an import finds them
 */
export function distinctNames(
  tasks: readonly DatasetTask[],
  idOf: (name: string) => string = (name) => name,
): DatasetTask[] {
  const taken = new Set<string>();
  const ids = new Set<string>();
  const nextNumber = new Map<string, number>();
  const numbersIn = new Map<string, FreeNumbers>();
  return tasks.map((task) => {
    const subset = subsetFolder(task);
    const numbers = numbersIn.get(subset) ?? new FreeNumbers();
    numbersIn.set(subset, numbers);
    const offset = task.video === null ? 0 : (nextNumber.get(subset) ?? 0);
    if (task.video !== null) nextNumber.set(subset, offset + (task.frames.at(-1)?.number ?? -1) + 1);
    const frames = task.frames.map((frame) => {
      const wanted = offset === 0 ? frame.name : videoFrameName(frame.number + offset);
      const name = freeName(
        wanted,
        numbers,
        (each) => taken.has(`${subset}/${each}`) || ids.has(`${subset}/${idOf(each)}`),
      );
      taken.add(`${subset}/${name}`);
      return name === frame.name ? frame : { ...frame, name };
    });
    for (const { name } of frames) ids.add(`${subset}/${idOf(name)}`);
    return { ...task, frames };
  });
}

/** The name of a frame of a video, without extension. @param number in the video */
export const videoFrameName = (number: number): string => `frame_${String(number).padStart(6, '0')}`;

function freeName(name: string, numbers: FreeNumbers, isTaken: (name: string) => boolean): string {
  const extension = /(?<=[^/])\.[a-z][a-z0-9]{1,4}$/i.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - extension.length);
  let free = name;
  while (isTaken(free)) free = `${stem}_${numbers.take(name, 1)}${extension}`;
  return free;
}
