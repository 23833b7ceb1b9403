import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { annotate, givenReplicas, type ReplicatedTask } from '../../support/given-consensus.js';
import { ended } from '../../support/given-exchange.js';
import { givenJobs } from '../../support/given-jobs.js';

const NO_TAGS = { decisions: 0, agreed_share: null, kappa: null };
const NO_SHAPES = { objects: 0, matched: 0, matched_share: null, mean_iou: null };
/** IoU of two rectangles of 10 × 10 that are one pixel apart. */
const NEAR = 90 / 110;

describe('agreement of annotators', () => {
  let app: TestApp;
  let owner: Person;
  let anna: Person;
  let task: ReplicatedTask;

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    [owner, anna] = [await given.person(), await given.person({ username: 'anna' })];
    task = await givenReplicas(app, owner);
    const label = task.labels['car'] ?? 0;
    const [first, second] = task.jobs;
    const [mine = 0, other = 0, left = 0] = first?.replicas ?? [];
    await app.db.query(sql`update job set assignee_id = ${anna.id} where id = ${mine}`);
    const at = (points: number[]) => [rectangle(label, 0, { points })];
    const tags = (frames: number[]) => frames.map((frame) => ({ label_id: label, frame }));
    await annotate(owner, mine, { shapes: at([0, 0, 10, 10]), tags: tags([0, 1]) });
    await annotate(owner, other, { shapes: at([1, 0, 11, 10]), tags: tags([0]) });
    await owner.http.put(`/api/jobs/${left}/annotations`).send({ shapes: at([50, 50, 60, 60]) });
    await annotate(owner, second?.replicas[0] ?? 0, {});
  });

  afterAll(() => app.close());

  const path = (): string => `/api/tasks/${task.id}/agreement`;

  it('does not exist before it is calculated', async () => {
    const answer = await owner.http.get(path());
    expect([answer.status, answer.body]).toEqual([
      404,
      { detail: 'The agreement of this task has not been calculated yet.' },
    ]);
    await owner.http.get(`${path()}/csv`).expect(404);
  });

  it('is calculated by a request for all replicas that are not new', async () => {
    const request = await ended(app, owner, await owner.http.post(path()));
    expect(request).toMatchObject({
      id: `action=calculate&target=task&target_id=${task.id}&subresource=agreement`,
      status: 'finished',
      operation: { type: 'calculate:agreement', target: 'task', task_id: task.id },
    });
    const [job] = task.jobs;
    // Two frames, on one of which the annotators disagree about the only tag.
    const shapes = { objects: 2, matched: 1, matched_share: 1, mean_iou: NEAR };
    const tags = { decisions: 2, agreed_share: 0.5 };
    const [fleiss, cohen] = [
      { ...tags, kappa: expect.closeTo(-1 / 3, 12) },
      { ...tags, kappa: 0 },
    ];
    const me = { id: anna.id, username: 'anna', job_id: null };
    const other = { id: null, username: null, job_id: job?.replicas[1] };
    expect((await owner.http.get(path())).body).toEqual({
      task_id: task.id,
      created_date: expect.any(String),
      iou_threshold: 0.4,
      total: { tags: fleiss, shapes },
      jobs: [{ job_id: job?.id, start_frame: 0, stop_frame: 1, annotators: [me, other], tags: fleiss, shapes }],
      labels: [{ label_id: task.labels['car'], name: 'car', tags: fleiss, shapes }],
      pairs: [{ annotators: [other, me], tags: cohen, shapes }],
    });
  });

  it('can be downloaded as CSV', async () => {
    const { text, headers } = await owner.http.get(`${path()}/csv`).set('Accept', '*/*').expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toBe(`attachment; filename="agreement-of-task-${task.id}.csv"`);
    const lines = text.split('\r\n');
    expect(lines[0]).toBe(
      'scope,job_id,label,annotator_1,annotator_2,decisions,agreed_share,kappa,objects,matched,matched_share,mean_iou',
    );
    expect(lines.at(-2)).toBe(`pair,,,replica ${task.jobs[0]?.replicas[1]},anna,2,0.5,0,2,1,1,${NEAR}`);
  });

  it('has no names in its CSV that a spreadsheet would run as formulas', async () => {
    await app.db.query(sql`update app_user set username = '@anna' where id = ${anna.id}`);
    const { text } = await owner.http.get(`${path()}/csv`).set('Accept', '*/*');
    expect(text).toContain(`,'@anna,`);
  });

  it('is replaced when it is calculated again, with the threshold of the settings', async () => {
    await app.db.query(sql`update consensus_settings set iou_threshold = 0.9 where task_id = ${task.id}`);
    await app.db.query(sql`update app_user set username = 'hannah' where id = ${anna.id}`);
    await ended(app, owner, await owner.http.post(path()));
    const { body } = await owner.http.get(path());
    expect([body.iou_threshold, body.total.shapes]).toEqual([0.9, { ...NO_SHAPES, objects: 2, matched_share: 0 }]);
    expect(body.pairs[0].annotators[1].username).toBe('hannah');
    await app.db.query(sql`delete from app_user where id = ${anna.id}`);
    expect((await owner.http.get(path())).body.pairs[0].annotators[1]).toMatchObject({ id: anna.id, username: null });
  });

  it('has no numbers where nobody has annotated anything', async () => {
    const other = await givenReplicas(app, owner);
    for (const id of other.jobs[1]?.replicas ?? []) await annotate(owner, id, {});
    await ended(app, owner, await owner.http.post(`/api/tasks/${other.id}/agreement`));
    const { body } = await owner.http.get(`/api/tasks/${other.id}/agreement`);
    expect([body.total, body.labels, body.pairs.length]).toEqual([{ tags: NO_TAGS, shapes: NO_SHAPES }, [], 3]);
  });

  it('is refused where there is nothing to compare', async () => {
    const refusal = async (id: number): Promise<unknown[]> => {
      const { status, body } = await owner.http.post(`/api/tasks/${id}/agreement`);
      return [status, body];
    };
    expect(await refusal((await givenJobs(app, owner)).id)).toEqual([400, ['Consensus is not enabled in this task']]);
    const fresh = await givenReplicas(app, owner);
    const tooFew = [400, ['No job has two replicas that somebody has worked on']];
    expect(await refusal(fresh.id)).toEqual(tooFew);
    await annotate(owner, fresh.jobs[0]?.replicas[0] ?? 0, {});
    expect(await refusal(fresh.id)).toEqual(tooFew);
    await app.db.query(sql`update task set dimension = '3d' where id = ${fresh.id}`);
    expect(await refusal(fresh.id)).toEqual([400, ['Agreement is only supported in 2d tasks']]);
    await (await new Given(app).person()).http.post(path()).expect(403);
  });

  it('is deleted with the task', async () => {
    await owner.http.delete(`/api/tasks/${task.id}`).expect(204);
    expect(await app.db.query(sql`select from consensus_agreement where task_id = ${task.id}`)).toEqual([]);
  });
});
