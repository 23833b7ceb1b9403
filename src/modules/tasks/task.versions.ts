import type { Representation, WireObject } from '../../core/versioning/representations.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { embeddedByOwner, type LabelService } from '../labels/index.js';

/** Keys that came after version 2.0. */
const NEWER_KEYS = ['jobs', 'guide_id', 'assignee_updated_date', 'validation_mode', 'consensus_enabled'];

/** Version 2.0 has the labels and segments themselves in a task. */
export const taskVersions = (labels: LabelService): Representation => ({
  resource: 'task',
  extras: async (db, tasks) => {
    const ids = tasks.map((task) => Number(task['id']));
    const projectIds = tasks.flatMap((task) => (task['project_id'] === null ? [] : [Number(task['project_id'])]));
    const ofTasks = embeddedByOwner(await labels.ofOwners(db, 'task', ids));
    const ofProjects = embeddedByOwner(projectIds.length === 0 ? [] : await labels.ofOwners(db, 'project', projectIds));
    return tasks.map((task) => ({
      labels: (task['project_id'] === null ? ofTasks.get(task['id']) : ofProjects.get(task['project_id'])) ?? [],
    }));
  },
  longExtras: segmentsOf,
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

/**
 * The segments of each task with their jobs, as version 2.0 shows them. The database makes the JSON: there may be a hundred
 * thousand, and most often they are only stored, in an event.
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

/** The base address that the task's own address has. */
const baseOf = (task: WireObject): string => String(task['url']).replace(/\/api\/tasks\/\d+$/, '');
