import type { Dataset, DatasetTask } from '../../../engines/annotations/formats/dataset.js';
import { shown } from '../../../engines/annotations/formats/format.js';
import type { Track, TrackElement } from '../../../shared/annotations/model.js';
import type { AnnotatedJob, AnnotatedTask } from '../../annotations/index.js';
import { RequestFailure } from '../../requests/index.js';

/** Limits an export. Empty lists and null do not limit it. */
export interface ExportFilter {
  /** Names of labels. */
  readonly labels: readonly string[];
  readonly jobStates: readonly string[];
  /** Only jobs whose annotations were saved after this revision. */
  readonly changedSince: number | null;
}

export const NO_FILTER: ExportFilter = { labels: [], jobStates: [], changedSince: null };

const limitsJobs = ({ jobStates, changedSince }: ExportFilter): boolean =>
  jobStates.length > 0 || changedSince !== null;

/** The jobs of a task that an export contains. @param states by job id */
export function selectedJobs(
  { jobs }: AnnotatedTask,
  states: ReadonlyMap<number, string>,
  filter: ExportFilter,
): readonly AnnotatedJob[] {
  const { jobStates, changedSince } = filter;
  if (!limitsJobs(filter)) return jobs;
  return jobs.filter(
    ({ id, revision }) =>
      (jobStates.length === 0 || jobStates.includes(states.get(id) ?? '')) &&
      (changedSince === null || revision > changedSince),
  );
}

/**
 * The part of a dataset that the filter selects: its labels, and the frames of the selected jobs. Tasks without such jobs
 * are left out.
 * @param tasks with the selected jobs, by id
 * @throws RequestFailure if a label does not exist, or no job is selected
 */
export function filtered(dataset: Dataset, tasks: ReadonlyMap<number, AnnotatedTask>, filter: ExportFilter): Dataset {
  const labels = selectedLabels(dataset.labels, filter.labels);
  if (!limitsJobs(filter)) return { ...dataset, labels };
  const kept = dataset.tasks.flatMap((task): DatasetTask[] => {
    const jobs = tasks.get(task.id)?.jobs ?? [];
    const frames = task.frames.filter(({ frame }) => jobs.some(({ start, stop }) => frame >= start && frame <= stop));
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
