import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { annotate, givenReplicas, type ReplicatedTask } from '../../support/given-consensus.js';
import { worked } from '../../support/given-exchange.js';
import { givenJobs, type TaskWithJobs } from '../../support/given-jobs.js';

const NONE_READY =
  'No annotation jobs in the annotation stage or no consensus_replica jobs not in the annotation - new state found';
const notReady = (id: number): string =>
  `No annotated consensus jobs found for parent job ${id}. Make sure at least one consensus job is not in the annotation - new state`;

describe('refused merges', () => {
  let app: TestApp;
  let owner: Person;
  let stranger: Person;
  let fresh: ReplicatedTask;
  let task: ReplicatedTask;
  let spatial: ReplicatedTask;
  let plain: TaskWithJobs;

  beforeAll(async () => {
    app = await createTestApp();
    [owner, stranger] = [await new Given(app).person(), await new Given(app).person()];
    fresh = await givenReplicas(app, owner);
    task = await givenReplicas(app, owner);
    await annotate(owner, task.jobs[0]?.replicas[1] ?? 0, {}, 'in progress');
    spatial = await givenReplicas(app, owner);
    await app.db.query(sql`update task set dimension = '3d' where id = ${spatial.id}`);
    plain = await givenJobs(app, owner);
  });

  afterAll(() => app.close());

  const post = (body: object, person = owner, query = '') =>
    person.http.post(`/api/consensus/merges${query}`).send(body);

  it('name the reason', async () => {
    const [ready, other] = task.jobs;
    const unknown = 999_999;
    const missing = { detail: 'Either task_id or job_id must be specified' };
    const number = ['A valid integer is required.'];
    const cases: [object, number, unknown][] = [
      [{ task_id: 'x' }, 400, { task_id: number }],
      [{ job_id: [] }, 400, { job_id: number }],
      [{ job_id: 1.5, task_id: fresh.id }, 400, { job_id: number }],
      [{}, 403, missing],
      [{ task_id: 0, job_id: null }, 403, missing],
      [{ job_id: unknown }, 400, ['The specified job does not exist']],
      [{ task_id: unknown }, 400, ['The specified task does not exist']],
      [{ task_id: -1 }, 400, ['The specified task does not exist']],
      [
        { task_id: task.id, job_id: ready?.id },
        400,
        { non_field_errors: ['Only 1 of the fields "task_id", "job_id" can be used'] },
      ],
      [{ task_id: plain.id }, 400, ['Consensus is not enabled in this task']],
      [{ job_id: plain.jobs[0] }, 400, ['Consensus is not enabled in this task']],
      [{ task_id: spatial.id }, 400, ['Merging is only supported in 2d tasks']],
      [{ task_id: fresh.id }, 400, [NONE_READY]],
      [{ job_id: fresh.jobs[0]?.id }, 400, [NONE_READY]],
      [{ job_id: other?.id }, 400, [notReady(other?.id ?? 0)]],
      [{ job_id: ready?.replicas[1] }, 400, [notReady(ready?.replicas[1] ?? 0)]],
    ];
    for (const [body, status, error] of cases) {
      const answer = await post(body);
      expect([body, answer.status, answer.body]).toEqual([body, status, error]);
    }
  });

  it('check the permission before anything else about the task', async () => {
    for (const body of [{ task_id: plain.id }, { task_id: task.id, job_id: task.jobs[0]?.id }, { task_id: fresh.id }])
      expect((await post(body, stranger, '?rq_id=x')).status).toBe(403);
    const old = await post({ task_id: plain.id }, owner, '?rq_id=x');
    expect([old.status, old.text]).toEqual([410, expect.stringContaining('GET /api/requests/rq_id')]);
    const both = await post({ task_id: fresh.id, job_id: plain.jobs[0] }, owner, '?rq_id=x');
    expect(both.status).toBe(410);
  });

  it('give a task without replicas its settings', async () => {
    const other = await givenJobs(app, owner);
    await post({ task_id: other.id }, stranger).expect(403);
    expect((await owner.http.get(`/api/consensus/settings?task_id=${other.id}`)).body.count).toBe(0);
    for (let repetition = 0; repetition < 2; repetition += 1) await post({ task_id: other.id }).expect(400);
    expect((await owner.http.get(`/api/consensus/settings?task_id=${other.id}`)).body.count).toBe(1);
  });

  it('name the request that already does it', async () => {
    const [job] = task.jobs;
    const ids = [
      `action=merge&target=task&target_id=${task.id}`,
      `action=merge&target=job&target_id=${job?.id}`,
    ] as const;
    for (const [body, id] of [
      [{ task_id: task.id }, ids[0]],
      [{ job_id: job?.id }, ids[1]],
    ] as const) {
      const [first, second] = [await post(body), await post(body)];
      expect([first.status, first.body]).toEqual([202, { rq_id: id }]);
      expect([second.status, second.body]).toEqual([409, { rq_id: id }]);
    }
    await owner.http.post(`/api/requests/${encodeURIComponent(ids[0])}/cancel`).expect(200);
    await post({ task_id: task.id }).expect(202);
    for (const id of ids) expect((await worked(app, owner, id)).body.status).toBe('finished');
    await post({ task_id: task.id }).expect(202);
    await worked(app, owner, ids[0]);
  });
});
