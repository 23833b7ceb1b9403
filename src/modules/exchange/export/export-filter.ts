import type { Dataset, DatasetTask } from '../../../engines/annotations/formats/dataset.js';
import { shown } from '../../../engines/annotations/formats/format.js';
import type { Track, TrackElement } from '../../../shared/annotations/model.js';
import type { AnnotatedJob, AnnotatedTask, ChangedRange } from '../../annotations/index.js';
import { RequestFailure } from '../../requests/index.js';

/** Limits an export. Empty lists and null do not limit it. */
export interface ExportFilter {
  /** Names of labels. */
  readonly labels: readonly string[];
  readonly jobStates: readonly string[];
  /** Only frames whose annotations changed after this revision. */
  readonly changedSince: number | null;
}

export const NO_FILTER: ExportFilter = { labels: [], jobStates: [], changedSince: null };

/** A task with the jobs that an export contains. */
export interface SelectedTask extends AnnotatedTask {
  /** The frames that it contains; null: all. */
  readonly frames: ReadonlySet<number> | null;
}

/** The task with its jobs in the selected states. @param states by job id */
export function inStates(task: AnnotatedTask, states: ReadonlyMap<number, string>, filter: ExportFilter): SelectedTask {
  const { jobStates } = filter;
  if (jobStates.length === 0) return { ...task, frames: null };
  const jobs = task.jobs.filter(({ id }) => jobStates.includes(states.get(id) ?? ''));
  return { ...task, jobs, frames: framesIn(jobs.map(({ start, stop }) => [start, stop])) };
}

/** The task with its changed frames, and its jobs that contain any. @param ranges of jobs of any task */
export function onChangedFrames(task: SelectedTask, ranges: readonly ChangedRange[]): SelectedTask {
  const ids = new Set(task.jobs.map(({ id }) => id));
  const own = ranges.filter(({ job_id: id }) => ids.has(id));
  const jobs = task.jobs.filter(({ start, stop }) => own.some(({ first, last }) => first <= stop && last >= start));
  return { ...task, jobs, frames: framesIn(own.map(({ first, last }) => [first, last])) };
}

function framesIn(ranges: readonly (readonly [first: number, last: number])[]): Set<number> {
  const frames = new Set<number>();
  for (const [first, last] of ranges) for (let frame = first; frame <= last; frame++) frames.add(frame);
  return frames;
}

/**
 * The part of a dataset that the filter selects: its labels, and the selected frames. Tasks without selected jobs are left
 * out.
 * @param tasks by id
 * @throws RequestFailure if a label does not exist, or no job is selected
 */
export function filtered(dataset: Dataset, tasks: ReadonlyMap<number, SelectedTask>, filter: ExportFilter): Dataset {
  const labels = selectedLabels(dataset.labels, filter.labels);
  if (filter.jobStates.length === 0 && filter.changedSince === null) return { ...dataset, labels };
  const kept = dataset.tasks.flatMap((task): DatasetTask[] => {
    const { jobs = [], frames: selected = null } = tasks.get(task.id) ?? {};
    const frames = selected === null ? task.frames : task.frames.filter(({ frame }) => selected.has(frame));
    return jobs.length === 0 ? [] : [{ ...task, frames }];
  });
  if (kept.length === 0) throw new RequestFailure('No job matches the filter, so there is nothing to export.');
  return { ...dataset, labels, tasks: kept };
}

function selectedLabels(labels: Dataset['labels'], names: readonly string[]): Dataset['labels'] {
  if (names.length === 0) return labels;
  const wanted = new Set(names);
  const kept = new Set(
    labels.filter(({ name, parentId }) => parentId === null && wanted.has(name)).map(({ id }) => id),
  );
  const missing = names.find((name) => !labels.some((label) => label.parentId === null && label.name === name));
  if (missing !== undefined) throw new RequestFailure(`There is no label ${shown(missing)}. Select other labels.`);
  return labels.filter(({ id, parentId }) => kept.has(parentId ?? id));
}

/** Jobs in groups that follow each other without a gap, because tracks continue from job to job. */
export function adjacentJobs(jobs: readonly AnnotatedJob[]): AnnotatedJob[][] {
  const groups: AnnotatedJob[][] = [];
  let end = -Infinity;
  for (const job of jobs) {
    if (job.start <= end + 1) groups.at(-1)?.push(job);
    else groups.push([job]);
    end = Math.max(end, job.stop);
  }
  return groups;
}

/** Hides a track from a frame on, because the next job is not exported. */
export function endingAt(track: Track, frame: number): Track {
  return { ...ended(track, frame), elements: track.elements.map((element) => ended(element, frame)) };
}

function ended<Part extends TrackElement>(part: Part, frame: number): Part {
  const shapes = part.shapes.filter((shape) => shape.frame < frame);
  const last = shapes.at(-1);
  if (last !== undefined && !last.outside) shapes.push({ ...last, id: null, frame, outside: true });
  return { ...part, shapes };
}
