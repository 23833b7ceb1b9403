import type { AttributeSpec, LabelSpec } from '../labels.js';

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

const DEFAULT_SUBSET = 'default';

/** The file name of a frame's image. Frames of videos are exported as PNG. */
export const imageName = (frame: DatasetFrame, task: DatasetTask, videoExtension = 'png'): string =>
  task.video === null ? frame.name : `${frame.name}.${videoExtension}`;

/** The name that formats use for the subset of a task. */
export const subsetName = (task: DatasetTask): string => task.subset || DEFAULT_SUBSET;

/** The subset name as one path segment, because a subset can have any name. */
export const subsetFolder = (task: DatasetTask): string =>
  subsetName(task)
    .replaceAll(/[/\\\p{Cc}]/gu, '_')
    .replace(/^\.+$/, DEFAULT_SUBSET);

/** Groups tasks by `nameOf`, in the order in which the names first appear. */
export function tasksBy(
  nameOf: (task: DatasetTask) => string,
  tasks: readonly DatasetTask[],
): Map<string, DatasetTask[]> {
  const groups = new Map<string, DatasetTask[]>();
  for (const task of tasks) {
    const name = nameOf(task);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, [task]);
    else known.push(task);
  }
  return groups;
}

/** Moves frames into a folder named after their task if another task of the same subset has a frame of this name. */
export function distinctNames(tasks: readonly DatasetTask[]): DatasetTask[] {
  const taken = new Set<string>();
  return tasks.map((task) => ({
    ...task,
    frames: task.frames.map((frame) => {
      const name = freeName(frame.name, task, taken);
      taken.add(key(task, name));
      return name === frame.name ? frame : { ...frame, name };
    }),
  }));
}

function freeName(name: string, task: DatasetTask, taken: ReadonlySet<string>): string {
  let free = name;
  while (taken.has(key(task, free))) free = `task_${task.id}/${free}`;
  return free;
}

const key = (task: DatasetTask, name: string): string => `${subsetFolder(task)}/${name}`;
