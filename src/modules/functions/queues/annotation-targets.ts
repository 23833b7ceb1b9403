import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { InvalidList, InvalidString, NotFound } from '../../../core/http/errors/errors.js';
import type { LabelMapping } from '../../../engines/functions/mapping.js';
import { requireMapped } from '../../../engines/functions/mapped-results.js';
import type { Detection, RequestParams } from '../../../engines/functions/request-params.js';
import type { FrameSize } from '../../../engines/functions/result.js';
import { parseFrameStep } from '../../../engines/media/frames.js';
import { sql } from '../../../engines/sql/sql.js';
import type { LabeledData } from '../../../shared/annotations/model.js';
import { LabelService } from '../../labels/index.js';

/** What is annotated: a task, or one of its jobs. */
export interface AnnotationTarget {
  readonly taskId: number;
  readonly jobId: number | null;
}

interface MediaRow {
  readonly size: number | null;
  readonly is_video: boolean | null;
  readonly deleted_frames: readonly number[] | null;
  readonly data_start: number;
  readonly frame_filter: string;
  readonly pool: readonly number[] | null;
  readonly start: number | null;
  readonly stop: number | null;
  /** Absolute; null: all frames of the range. */
  readonly frames: readonly number[] | null;
}

/** The frames that requests may annotate, and the labels that they ask for. */
@Injectable()
export class AnnotationTargets {
  constructor(private readonly labels: LabelService) {}

  /** @throws ResultInvalid for results with labels or attributes that the request does not ask for */
  async requireMapped(
    db: Queryable,
    taskId: number,
    { mapping }: Detection,
    data: Pick<LabeledData, 'tags' | 'shapes'>,
  ): Promise<void> {
    requireMapped('annotations', data, mapping as LabelMapping, await this.labels.usedIn(db, 'task', [taskId]));
  }

  /** @throws NotFound; InvalidString, InvalidList if agents cannot annotate the target */
  async require(
    db: Queryable,
    { params, ...target }: AnnotationTarget & { readonly params: RequestParams },
  ): Promise<void> {
    const row = await this.read(db, target);
    const { size } = row;
    if (size === null || size === 0) throw new InvalidString('The task has no data yet.');
    if (params.type === 'annotate_task') {
      if (row.is_video === true)
        throw new InvalidString('Agents cannot annotate whole videos. Annotate single frames instead.');
      return;
    }
    if (params.frame >= size || (row.deleted_frames ?? []).includes(params.frame))
      throw new InvalidList(`Invalid frame '${params.frame}'. The task does not have it, or it is deleted.`);
    if (!framesOf(row)(params.frame)) throw new InvalidString('The frame is outside the job range');
  }

  /**
   * Which frames results are saved for: those of the job or task that are not deleted. Frames of a ground truth pool are
   * left to people, unless the target is the job itself.
   */
  async frames(db: Queryable, target: AnnotationTarget): Promise<(frame: number) => boolean> {
    const row = await this.read(db, target);
    const isOwn = framesOf(row);
    const left = new Set([...(row.deleted_frames ?? []), ...(target.jobId === null ? (row.pool ?? []) : [])]);
    return (frame) => isOwn(frame) && !left.has(frame);
  }

  async frameCount(db: Queryable, taskId: number): Promise<number> {
    return (await this.read(db, { taskId, jobId: null })).size ?? 0;
  }

  /** @param frame as in the task. @returns null if the size is not known */
  async frameSize(db: Queryable, taskId: number, frame: number): Promise<FrameSize | null> {
    const { data_start: first, frame_filter: filter } = await this.read(db, { taskId, jobId: null });
    const absolute = first + frame * (parseFrameStep(filter) ?? 1);
    // The only row of a video is that of frame 0.
    const [row] = await db.query<FrameSize>(sql`
      select width, height from media_frame
      where data_id = (select data_id from task where id = ${taskId}) and frame in (${absolute}::int, 0)
      order by frame desc limit 1`);
    return row ?? null;
  }

  private async read(db: Queryable, { taskId, jobId }: AnnotationTarget): Promise<MediaRow> {
    const [row] = await db.query<MediaRow>(sql`
      select media_data.size, media_data.original_chunk_type = 'video' as is_video, media_data.deleted_frames,
        coalesce(media_data.start_frame, 0) as data_start, coalesce(media_data.frame_filter, '') as frame_filter,
        case when media_data.validation_mode = 'gt_pool' then
          array(select jsonb_array_elements_text(media_data.validation_layout->'frames')::int) end as pool,
        segment.start_frame as start, segment.stop_frame as stop,
        case segment.type when 'range' then null else segment.frames end as frames
      from task left join media_data on media_data.id = task.data_id
        left join job on job.task_id = task.id and job.id = ${jobId}::int
        left join segment on segment.id = job.segment_id
      where task.id = ${taskId}`);
    if (row === undefined) throw NotFound.of('Task');
    if (jobId !== null && row.start === null) throw NotFound.of('Job');
    return row;
  }
}

function framesOf({
  start,
  stop,
  frames,
  data_start: first,
  frame_filter: filter,
}: MediaRow): (frame: number) => boolean {
  if (start === null || stop === null) return () => true;
  if (frames === null) return (frame) => frame >= start && frame <= stop;
  const step = parseFrameStep(filter) ?? 1;
  const own = new Set(frames.map((frame) => (frame - first) / step));
  return (frame) => own.has(frame);
}
