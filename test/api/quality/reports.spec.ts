import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { QualitySettingsRepository } from '../../../src/modules/quality/settings/quality-settings.repository.js';
import { QualityReportService } from '../../../src/modules/quality/reports/quality-report.service.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, NEWEST, type Person } from '../../support/given.js';
import {
  type ComparedTask,
  computedQuality,
  finishGroundTruth,
  givenCompared,
  givenExample,
  putBoxes,
} from '../../support/given-quality.js';

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

interface ListBody {
  readonly count: number;
  readonly results: Record<string, unknown>[];
  readonly summary?: object;
}

describe('quality reports', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let task: ComparedTask;
  let jobId: number;
  let reportId: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    task = await givenExample(app, owner);
    jobId = task.jobs[0] ?? 0;
    reportId = (await computedQuality(app, owner, { task_id: task.id })).result_id;
  });

  afterAll(() => app.close());

  const get = async (path: string, person = owner) => {
    const { status, body } = await person.http.get(`/api/quality/${path}`);
    return { status, body: body as ListBody };
  };

  it('are computed in the background', async () => {
    const request = await computedQuality(app, owner, { task_id: task.id });
    expect(request).toMatchObject({
      id: `action=calculate&target=task&target_id=${task.id}&subresource=quality`,
      status: 'finished',
      operation: { type: 'calculate:quality', target: 'task', task_id: task.id, job_id: null, format: null },
      result_id: expect.any(Number),
    });
    const kept = Date.parse(String(request['expiry_date'])) - Date.parse(String(request['finished_date']));
    expect(Math.abs(kept - 120_000)).toBeLessThan(1000);
  });

  it('have the numbers of the worked example', async () => {
    const { body } = await get(`reports/${reportId}`);
    expect(body).toEqual({
      id: reportId,
      job_id: null,
      task_id: task.id,
      project_id: null,
      parent_id: null,
      target: 'task',
      summary: {
        total_frames: 2, frame_count: 1, frame_share: 0.5, validation_frames: 1, validation_frame_share: 0.5,
        conflict_count: 1, warning_count: 0, error_count: 1, conflicts_by_type: { extra_annotation: 1 },
        valid_count: 1, ds_count: 2, gt_count: 1, total_count: 2, accuracy: 0.5, precision: 0.5, recall: 1,
        jobs: { total: 1, excluded: 0, not_checkable: 0, included: 1, completed: 0 },
        requirements: {
          total: 1, enabled: 1, completed: 0, not_computed: 0,
          items: [{
            requirement_id: expect.any(Number), name: 'Base', metric: 'accuracy', score: 0.5,
            score_components: { valid_count: 1, missing_count: 0, extra_count: 1 },
            calculation: { status: 'computed' }, threshold: 0.7,
          }],
        },
      },
      created_date: expect.stringMatching(DATE),
      target_last_updated: expect.stringMatching(DATE),
      gt_last_updated: expect.stringMatching(DATE),
      assignee: null,
    }); // prettier-ignore
    const parts = await get(`reports?parent_id=${reportId}`);
    expect(parts.body.results).toMatchObject([{ job_id: jobId, task_id: task.id, parent_id: reportId, target: 'job' }]);
    expect(parts.body.results[0]?.['summary']).not.toHaveProperty('jobs');
  });

  it('have a document that is no error if its client leaves', async () => {
    const server: Server = app.app.getHttpServer();
    const service = app.app.get(QualityReportService, { strict: false });
    const { document } = service;
    const leaving = new AbortController();
    const request = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    jest.spyOn(service, 'document').mockImplementationOnce(async (...values) => {
      const found = await document.apply(service, values);
      const closed = once((await request)[1], 'close');
      leaving.abort();
      await closed;
      return found;
    });
    const headers = { Authorization: `Token ${owner.token}` };
    const left = fetch(`${app.url}/api/quality/reports/${reportId}/data`, { headers, signal: leaving.signal });
    await expect(left).rejects.toThrow();
    const [, response] = await request;
    while (!response.writableEnded) await pause(10);
    expect(response.statusCode).toBe(499);
  });

  it('have a document with fractions as CVAT writes them', async () => {
    const answer = await owner.http.get(`/api/quality/reports/${reportId}/data`).buffer(true).parse((response, done) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part)).on('end', () => done(null, Buffer.concat(parts).toString()));
    }); // prettier-ignore
    const text = answer.body as string;
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(text.startsWith(`{\n  "id": ${reportId},\n  "task_id": ${task.id},\n  "created_date": "20`)).toBe(true);
    expect([text.endsWith('\n}\n'), text.includes('"recall": 1.0'), text.includes('"mean_iou": 0.4375')]).toEqual([
      true,
      true,
      true,
    ]);
    const document = JSON.parse(text) as Record<string, object>;
    expect(Object.keys(document)).toEqual([
      'id', 'task_id', 'created_date', 'target_last_updated', 'gt_last_updated', 'assignee', 'parameters',
      'comparison_summary', 'frame_results', 'conflicts',
    ]); // prettier-ignore
    expect(document['created_date']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    expect(document['comparison_summary']).toMatchObject({
      frames: [0],
      frame_share_percent: 50,
      jobs: { all: [jobId] },
    });
    expect(document['conflicts']).toEqual([
      {
        frame_id: 0,
        type: 'extra_annotation',
        severity: 'error',
        annotation_ids: [{ obj_id: expect.any(Number), job_id: jobId, type: 'shape', shape_type: 'rectangle' }],
      },
    ]);
    const url = `${app.url}/tasks/${task.id}/jobs/${jobId}?frame=0&type=shape&serverID=`;
    expect(JSON.stringify(document['frame_results'])).toContain(url);
  });

  it('have their conflicts in the reports of jobs', async () => {
    const { body } = await get(`conflicts?report_id=${reportId}`);
    const [part] = (await get(`reports?parent_id=${reportId}`)).body.results;
    expect(body.results).toEqual([
      {
        id: expect.any(Number),
        frame: 0,
        type: 'extra_annotation',
        annotation_ids: [{ obj_id: expect.any(Number), job_id: jobId, type: 'shape', shape_type: 'rectangle' }],
        report_id: part?.['id'],
        severity: 'error',
      },
    ]);
    const count = async (query: string): Promise<number> => (await get(`conflicts?${query}`)).body.count;
    expect(await count(`report_id=${reportId}&severity=warning`)).toBe(0);
    expect(await count(`report_id=${reportId}&type=extra_annotation&frame=0`)).toBe(1);
    expect(await count(`task_id=${task.id}`)).toBe(await count(`job_id=${jobId}`));
  });

  it('are filtered by task, job and target', async () => {
    const targets = async (query: string) => (await get(`reports?${query}`)).body.results.map(({ target }) => target);
    expect(new Set(await targets(`task_id=${task.id}`))).toEqual(new Set(['task', 'job']));
    expect(new Set(await targets(`job_id=${jobId}`))).toEqual(new Set(['job']));
    expect(new Set(await targets(`task_id=${task.id}&target=task`))).toEqual(new Set(['task']));
    const filter = encodeURIComponent(JSON.stringify({ '==': [{ var: 'task_id' }, task.id] }));
    expect(new Set(await targets(`filter=${filter}`))).toEqual(new Set(['task']));
  });

  it.each([
    ['reports?task_id=99999', 404, { detail: 'Task 99999 does not exist' }],
    ['reports?project_id=99999', 404, { detail: 'Project 99999 does not exist' }],
    ['reports?job_id=99999', 404, { detail: 'Job 99999 does not exist' }],
    ['reports?parent_id=99999', 404, { detail: 'Quality report 99999 does not exist' }],
    ['reports?task_id=x', 400, { task_id: ['Enter a number.'] }],
    ['reports?target=foo', 400, ["Unexpected 'target' filter value 'foo'. Valid values are: job, task, project"]],
    ['reports/99999', 404, { detail: 'No QualityReport matches the given query.' }],
    ['reports/99999/data', 404, { detail: 'No QualityReport matches the given query.' }],
    ['conflicts?report_id=99999', 404, { detail: 'Quality report 99999 does not exist' }],
    ['conflicts?task_id=99999', 404, { detail: 'Task 99999 does not exist' }],
  ])('refuse %s', async (path, status, body) => {
    expect(await get(path)).toEqual({ status, body });
  });

  it.each([
    [{}, 400, { non_field_errors: ['One of the fields "task_id", "project_id" required'] }],
    [
      { task_id: 1, project_id: 1 },
      400,
      { non_field_errors: ['Only 1 of the fields "task_id", "project_id" can be used'] },
    ],
    [{ task_id: 'x' }, 400, { task_id: ['A valid integer is required.'] }],
    [{ task_id: 99999 }, 404, { detail: 'Task 99999 does not exist' }],
    [{ project_id: 99999 }, 404, { detail: 'Project 99999 does not exist' }],
  ])('are not computed for %j', async (body, status, problem) => {
    const answer = await owner.http.post('/api/quality/reports').send(body);
    expect([answer.status, answer.body]).toEqual([status, problem]);
  });

  it('need finished ground truth in a 2d task', async () => {
    const other = await givenCompared(app, owner);
    const start = () => owner.http.post('/api/quality/reports').send({ task_id: other.id });
    const refusal = [
      'Quality reports require a Ground Truth job in the task at the acceptance stage and in the completed state',
    ];
    expect((await start()).body).toEqual(refusal);
    await owner.http.patch(`/api/jobs/${other.groundTruthId}`).send({ state: 'completed' });
    expect((await start()).body).toEqual(refusal);
    await finishGroundTruth(owner, other.groundTruthId);
    await app.db.query(sql`update task set dimension = '3d' where id = ${other.id}`);
    expect((await start()).body).toEqual(['Quality reports are only supported in 2d tasks']);
    await app.db.query(sql`update task set dimension = '2d' where id = ${other.id}`);
    const { rq_id: id } = (await start().expect(202)).body as { rq_id: string };
    expect(await start().then(({ status, body }) => [status, body])).toEqual([409, { rq_id: id }]);
    await owner.http.patch(`/api/jobs/${other.groundTruthId}`).send({ state: 'in progress' });
    await app.app.get(RequestWorker).drain();
    const request = await owner.http.get(`/api/requests/${encodeURIComponent(id)}`);
    expect(request.body).toMatchObject({ status: 'finished', result_id: null });
    expect((await get(`reports?task_id=${other.id}`)).body.results).toEqual([]);
  });

  it('can be followed in the old way', async () => {
    const ask = (id: string, person = owner) =>
      person.http.post(`/api/quality/reports?rq_id=${encodeURIComponent(id)}`).send();
    expect(await ask('foo').then(({ status, body }) => [status, body])).toEqual([
      400,
      'Provided request ID is invalid',
    ]);
    const unknown = 'action=calculate&target=task&target_id=99999&subresource=quality';
    expect(await ask(unknown).then(({ status, body }) => [status, body])).toEqual([404, 'Unknown request id']);
    const { rq_id: id } = (await owner.http.post('/api/quality/reports').send({ task_id: task.id })).body as {
      rq_id: string;
    };
    const waiting = await ask(id);
    expect([waiting.status, waiting.body, waiting.headers['deprecation']]).toEqual([202, { rq_id: id }, '@1742169600']);
    expect((await ask(id, await given.admin())).status).toBe(404);
    await app.app.get(RequestWorker).drain();
    expect(await ask(id).then(({ status, body }) => [status, body.target])).toEqual([201, 'task']);
    expect((await ask(id)).status).toBe(404);
  });

  it('fail for a job filter with an unknown term', async () => {
    const other = await givenExample(app, owner);
    const [settings] = (await get(`settings?task_id=${other.id}`)).body.results;
    const url = `/api/quality/settings/${String(settings?.['id'])}`;
    await owner.http.patch(url).send({ job_filter: '{"==":[{"var":"foo"},1]}' }).expect(200);
    const request = await computedQuality(app, owner, { task_id: other.id });
    expect([request['status'], request['message']]).toEqual(['failed', "filter: 'foo' term is not supported\n"]);
    await owner.http.patch(url).send({ job_filter: '{"==":[{"var":"state"},"completed"]}' }).expect(200);
    const { result_id: id } = await computedQuality(app, owner, { task_id: other.id });
    expect((await get(`reports/${id}`)).body.summary).toMatchObject({
      jobs: { excluded: 1, included: 0 },
      accuracy: 0,
    });
    await owner.http.patch(url).send({ job_filter: '{}' }).expect(200);
    const { result_id: whole } = await computedQuality(app, owner, { task_id: other.id });
    expect((await get(`reports/${whole}`)).body.summary).toMatchObject({ jobs: { excluded: 0, included: 1 } });
  });

  it('carry their summary and the target in the request', async () => {
    await computedQuality(app, owner, { task_id: task.id });
    const id = encodeURIComponent(`action=calculate&target=task&target_id=${task.id}&subresource=quality`);
    const { body } = await owner.http.get(`/api/requests/${id}`).set('Accept', NEWEST);
    expect(body).toMatchObject({
      report: null,
      quality: {
        target: 'task',
        target_metric: 'accuracy',
        target_metric_threshold: 0.7,
        value: 0.5,
        passed: false,
        summary: { accuracy: 0.5, recall: 1 },
      },
    });
    expect((await owner.http.get(`/api/requests/${id}`)).body).not.toHaveProperty('quality');
  });

  it('are visible to the staff of the task only', async () => {
    const annotator = await given.person();
    const admin = await given.admin();
    await admin.http.patch(`/api/jobs/${jobId}`).send({ assignee: annotator.id }).expect(200);
    expect((await get(`reports?task_id=${task.id}`, annotator)).status).toBe(403);
    expect((await get(`reports/${reportId}`, annotator)).status).toBe(403);
    expect((await get(`reports/${reportId}/data`, annotator)).status).toBe(403);
    expect((await get(`conflicts?report_id=${reportId}`, annotator)).status).toBe(403);
    expect(await get(`reports?job_id=${jobId}`, annotator)).toMatchObject({ status: 200, body: { results: [] } });
    expect(await get(`conflicts?task_id=${task.id}`, annotator)).toMatchObject({ status: 200, body: { results: [] } });
    expect((await get('reports', annotator)).body.results).toEqual([]);
    const start = await annotator.http.post('/api/quality/reports').send({ task_id: task.id });
    expect(start.status).toBe(403);
    const colleague = await given.person({ groups: ['worker'] });
    await admin.http.patch(`/api/tasks/${task.id}`).send({ assignee_id: colleague.id }).expect(200);
    expect((await get(`reports?task_id=${task.id}`, colleague)).body.results.length).toBeGreaterThan(0);
    expect((await get(`conflicts?report_id=${reportId}`, colleague)).body.results).toHaveLength(1);
  });

  it('of an organization are visible to its maintainers, whatever the request names', async () => {
    const maintainer = await given.person();
    const outsider = await given.person();
    const organization = await given.organization(owner, [{ person: maintainer, role: 'maintainer' }]);
    const project = await owner.http
      .post(`/api/projects?org=${organization.slug}`)
      .send({ name: 'p', labels: [{ name: 'car' }] });
    const { result_id: id } = await computedQuality(app, owner, { project_id: project.body.id });
    expect((await get(`reports?project_id=${project.body.id}`, maintainer)).body.results).toMatchObject([{ id }]);
    expect((await get(`reports?project_id=${project.body.id}`, outsider)).status).toBe(403);
    expect((await get('reports', maintainer)).body.results).toEqual([]);
    expect((await get(`reports?org=${organization.slug}`, maintainer)).body.results).toMatchObject([{ id }]);
    expect((await get(`reports?org=${organization.slug}`, outsider)).status).toBe(403);
  });

  it('are deleted with their job, task and project', async () => {
    const rows = async () =>
      (await app.db.query<{ count: number }>(sql`
        select (select count(*) from quality_report) + (select count(*) from quality_conflict)
          + (select count(*) from quality_report_part) as count`))[0]?.count; // prettier-ignore
    const before = await rows();
    const project = await owner.http
      .post('/api/projects')
      .send({ name: 'p', labels: [{ name: 'car' }, { name: 'person' }] });
    const inProject = await givenCompared(app, owner, { options: { project_id: project.body.id } });
    const { results: labels } = (await owner.http.get(`/api/labels?project_id=${project.body.id}&sort=id`)).body as {
      results: { id: number }[];
    };
    await putBoxes(owner, inProject.jobs[0] ?? 0, [{ label_id: labels[0]?.id ?? 0, points: [1, 1, 9, 9] }]);
    await finishGroundTruth(owner, inProject.groundTruthId);
    const { result_id: id } = await computedQuality(app, owner, { project_id: project.body.id });
    expect((await get(`reports?parent_id=${id}`)).body.results).toMatchObject([{ target: 'job' }, { target: 'task' }]);
    expect((await get(`conflicts?report_id=${id}`)).body.results).toHaveLength(1);
    await app.db.query(sql`delete from job where id = ${inProject.jobs[0]}`);
    expect((await get(`reports?parent_id=${id}`)).body.results).toMatchObject([{ target: 'task' }]);
    await owner.http.delete(`/api/tasks/${inProject.id}`).expect(204);
    expect((await get(`reports?project_id=${project.body.id}`)).body.results).toMatchObject([{ id }]);
    await owner.http.delete(`/api/projects/${project.body.id}`).expect(204);
    expect(await rows()).toBe(before);
  });

  it('of a project use the settings that its tasks have when they are compared', async () => {
    const project = await owner.http
      .post('/api/projects')
      .send({ name: 'p', labels: [{ name: 'car' }, { name: 'person' }] });
    const { id, groundTruthId } = await givenCompared(app, owner, { options: { project_id: project.body.id } });
    await finishGroundTruth(owner, groundTruthId);
    const { results } = (await get(`settings?task_id=${id}`)).body;
    const change = () =>
      owner.http
        .patch(`/api/quality/settings/${String(results[0]?.['id'])}`)
        .send({ inherit: false, iou_threshold: 0.9 });
    const rows = app.app.get(QualitySettingsRepository);
    const read = rows.ofTasks.bind(rows);
    const spy = jest.spyOn(rows, 'ofTasks').mockImplementationOnce(async (...parameters) => {
      const before = await read(...parameters);
      await change().expect(200);
      return before;
    });
    await computedQuality(app, owner, { project_id: project.body.id });
    spy.mockRestore();
    const [report] = (await get(`reports?task_id=${id}&target=task`)).body.results;
    const { body } = await owner.http.get(`/api/quality/reports/${String(report?.['id'])}/data`);
    expect(body.parameters).toMatchObject({ inherited: false, iou_threshold: 0.9 });
  });

  it('of a project without tasks is a report of zeros', async () => {
    const project = await owner.http.post('/api/projects').send({ name: 'empty', labels: [] });
    const { result_id: id } = await computedQuality(app, owner, { project_id: project.body.id });
    expect((await get(`reports/${id}`)).body).toMatchObject({
      target: 'project',
      gt_last_updated: null,
      summary: { total_frames: 0, accuracy: 0, tasks: { total: 0, completed: 0 }, jobs: { total: 0, completed: 0 } },
    });
    const { body } = await get(`reports/${id}/data`);
    expect(body).toMatchObject({ comparison_summary: { annotations: { confusion_matrix: null } } });
  });
});
