import type { Queryable } from '../../core/database/db.js';
import { Urls } from '../../core/http/urls.js';
import type { Representation, WireObject } from '../../core/versioning/representations.js';
import { sql } from '../../engines/sql/sql.js';
import { embeddedByOwner, type LabelService } from '../labels/index.js';
import { readBasicUser } from '../users/index.js';

/** Keys that came after version 2.0. */
const NEWER_KEYS = ['jobs', 'guide_id', 'assignee_updated_date', 'validation_mode', 'consensus_enabled'];

interface SegmentRow {
  readonly task_id: number;
  readonly start_frame: number;
  readonly stop_frame: number;
  readonly jobs: readonly {
    readonly id: number;
    readonly status: string;
    readonly stage: string;
    readonly state: string;
  }[];
}

/** Version 2.0 has the labels and segments themselves in a task. */
export const taskVersions = (labels: LabelService): Representation => ({
  resource: 'task',
  extras: async (db, tasks) => {
    const ids = tasks.map((task) => Number(task['id']));
    const projectIds = tasks.flatMap((task) => (task['project_id'] === null ? [] : [Number(task['project_id'])]));
    const ofTasks = embeddedByOwner(await labels.ofOwners(db, 'task', ids));
    const ofProjects = embeddedByOwner(projectIds.length === 0 ? [] : await labels.ofOwners(db, 'project', projectIds));
    const segments = byTask(await segmentsOf(db, ids));
    return tasks.map((task) => ({
      labels: (task['project_id'] === null ? ofTasks.get(task['id']) : ofProjects.get(task['project_id'])) ?? [],
      segments: (segments.get(Number(task['id'])) ?? []).map((segment) => toSegment(segment, baseOf(task))),
    }));
  },
  older: {
    '2.0': (task, extras) => {
      const kept = Object.entries(task).filter(([key]) => !NEWER_KEYS.includes(key));
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

function segmentsOf(db: Queryable, taskIds: readonly number[]): Promise<SegmentRow[]> {
  return db.query<SegmentRow>(sql`
    select segment.task_id, segment.start_frame, segment.stop_frame,
      (select coalesce(json_agg(json_build_object('id', job.id, 'status', job.status, 'stage', job.stage, 'state', job.state,
          'assignee_id', person.id, 'assignee_username', person.username, 'assignee_first_name', person.first_name,
          'assignee_last_name', person.last_name) order by job.id), '[]')
       from job left join app_user person on person.id = job.assignee_id where job.segment_id = segment.id) as jobs
    from segment where segment.task_id = any(${[...taskIds]}::int[]) order by segment.id`);
}

function byTask(rows: readonly SegmentRow[]): ReadonlyMap<number, readonly SegmentRow[]> {
  const segments = new Map<number, SegmentRow[]>();
  for (const row of rows) {
    const known = segments.get(row.task_id);
    if (known === undefined) segments.set(row.task_id, [row]);
    else known.push(row);
  }
  return segments;
}

function toSegment(row: SegmentRow, urls: Urls): WireObject {
  return {
    start_frame: row.start_frame,
    stop_frame: row.stop_frame,
    jobs: row.jobs.map((job) => ({
      url: urls.job(job.id),
      id: job.id,
      assignee: readBasicUser(job, 'assignee', urls),
      status: job.status,
      stage: job.stage,
      state: job.state,
    })),
  };
}

/** The base address that the task's own address has. */
const baseOf = (task: WireObject): Urls => new Urls(String(task['url']).replace(/\/api\/tasks\/\d+$/, ''));
