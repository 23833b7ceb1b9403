import { UnitOfWork } from '../../src/core/database/unit-of-work.js';
import { sql } from '../../src/engines/sql/sql.js';
import { JobCreation } from '../../src/modules/jobs/index.js';
import type { TestApp } from './app.js';
import type { Person } from './given.js';

export interface JobsOptions {
  /** Number of frames of the task. Default: 7, in three jobs of three frames that overlap by one. */
  readonly size?: number;
  readonly segments?: readonly (readonly [start: number, stop: number])[];
  readonly replicas?: number;
  readonly projectId?: number;
  /** Slug of the organization. */
  readonly organization?: string;
}

export interface TaskWithJobs {
  readonly id: number;
  readonly projectId: number | null;
  /** Job ids in ascending order. */
  readonly jobs: readonly number[];
}

/** Creates a task with processed data, as far as jobs need it: there are no files. */
export async function givenJobs(app: TestApp, owner: Person, options: JobsOptions = {}): Promise<TaskWithJobs> {
  const { size = 7, segments = [[0, 2], [2, 4], [4, 6]], replicas = 0 } = options; // prettier-ignore
  const labels = options.projectId === undefined ? { labels: [{ name: 'car' }] } : { project_id: options.projectId };
  const created = await owner.http
    .post(`/api/tasks${options.organization === undefined ? '' : `?org=${options.organization}`}`)
    .send({ name: 'with jobs', segment_size: 3, ...labels, ...(replicas > 0 ? { consensus_replicas: replicas } : {}) });
  if (created.status !== 201) throw new Error(`no task: ${JSON.stringify(created.body)}`);
  const id: number = created.body.id;
  const jobs = await app.app.get(UnitOfWork).run(async (tx) => {
    await tx.query(sql`
      with data as (
        insert into media_data (size, chunk_size, start_frame, stop_frame, frame_filter)
        values (${size}, 72, 10, ${10 + 2 * (size - 1)}, 'step=2') returning id
      )
      update task set data_id = data.id, mode = 'annotation' from data where task.id = ${id}`);
    const parts = segments.map(
      ([start, stop]) => ({ start, stop, type: 'range', frames: [], jobType: 'annotation' }) as const,
    );
    return app.app.get(JobCreation).createForTask(tx, null, id, parts, replicas);
  });
  return { id, projectId: options.projectId ?? null, jobs };
}
