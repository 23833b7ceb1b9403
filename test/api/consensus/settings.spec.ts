import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenReplicas, type ReplicatedTask } from '../../support/given-consensus.js';
import { givenJobs } from '../../support/given-jobs.js';

const DEFAULTS = { iou_threshold: 0.4, quorum: 0.5 };

describe('consensus settings', () => {
  let app: TestApp;
  let owner: Person;
  let stranger: Person;
  let task: ReplicatedTask;
  let id: number;

  beforeAll(async () => {
    app = await createTestApp();
    [owner, stranger] = [await new Given(app).person(), await new Given(app).person()];
    task = await givenReplicas(app, owner);
    await givenJobs(app, owner);
    [{ id } = { id: 0 }] = (await owner.http.get('/api/consensus/settings')).body.results as { id: number }[];
  });

  afterAll(() => app.close());

  const path = (): string => `/api/consensus/settings/${id}`;

  it('exist for tasks with replicas from the beginning', async () => {
    const settings = { id, task_id: task.id, ...DEFAULTS };
    const list = await owner.http.get('/api/consensus/settings');
    expect(list.body).toEqual({ count: 1, next: null, previous: null, results: [settings] });
    const one = await owner.http.get(path());
    expect([one.status, one.text]).toEqual([200, JSON.stringify(settings)]);
  });

  it.each([
    ['task_id=', 200, 1],
    ['task_id=TASK', 200, 1],
    ['filter={"==":[{"var":"task_id"},TASK]}', 200, 1],
    ['filter={"==":[{"var":"id"},0]}', 200, 0],
    ['filter={"==":[{"var":"quorum"},0]}', 400, undefined],
    ['sort=-id&page_size=1', 200, 1],
    ['task_id=999999', 404, undefined],
    ['task_id=x', 400, undefined],
    ['page=7', 404, undefined],
  ])('are listed: %s', async (query, status, count) => {
    const url = `/api/consensus/settings?${query.replace('TASK', String(task.id))}`;
    const answer = await owner.http.get(url);
    expect([answer.status, answer.body.count]).toEqual([status, count]);
  });

  it('are hidden from those who may not view the task', async () => {
    expect((await stranger.http.get('/api/consensus/settings')).body.count).toBe(0);
    for (const url of [path(), `/api/consensus/settings?task_id=${task.id}`])
      expect((await stranger.http.get(url)).status).toBe(403);
    expect((await stranger.http.patch(path()).send({ quorum: 1 })).status).toBe(403);
    expect((await owner.http.get('/api/consensus/settings/999999')).body).toEqual({
      detail: 'No ConsensusSettings matches the given query.',
    });
    expect((await owner.http.get('/api/consensus/settings/x')).status).toBe(404);
  });

  it('change without touching the task', async () => {
    const before = await owner.http.get(`/api/tasks/${task.id}`);
    const changed = await owner.http.patch(path()).send({ quorum: 0, iou_threshold: '0.75', task_id: 7, other: 1 });
    expect([changed.status, changed.body]).toEqual([200, { id, task_id: task.id, iou_threshold: 0.75, quorum: 0 }]);
    expect((await owner.http.get(path())).body).toEqual(changed.body);
    expect((await owner.http.patch(path()).send({})).body).toEqual(changed.body);
    expect((await owner.http.get(`/api/tasks/${task.id}`)).body).toEqual(before.body);
    await owner.http.patch(path()).send(DEFAULTS).expect(200);
  });

  it.each([
    [{ quorum: 1.1 }, { quorum: ['Ensure this value is less than or equal to 1.'] }],
    [{ quorum: -0.1 }, { quorum: ['Ensure this value is greater than or equal to 0.'] }],
    [{ iou_threshold: null }, { iou_threshold: ['This field may not be null.'] }],
    [
      { iou_threshold: 'x', quorum: [] },
      { iou_threshold: ['A valid number is required.'], quorum: ['A valid number is required.'] },
    ],
  ])('refuse %j', async (body, error) => {
    const answer = await owner.http.patch(path()).send(body);
    expect([answer.status, answer.body]).toEqual([400, error]);
    expect((await owner.http.get(path())).body).toEqual({ id, task_id: task.id, ...DEFAULTS });
  });

  it('are not changed on the basis of an outdated version', async () => {
    const { headers } = await owner.http.get(path());
    await owner.http.patch(path()).set('If-Match', '"old"').send({ quorum: 1 }).expect(412);
    await owner.http
      .patch(path())
      .set('If-Match', headers['etag'] ?? '')
      .send({ quorum: 0.5 })
      .expect(200);
  });

  it('are deleted with the task', async () => {
    const { id: other } = await givenReplicas(app, owner);
    await owner.http.delete(`/api/tasks/${other}`).expect(204);
    expect(await app.db.query(sql`select from consensus_settings where task_id = ${other}`)).toEqual([]);
  });
});
