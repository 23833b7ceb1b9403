import { sql } from '../../src/engines/sql/sql.js';
import type { TestApp } from './app.js';
import type { Person } from './given.js';
import { ended } from './given-exchange.js';
import { givenJobs, type JobsOptions } from './given-jobs.js';

/** An annotation job and its replicas, by id. */
export interface ReplicatedJob {
  readonly id: number;
  readonly replicas: readonly number[];
}

export interface ReplicatedTask {
  readonly id: number;
  readonly jobs: readonly ReplicatedJob[];
  /** Label ids by name. */
  readonly labels: Readonly<Record<string, number>>;
}

/** Creates a task of which each job has replicas. Default: two jobs of two frames with three replicas, and a label `car`. */
export async function givenReplicas(app: TestApp, owner: Person, options: JobsOptions = {}): Promise<ReplicatedTask> {
  const layout = { size: 4, segments: [[0, 1], [2, 3]], replicas: 3 } as const; // prettier-ignore
  const { id } = await givenJobs(app, owner, { ...layout, ...options });
  await app.db.query(sql`
    insert into media_frame (data_id, frame, path, width, height)
    select media_data.id, start_frame + 2 * frame, frame || '.png', 200, 150
    from task join media_data on media_data.id = task.data_id cross join generate_series(0, size - 1) as frame
    where task.id = ${id}`);
  return { id, jobs: await replicatedJobs(app, id), labels: await labelsOf(owner, id) };
}

/** The annotation jobs of a task, in the order of their ids. */
export async function replicatedJobs(app: TestApp, taskId: number): Promise<ReplicatedJob[]> {
  return app.db.query<ReplicatedJob>(sql`
    select parent.id, array_remove(array_agg(replica.id order by replica.id), null) as replicas
    from job parent left join job replica on replica.parent_job_id = parent.id
    where parent.task_id = ${taskId} and parent.type = 'annotation' group by parent.id order by parent.id`);
}

async function labelsOf(owner: Person, taskId: number): Promise<Record<string, number>> {
  const { body } = await owner.http.get(`/api/labels?task_id=${taskId}&page_size=all`);
  const labels = (body as { results: { id: number; name: string }[] }).results;
  return Object.fromEntries(labels.map(({ id, name }) => [name, id]));
}

/** Saves annotations of a job, and sets its state. */
export async function annotate(person: Person, jobId: number, data: object, state = 'completed'): Promise<void> {
  await person.http.put(`/api/jobs/${jobId}/annotations`).send(data).expect(200);
  await person.http.patch(`/api/jobs/${jobId}`).send({ state }).expect(200);
}

/** Merges and waits. @returns the ended request */
export async function merged(app: TestApp, person: Person, body: object): Promise<Record<string, unknown>> {
  return ended(app, person, await person.http.post('/api/consensus/merges').send(body));
}
