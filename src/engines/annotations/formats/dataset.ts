import type { AttributeSpec, LabelSpec } from '../labels.js';

/** What a file in a dataset format says about where its annotations come from. All of it fits in memory. */
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

/** A label; the elements of a skeleton are labels with a `parentId` and stand in the same list. */
export interface DatasetLabel extends LabelSpec {
  name: string;
  /** As `#2080c0`. */
  color: string;
  attributes: readonly DatasetAttribute[];
  /** Picture of a skeleton, else empty. */
  svg: string;
}

export interface DatasetFrame {
  /** Number within the task: the `frame` of annotations. */
  frame: number;
  /** Number in the source: start frame + frame * step of the task. */
  number: number;
  /**
   * Path of the image with `/`; frames of one subset have different names, see {@link distinctNames}. Frames of a video
   * have no extension, see {@link imageName}.
   */
  name: string;
  width: number;
  height: number;
}

/** Frames are numbers of the task, inclusive. */
export interface DatasetSegment {
  id: number;
  start: number;
  stop: number;
  /** Address of its job. */
  url: string;
}

export interface DatasetTask extends DatasetHeader {
  size: number;
  mode: 'annotation' | 'interpolation';
  overlap: number;
  /** Empty for none. */
  subset: string;
  startFrame: number;
  stopFrame: number;
  frameFilter: string;
  segments: readonly DatasetSegment[];
  /** File name of the video that the frames come from, if they do. */
  video: string | null;
  /** The frames to write, ascending: those of the task or job that are not deleted. */
  frames: readonly DatasetFrame[];
}

/**
 * What is exported. For a task its own header stands here, too; for a job `id`, `assignee` and dates are the job's,
 * the rest the task's, and the one task in the list has the frames and the segment of the job.
 */
export interface Dataset extends DatasetHeader {
  kind: 'task' | 'job' | 'project';
  labels: readonly DatasetLabel[];
  tasks: readonly DatasetTask[];
  /** The moment of the export. */
  dumped: Date;
}

const DEFAULT_SUBSET = 'default';

/** The file of a frame's image: frames of a video are exported as PNG. */
export const imageName = (frame: DatasetFrame, task: DatasetTask, videoExtension = 'png'): string =>
  task.video === null ? frame.name : `${frame.name}.${videoExtension}`;

/** The name under which formats know the subset of a task. */
export const subsetName = (task: DatasetTask): string => task.subset || DEFAULT_SUBSET;

/** The same as one part of a path: a subset may be called anything. */
export const subsetFolder = (task: DatasetTask): string =>
  subsetName(task)
    .replaceAll(/[/\\\p{Cc}]/gu, '_')
    .replace(/^\.+$/, DEFAULT_SUBSET);

/** Tasks by what `nameOf` says, in the order in which names appear. */
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

/** Gives frames whose name another task of the same subset has, too, a folder named after their task. */
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
