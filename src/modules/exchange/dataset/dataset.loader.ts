import { posix } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import type { Queryable } from '../../../core/database/db.js';
import {
  type Dataset,
  type DatasetFrame,
  type DatasetHeader,
  type DatasetLabel,
  type DatasetTask,
  distinctNames,
  videoFrameName,
} from '../../../engines/annotations/formats/dataset.js';
import { parseFrameStep } from '../../../engines/media/frames.js';
import { compareCodePoints } from '../../../engines/media/sorting.js';
import { drawingByNames, LabelService } from '../../labels/index.js';
import type { MediaLocation } from '../../media/index.js';
import { RequestFailure } from '../../requests/index.js';
import type { ExportTarget } from '../exchange-requests.js';
import { DatasetRepository, type HeaderRow, type ImageRow, type JobRow, type TaskRow } from './dataset.repository.js';

/** A dataset, and the location of its images. */
export interface LoadedDataset {
  readonly dataset: Dataset;
  /** By task id. */
  readonly media: ReadonlyMap<number, TaskMedia>;
}

export interface TaskMedia extends MediaLocation {
  /** Paths of the images by absolute number; the frames of a video have none. */
  readonly paths: ReadonlyMap<number, string>;
  /** Path of the video, if frames come from one. */
  readonly video: string | null;
}

/** Loads what formats need of a project, task or job, except its annotations. */
@Injectable()
export class DatasetLoader {
  constructor(
    private readonly rows: DatasetRepository,
    private readonly labels: LabelService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param baseUrl of the requester, for URLs in the file
   * @param which all frames, or those that are neither deleted nor honeypots; a task never lists honeypots, which
   * repeat frames of its pool
   * @throws RequestFailure if the object no longer exists, is a task or job without data, or has audio; tasks of a project
   * without data are left out
   */
  async load(db: Queryable, target: ExportTarget, baseUrl: string, which: 'all' | 'kept'): Promise<LoadedDataset> {
    const job = target.kind === 'job' ? found(await this.rows.job(db, target.id), target) : null;
    const project = target.kind === 'project' ? found(await this.rows.project(db, target.id), target) : null;
    const rows =
      project === null
        ? [await this.oneTask(db, job?.task_id ?? target.id)]
        : await this.rows.tasksOfProject(db, target.id);
    const media = new Map<number, TaskMedia>();
    const tasks: DatasetTask[] = [];
    for (const row of rows) {
      if (row.is_audio) throw withAudio(row);
      const images = await this.rows.images(db, row.data_id);
      media.set(row.id, mediaOf(row, images));
      // In its task a honeypot has the name of another frame; annotations imported to that frame are copied to its
      // honeypots.
      const withHoneypots = which === 'all' && job !== null;
      const own = withHoneypots ? images : images.filter(({ is_honeypot }) => !is_honeypot);
      tasks.push(toTask(which === 'all' ? { ...row, deleted_frames: [] } : row, job, own, baseUrl));
    }
    const [first] = rows;
    const head = project ?? job ?? first;
    if (head === undefined) throw withoutData();
    const projectId = project?.id ?? first?.project_id ?? null;
    const dataset: Dataset = {
      ...toHeader(head),
      kind: target.kind,
      labels: await this.labelsOf(
        db,
        projectId === null ? { kind: 'task', id: first?.id ?? target.id } : { kind: 'project', id: projectId },
      ),
      tasks: distinctNames(tasks),
      dumped: this.clock.now(),
    };
    return { dataset, media };
  }

  private async oneTask(db: Queryable, id: number): Promise<TaskRow> {
    const row = await this.rows.task(db, id);
    if (row === undefined) throw withoutData();
    return row;
  }

  async labelsOf(
    db: Queryable,
    owner: { readonly kind: 'task' | 'project'; readonly id: number },
  ): Promise<DatasetLabel[]> {
    const rows = await this.labels.ofOwner(db, owner);
    return rows.flatMap((row) => [
      toLabel(row, null, row.type === 'skeleton' ? drawingByNames(row) : ''),
      ...row.sublabels.map((sublabel) => toLabel(sublabel, row.id, '')),
    ]);
  }
}

type LabelParts = Pick<
  Awaited<ReturnType<LabelService['ofOwner']>>[number],
  'id' | 'name' | 'color' | 'type' | 'attributes'
>;

const toLabel = (row: LabelParts, parentId: number | null, svg: string): DatasetLabel => ({
  id: row.id,
  name: row.name,
  color: row.color,
  type: row.type,
  parentId,
  svg,
  attributes: row.attributes.map((attribute) => ({
    id: attribute.id,
    name: attribute.name,
    mutable: attribute.mutable,
    inputType: attribute.input_type,
    defaultValue: attribute.default_value,
    values: attribute.values,
  })),
});

const toHeader = (row: HeaderRow): DatasetHeader => ({
  id: row.id,
  name: row.name,
  bugTracker: row.bug_tracker,
  created: new Date(row.created_date),
  updated: new Date(row.updated_date),
  owner: row.owner_name === null ? null : { username: row.owner_name, email: row.owner_email ?? '' },
  assignee: row.assignee_name === null ? null : { username: row.assignee_name, email: row.assignee_email ?? '' },
});

const mediaOf = (row: TaskRow, images: readonly ImageRow[]): TaskMedia => ({
  dataId: row.data_id,
  storage: row.storage,
  cloudStorageId: row.cloud_storage_id,
  paths: new Map(images.map(({ frame, path }) => [frame, path])),
  video: row.is_video ? (images[0]?.path ?? null) : null,
});

function toTask(row: TaskRow, job: JobRow | null, images: readonly ImageRow[], baseUrl: string): DatasetTask {
  const own = job === null ? row.segments : [{ id: job.id, start: job.start, stop: job.stop }];
  const absolute = job?.frames == null ? null : new Set(job.frames);
  const [start, stop] = job === null ? [0, row.size - 1] : [job.start, job.stop];
  const deleted = new Set(row.deleted_frames);
  const step = parseFrameStep(row.frame_filter) ?? 1;
  const frames = (row.is_video ? videoFrames(row, images) : imageFrames(row, images)).filter(
    ({ frame, number }) =>
      frame >= start && frame <= stop && !deleted.has(frame) && (absolute === null || absolute.has(number)),
  );
  return {
    ...toHeader(row),
    size: job === null ? row.size : (job.frames?.length ?? stop - start + 1),
    mode: row.mode === 'interpolation' ? 'interpolation' : 'annotation',
    overlap: row.overlap,
    subset: row.subset,
    startFrame: job === null ? row.start_frame : row.start_frame + start * step,
    stopFrame: job === null ? row.stop_frame : row.start_frame + stop * step,
    frameFilter: row.frame_filter,
    segments: own.map((segment) => ({ ...segment, url: `${baseUrl}/api/jobs/${segment.id}` })),
    video: row.is_video ? posix.basename(images[0]?.path ?? '') : null,
    frames,
  };
}

function imageFrames(row: TaskRow, images: readonly ImageRow[]): DatasetFrame[] {
  const step = parseFrameStep(row.frame_filter) ?? 1;
  return images.map(({ frame, path, width, height, related_files: related }) => ({
    frame: (frame - row.start_frame) / step,
    number: frame,
    name: path,
    width,
    height,
    ...(related.length > 0 && { related: related.toSorted(compareCodePoints) }),
  }));
}

function videoFrames(row: TaskRow, images: readonly ImageRow[]): DatasetFrame[] {
  const step = parseFrameStep(row.frame_filter) ?? 1;
  const { width = 0, height = 0 } = images[0] ?? {};
  return Array.from({ length: row.size }, (_, frame) => {
    const number = row.start_frame + frame * step;
    return { frame, number, name: videoFrameName(number), width, height };
  });
}

function found<T>(row: T | undefined, { kind }: ExportTarget): T {
  if (row === undefined) throw new RequestFailure(`The ${kind} was deleted`);
  return row;
}

const withAudio = ({ id }: TaskRow): RequestFailure =>
  new RequestFailure(`Task ${id} has audio, which no dataset format of this server supports yet.`);

const withoutData = (): RequestFailure =>
  new RequestFailure('There is no data yet. Add images or a video to the task first.');
