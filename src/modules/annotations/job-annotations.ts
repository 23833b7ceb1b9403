import { Injectable } from '@nestjs/common';
import type { Queryable, Snapshot } from '../../core/database/db.js';
import { fromRows } from '../../engines/annotations/from-rows.js';
import { parseFrameStep } from '../../engines/media/frames.js';
import { type FrameSize, JobFrames, type QualityLabel } from '../../engines/quality/frame-objects.js';
import { sql } from '../../engines/sql/sql.js';
import { emptyData } from '../../shared/annotations/model.js';
import { LabelService } from '../labels/index.js';
import type { AnnotatedTask } from './annotated-task.repository.js';
import { AnnotationSource, shapesOf } from './annotation.source.js';
import type { WantedJob } from './rows-of-jobs.js';

/** Shapes that become objects before other requests get a turn. */
const SHAPES_AT_ONCE = 500;

/** A job whose annotations are compared. */
export interface ComparedJob extends Pick<WantedJob, 'id' | 'at'> {
  /** Only these frames, except that tracks are kept as a whole. Default: all. */
  readonly only?: ReadonlySet<number>;
}

/** Reads annotations, and what else comparisons need of their task. */
@Injectable()
export class JobAnnotations {
  constructor(
    private readonly source: AnnotationSource,
    private readonly labels: LabelService,
  ) {}

  /**
   * The annotations of a job, frame by frame. Intervals are left out.
   * @param turn lets other requests have their turn; throws if the computation was cancelled
   */
  async read(
    snapshot: Snapshot,
    job: ComparedJob,
    labels: readonly QualityLabel[],
    turn: () => Promise<void>,
  ): Promise<JobFrames> {
    const { only, ...source } = job;
    const jobs = [source];
    const isWanted = ({ frame }: { readonly frame: number }): boolean => only === undefined || only.has(frame);
    const frames = new JobFrames(job.id, emptyData(), labels);
    for await (const rows of this.source.tags(snapshot, jobs)) {
      const wanted = rows.filter(isWanted);
      frames.add({ tags: fromRows({ tags: wanted }).tags });
      await turn();
    }
    for await (const { rows, elementsOf } of this.source.shapes(snapshot, jobs)) {
      const wanted = rows.filter(isWanted);
      for (let at = 0; at < wanted.length; at += SHAPES_AT_ONCE) {
        const some = wanted.slice(at, at + SHAPES_AT_ONCE);
        frames.add({ shapes: [...shapesOf({ rows: some, elementsOf })] });
        await turn();
      }
    }
    for await (const batch of this.source.tracks(snapshot, jobs)) {
      frames.add({ tracks: batch.tracks });
      await turn();
    }
    return frames;
  }

  /** The labels of a task, followed by their sublabels. */
  async labelsOf(db: Queryable, task: Pick<AnnotatedTask, 'id' | 'project_id'>): Promise<QualityLabel[]> {
    const owner =
      task.project_id === null
        ? ({ kind: 'task', id: task.id } as const)
        : ({ kind: 'project', id: task.project_id } as const);
    const rows = await this.labels.ofOwner(db, owner);
    return rows.flatMap((row) => [toLabel(row, null), ...row.sublabels.map((sublabel) => toLabel(sublabel, row.id))]);
  }

  /** The frames of a task with data. */
  async framesOf(db: Queryable, taskId: number): Promise<TaskFrames> {
    const [data] = await db.query<MediaRow>(sql`
      select media_data.id, media_data.start_frame, media_data.frame_filter, media_data.deleted_frames,
        media_data.original_chunk_type = 'video' as is_video
      from task join media_data on media_data.id = task.data_id where task.id = ${taskId}`);
    const images = await db.query<ImageRow>(sql`
      select frame, width, height from media_frame where data_id = ${data?.id ?? 0} order by frame`);
    return new TaskFrames(data ?? NO_MEDIA, images);
  }
}

type StoredLabel = Awaited<ReturnType<LabelService['ofOwner']>>[number]['sublabels'][number];

const toLabel = ({ id, name, type, attributes }: StoredLabel, parentId: number | null): QualityLabel => ({
  id,
  name,
  type,
  parentId,
  attributes: attributes.map((attribute) => ({
    id: attribute.id,
    mutable: attribute.mutable,
    defaultValue: attribute.default_value,
    inputType: attribute.input_type,
    values: attribute.values,
  })),
});

interface MediaRow {
  readonly id: number;
  readonly start_frame: number;
  readonly frame_filter: string;
  readonly deleted_frames: readonly number[];
  readonly is_video: boolean;
}

const NO_MEDIA: MediaRow = { id: 0, start_frame: 0, frame_filter: '', deleted_frames: [], is_video: false };

interface ImageRow extends FrameSize {
  /** Absolute. */
  readonly frame: number;
}

/** The sizes of the frames of a task, and which are deleted. Frame numbers are those of the task. */
export class TaskFrames {
  readonly deleted: ReadonlySet<number>;
  private readonly sizes = new Map<number, FrameSize>();
  private readonly sizeOfVideo: FrameSize | undefined;

  constructor(
    { start_frame: start, frame_filter: filter, deleted_frames: deleted, is_video: isVideo }: MediaRow,
    images: readonly ImageRow[],
  ) {
    this.deleted = new Set(deleted);
    this.sizeOfVideo = isVideo ? images[0] : undefined;
    const step = parseFrameStep(filter) ?? 1;
    for (const { frame, width, height } of images) this.sizes.set((frame - start) / step, { width, height });
  }

  /** @returns an empty size for a frame without an image */
  sizeOf(frame: number): FrameSize {
    return this.sizeOfVideo ?? this.sizes.get(frame) ?? NO_SIZE;
  }
}

const NO_SIZE: FrameSize = { width: 0, height: 0 };
