import { ApiProperty, OmitType } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import type { Representation, WireObject } from '../../core/versioning/representations.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { EmbeddedLabelDto, EmbeddedLabels, type LabelService } from '../labels/index.js';
import { JOB_STATUSES } from '../projects/index.js';
import { TaskDto } from './task.dto.js';

/** Keys that were added after version 2.0. */
const NEWER_KEYS = ['jobs', 'guide_id', 'assignee_updated_date', 'validation_mode', 'consensus_enabled'] as const;

/** A job inside a task. */
export class SegmentJobDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty() id!: number;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
  @ApiProperty({ enum: JOB_STATUSES }) status!: string;
  @ApiProperty() stage!: string;
  @ApiProperty() state!: string;
}

export class SegmentDto {
  @ApiProperty() start_frame!: number;
  @ApiProperty() stop_frame!: number;
  @ApiProperty({ type: [SegmentJobDto] }) jobs!: SegmentJobDto[];
}

/** A task in version 2.0, with its labels and segments embedded. */
export class Task20Dto extends OmitType(TaskDto, ['labels', ...NEWER_KEYS] as const) {
  @ApiProperty({ type: [EmbeddedLabelDto] }) labels!: EmbeddedLabelDto[];
  @ApiProperty({ type: [SegmentDto] }) segments!: SegmentDto[];
}

/** Version 2.0 embeds the labels and segments in a task. */
export const taskVersions = (labels: LabelService): Representation => ({
  resource: 'task',
  extras: async (db, tasks) => {
    const used = await labels.usedIn(
      db,
      'task',
      tasks.map((task) => Number(task['id'])),
    );
    const embedded = new EmbeddedLabels(used);
    return tasks.map((task) => embedded.ofTask(task['project_id'], task['id']));
  },
  longExtras: segmentsOf,
  older: {
    '2.0': (task, extras) => {
      const kept = Object.entries(task).filter(([key]) => !(NEWER_KEYS as readonly string[]).includes(key));
      return Object.fromEntries(
        kept.flatMap(([key, value]) =>
          key === 'labels'
            ? [
                ['labels', extras['labels'] ?? []],
                ['segments', extras['segments'] ?? []],
              ]
            : [[key, value]],
        ),
      );
    },
  },
});

/**
 * The segments of each task with their jobs, as version 2.0 shows them. The database builds the JSON: a task may have a
 * hundred thousand segments, and most often they are only stored, in an event.
 */
function segmentsOf(tasks: readonly WireObject[]): Sql {
  return sql`
    select task_id::text as object_id, json_build_object('segments', json_agg(json_build_object('start_frame', start_frame, 'stop_frame', stop_frame, 'jobs', jobs)
      order by id)) as extras
    from (
      select segment.id, segment.task_id, segment.start_frame, segment.stop_frame,
        coalesce(json_agg(json_build_object('url', base || '/api/jobs/' || job.id, 'id', job.id,
          'assignee', case when person.id is not null then json_build_object('url', base || '/api/users/' || person.id,
            'id', person.id, 'username', person.username, 'first_name', person.first_name, 'last_name', person.last_name) end,
          'status', job.status, 'stage', job.stage, 'state', job.state) order by job.id) filter (where job.id is not null),
          '[]') as jobs
      from (select distinct on (id) id, base
        from unnest(${tasks.map((task) => Number(task['id']))}::int[], ${tasks.map(baseOf)}::text[]) as task(id, base)) asked
      join segment on segment.task_id = asked.id
      left join job on job.task_id = asked.id and job.segment_id = segment.id
      left join app_user person on person.id = job.assignee_id
      group by segment.id
    ) segment group by task_id`;
}

/** The base of the task's own URL. */
const baseOf = (task: WireObject): string => String(task['url']).replace(/\/api\/tasks\/\d+$/, '');
