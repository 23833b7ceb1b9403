import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import {
  type ComparedTask,
  computedQuality,
  finishGroundTruth,
  givenCompared,
  givenExample,
} from '../../support/given-quality.js';

describe('checks of completed jobs', () => {
  let app: TestApp;
  let given: Given;
  let admin: Person;
  let annotator: Person;
  let task: ComparedTask;
  let jobId: number;

  const limit = async (taskId: number, max: number): Promise<void> => {
    const { body } = await admin.http.get(`/api/quality/settings?task_id=${taskId}`);
    const [settings] = (body as { results: { id: number }[] }).results;
    await admin.http.patch(`/api/quality/settings/${settings?.id}`).send({ max_validations_per_job: max }).expect(200);
  };
  const complete = async (id: number): Promise<void> => {
    await annotator.http.patch(`/api/jobs/${id}`).send({ state: 'in progress' }).expect(200);
    await annotator.http.patch(`/api/jobs/${id}`).send({ state: 'completed' }).expect(200);
    await app.drain();
  };
  const outcome = async (id = jobId) =>
    (await annotator.http.get(`/api/jobs/${id}/quality`)).body as Record<string, unknown>;
  const checks = async (id = jobId): Promise<number> => {
    const rows = await app.db.query(sql`select from quality_report where job_id = ${id} and immediate`);
    return rows.length;
  };

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    admin = await given.admin();
    annotator = await given.person({ groups: ['worker'] });
    task = await givenExample(app, admin);
    jobId = task.jobs[0] ?? 0;
    await admin.http.patch(`/api/jobs/${jobId}`).send({ assignee: annotator.id }).expect(200);
  });

  afterAll(() => app.close());

  it('are off by default', async () => {
    await complete(jobId);
    await app.app.get(RequestWorker).drain();
    expect(await outcome()).toEqual({
      status: 'none', checked_date: null, target_metric: 'accuracy', target_metric_threshold: 0.7, value: null,
      passed: null, checked_frames: null, error_count: null, remaining_checks: 0,
    }); // prettier-ignore
  });

  it('tell the annotator the numbers, but nothing about the ground truth', async () => {
    await limit(task.id, 2);
    await complete(jobId);
    expect(await outcome()).toMatchObject({ status: 'pending', value: null });
    await app.app.get(RequestWorker).drain();
    expect(await outcome()).toEqual({
      status: 'checked', checked_date: expect.any(String), target_metric: 'accuracy', target_metric_threshold: 0.7,
      value: 0.5, passed: false, checked_frames: 1, error_count: 1, remaining_checks: 1,
    }); // prettier-ignore
    const { body } = await admin.http.get(`/api/quality/reports?job_id=${jobId}`);
    expect(body.results).toMatchObject([{ target: 'job', parent_id: null, summary: { accuracy: 0.5 } }]);
    expect((await annotator.http.get(`/api/quality/reports/${body.results[0].id}/data`)).status).toBe(403);
    expect((await annotator.http.get(`/api/quality/conflicts?job_id=${jobId}`)).body.results).toEqual([]);
  });

  it('stop at the limit', async () => {
    for (let round = 0; round < 3; round += 1) {
      await complete(jobId);
      await app.app.get(RequestWorker).drain();
    }
    expect([await checks(), (await outcome())['remaining_checks']]).toEqual([2, 0]);
  });

  it('do not follow other changes, and need finished ground truth', async () => {
    const other = await givenCompared(app, admin);
    const [id = 0] = other.jobs;
    await limit(other.id, 5);
    await admin.http.patch(`/api/jobs/${id}`).send({ assignee: annotator.id, stage: 'annotation' }).expect(200);
    await complete(id);
    await finishGroundTruth(admin, other.groundTruthId);
    await app.drain();
    await app.app.get(RequestWorker).drain();
    expect([await checks(id), (await outcome(id))['status']]).toEqual([0, 'none']);
  });

  it('leave no report if no frame of the job has ground truth', async () => {
    const other = await givenCompared(app, admin, { options: { segment_size: 1 } });
    const [, id = 0] = other.jobs;
    await limit(other.id, 5);
    await finishGroundTruth(admin, other.groundTruthId);
    await admin.http.patch(`/api/jobs/${id}`).send({ assignee: annotator.id }).expect(200);
    await complete(id);
    await app.app.get(RequestWorker).drain();
    expect([await checks(id), await outcome(id)]).toMatchObject([0, { status: 'none', remaining_checks: 5 }]);
  });

  it('are hidden from strangers', async () => {
    const stranger = await given.person();
    expect((await stranger.http.get(`/api/jobs/${jobId}/quality`)).status).toBe(403);
    expect((await stranger.http.get('/api/jobs/99999/quality')).status).toBe(404);
  });

  it('and reports of tasks reach a webhook whose filter selects low accuracy, but not one that selects high accuracy', async () => {
    const hook = (filter: object) =>
      admin.http.post('/api/webhooks').send({
        target_url: 'http://127.0.0.1:9/hook',
        type: 'server',
        events: ['completed:request[calculate:quality]'],
        api_version: '2.2',
        filter,
      }); // prettier-ignore
    const value = { var: 'request.quality.summary.accuracy' };
    const low = await hook({
      and: [{ var: 'request.quality' }, { '<': [value, { var: 'request.quality.target_metric_threshold' }] }],
    });
    const high = await hook({ '>=': [value, { var: 'request.quality.target_metric_threshold' }] });
    const failed = await hook({ '===': [{ var: 'request.quality.passed' }, false] });
    expect([low.status, high.status, failed.status]).toEqual([201, 201, 201]);
    await computedQuality(app, admin, { task_id: task.id });
    await app.drain();
    const rows = await app.db.query<{ webhook_id: number }>(
      sql`select webhook_id from webhook_delivery where event <> 'ping' order by 1`,
    );
    expect(rows.map(({ webhook_id: id }) => id)).toEqual([low.body.id, failed.body.id]);
  });
});
