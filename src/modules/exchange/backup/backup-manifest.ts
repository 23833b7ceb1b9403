import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../core/database/db.js';
import { drawingByNames, LabelService } from '../../labels/index.js';
import {
  type BackupFrameRow,
  type BackupJobRow,
  type BackupProjectRow,
  BackupRepository,
  type BackupTaskRow,
} from './backup.repository.js';

type LabelRow = Awaited<ReturnType<LabelService['ofOwner']>>[number];
type SublabelRow = LabelRow['sublabels'][number];

const VERSION = '1.0';

/** A project or task that is backed up, with the content of its `project.json` or `task.json`. */
interface BackedUpProject {
  readonly manifest: object;
  /** The tasks that have data. */
  readonly taskIds: readonly number[];
}

interface BackedUpTask {
  readonly manifest: object;
  readonly task: BackupTaskRow;
  readonly jobs: readonly BackupJobRow[];
  readonly frames: readonly BackupFrameRow[];
  /** The task or its project. */
  readonly labelOwner: { readonly kind: 'project' | 'task'; readonly id: number };
}

/** Reads projects and tasks to back up. */
@Injectable()
export class BackupManifests {
  constructor(
    private readonly rows: BackupRepository,
    private readonly labels: LabelService,
  ) {}

  /** @returns undefined if the project does not exist */
  async project(snapshot: Snapshot, id: number): Promise<BackedUpProject | undefined> {
    const project = await this.rows.project(snapshot, id);
    if (project === undefined) return undefined;
    const labels = await this.labels.ofOwner(snapshot, { kind: 'project', id });
    return { manifest: projectManifest(project, labels), taskIds: await this.rows.tasksOfProject(snapshot, id) };
  }

  /** @returns undefined if the task does not exist or has no data */
  async task(snapshot: Snapshot, id: number): Promise<BackedUpTask | undefined> {
    const task = await this.rows.task(snapshot, id);
    if (task === undefined) return undefined;
    const labelOwner =
      task.project_id === null ? ({ kind: 'task', id } as const) : ({ kind: 'project', id: task.project_id } as const);
    const labels = await this.labels.ofOwner(snapshot, labelOwner);
    const jobs = await this.rows.jobs(snapshot, id);
    const frames = await this.rows.frames(snapshot, task.data_id);
    return { manifest: taskManifest(task, labels, jobs, frames), task, jobs, frames, labelOwner };
  }
}

/** Labels without ids; drawings of skeletons refer to elements by name. */
const labelsText = (labels: readonly LabelRow[]): object[] =>
  labels.map((label) => ({
    ...sublabelText(label),
    ...(label.type === 'skeleton' ? { svg: drawingByNames(label) } : {}),
    sublabels: label.sublabels.map(sublabelText),
  }));

const sublabelText = ({ name, color, type, attributes }: SublabelRow): object => ({
  name,
  color,
  attributes: attributes.map(({ name: attribute, mutable, input_type, default_value, values }) => ({
    name: attribute,
    mutable,
    input_type,
    default_value,
    values,
  })),
  type,
});

/** `project.json` of a backup. */
const projectManifest = (project: BackupProjectRow, labels: readonly LabelRow[]): object => ({
  name: project.name,
  bug_tracker: project.bug_tracker,
  status: project.status,
  labels: labelsText(labels),
  version: VERSION,
});

/**
 * `task.json` of a backup. The task's images are numbered from 0, because images that it left out are not in the
 * archive. A video is complete, so its frames keep their numbers.
 * @param labels of the task, or of its project
 */
function taskManifest(
  task: BackupTaskRow,
  labels: readonly LabelRow[],
  jobs: readonly BackupJobRow[],
  frames: readonly BackupFrameRow[],
): object {
  const isVideo = task.mode === 'interpolation';
  const numbers = isVideo
    ? { start_frame: task.start_frame, stop_frame: task.stop_frame, frame_filter: task.frame_filter }
    : { start_frame: 0, stop_frame: frames.length - 1, frame_filter: '' };
  const relative = new Map(isVideo ? [] : frames.map(({ frame }, index) => [frame, index]));
  const nameOf = (frame: number): string => (isVideo ? String(frame) : (frames[frame]?.path ?? ''));
  return {
    name: task.name,
    bug_tracker: task.bug_tracker,
    status: task.status,
    subset: task.subset,
    consensus_replicas: task.consensus_replicas,
    // Overlapping jobs show the overlap; a task of one job does not.
    ...(jobs.filter(({ type }) => type === 'annotation').length === 1 && task.overlap > 0
      ? { overlap: task.overlap }
      : {}),
    labels: labelsText(labels),
    version: VERSION,
    data: {
      chunk_size: task.chunk_size,
      image_quality: task.image_quality,
      ...numbers,
      storage_method: task.storage_method,
      storage: 'local',
      sorting_method: task.sorting_method,
      chunk_type: task.compressed_chunk_type,
      deleted_frames: task.deleted_frames,
      ...(task.segment_size === 0 ? { custom_segments: true } : {}),
      ...validationOf(task, nameOf),
    },
    jobs: jobs.map((job) => ({
      type: job.type,
      status: job.status,
      stage: job.stage,
      state: job.state,
      start_frame: job.start,
      stop_frame: job.stop,
      frames: job.frames.map((frame) => relative.get(frame) ?? frame),
      ...(task.segment_size === 0 && !isVideo ? { files: filesOf(job, nameOf) } : {}),
      ...(job.replicas.length === 0 ? {} : { replicas: job.replicas.map(({ stage, state }) => ({ stage, state })) }),
    })),
  };
}

const filesOf = ({ start, stop }: BackupJobRow, nameOf: (frame: number) => string): string[] =>
  Array.from({ length: stop - start + 1 }, (_, index) => nameOf(start + index));

function validationOf(
  { validation_mode: mode, validation_layout: layout }: BackupTaskRow,
  nameOf: (frame: number) => string,
): object {
  if (mode === null || layout === null) return {};
  return {
    validation_layout: {
      mode,
      frames_per_job_count: layout.frames_per_job_count,
      frames: layout.frames.map(nameOf),
      disabled_frames: layout.disabled_frames.map(nameOf),
    },
  };
}
