import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';

const DEFAULTS = {
  job_filter: '', inherit: true, target_metric: 'accuracy', target_metric_threshold: 0.7, max_validations_per_job: 0,
  iou_threshold: 0.4, oks_sigma: 0.09, point_size_base: 'group_bbox_size', line_thickness: 0.01,
  low_overlap_threshold: 0.8, compare_line_orientation: true, line_orientation_threshold: 0.1, compare_groups: true,
  group_match_threshold: 0.5, check_covered_annotations: true, object_visibility_threshold: 0.05,
  panoptic_comparison: true, compare_attributes: true, empty_is_annotated: false,
}; // prettier-ignore

describe('quality settings', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let projectId: number;
  let taskId: number;
  let jobs: readonly number[];

  const settingsOf = async (query: string, person = owner) => {
    const { status, body } = await person.http.get(`/api/quality/settings?${query}`);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body.results as Record<string, unknown>[];
  };

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    const project = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] });
    projectId = project.body.id;
    ({ id: taskId, jobs } = await givenJobs(app, owner, { projectId }));
  });

  afterAll(() => app.close());

  it('exist for every task and project from the beginning, in the order of the contract', async () => {
    const [ofTask] = await settingsOf(`task_id=${taskId}`);
    const dates = { created_date: expect.any(String), updated_date: expect.any(String) };
    expect(ofTask).toEqual({ id: expect.any(Number), task_id: taskId, project_id: null, ...DEFAULTS, ...dates });
    const names = ['id', 'task_id', 'project_id', ...Object.keys(DEFAULTS), ...Object.keys(dates)];
    expect(Object.keys(ofTask ?? {})).toEqual(names);
    const one = await owner.http.get(`/api/quality/settings/${String(ofTask?.['id'])}`);
    expect([one.status, Object.keys(one.body)]).toEqual([200, names]);
    expect(one.body).toEqual(ofTask);
  });

  it('are filtered by task, project with its tasks, and kind', async () => {
    expect(await settingsOf(`project_id=${projectId}`)).toMatchObject([
      { task_id: null, project_id: projectId },
      { task_id: taskId, project_id: null },
    ]);
    expect(await settingsOf(`project_id=${projectId}&parent_type=task`)).toMatchObject([{ task_id: taskId }]);
    const filter = encodeURIComponent(JSON.stringify({ '==': [{ var: 'project_id' }, projectId] }));
    expect(await settingsOf(`filter=${filter}`)).toMatchObject([{ project_id: projectId }]);
    expect(await settingsOf('inherit=false')).toEqual([]);
  });

  it.each([
    ['task_id=99999', 400, ['Task matching query does not exist.']],
    ['project_id=99999', 400, ['Project matching query does not exist.']],
    ['task_id=x', 400, { task_id: ['Enter a number.'] }],
    ['parent_type=foo', 400, ["Unexpected 'parent_type' filter value 'foo'. Valid values are: task, project"]],
  ])('refuse the filter %s', async (query, status, body) => {
    const answer = await owner.http.get(`/api/quality/settings?${query}`);
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  it.each([
    [{ iou_threshold: 1.1 }, { iou_threshold: ['Ensure this value is less than or equal to 1.'] }],
    [{ oks_sigma: -1 }, { oks_sigma: ['Ensure this value is greater than or equal to 0.'] }],
    [{ target_metric: 'foo' }, { target_metric: ['"foo" is not a valid choice.'] }],
    [{ line_thickness: null }, { line_thickness: ['This field may not be null.'] }],
    [{ job_filter: null }, { job_filter: ['This field may not be null.'] }],
    [{ inherit: 'x' }, { inherit: ['Must be a valid boolean.'] }],
    [
      { max_validations_per_job: -1 },
      { max_validations_per_job: ['Ensure this value is greater than or equal to 0.'] },
    ],
    [
      { job_filter: 'x' },
      { job_filter: ["filter: can't parse filter expression: Expecting value: line 1 column 1 (char 0)"] },
    ],
  ])('refuse %j', async (body, problem) => {
    const [row] = await settingsOf(`task_id=${taskId}`);
    const answer = await owner.http.patch(`/api/quality/settings/${String(row?.['id'])}`).send(body);
    expect([answer.status, answer.body]).toEqual([400, problem]);
  });

  it('change only what is sent, and give their task a new date', async () => {
    const [row] = await settingsOf(`task_id=${taskId}`);
    const before = (await owner.http.get(`/api/tasks/${taskId}`)).body;
    const url = `/api/quality/settings/${String(row?.['id'])}`;
    const sent = { id: 7, task_id: 8, nonsense: 1, iou_threshold: 0.5, job_filter: '{"==":[{"var":"foo"},1]}' };
    const { status, body } = await owner.http.patch(url).send(sent);
    const date = expect.any(String);
    const changed = { ...row, iou_threshold: 0.5, job_filter: sent.job_filter, updated_date: date };
    expect([status, body]).toEqual([200, changed]);
    const after = (await owner.http.get(`/api/tasks/${taskId}`)).body;
    expect(Date.parse(after.updated_date)).toBeGreaterThan(Date.parse(before.updated_date));
    expect(Date.parse(body.updated_date)).toBeGreaterThan(Date.parse(String(row?.['updated_date'])));
    const again = await owner.http.patch(url).send({});
    expect(Date.parse(again.body.updated_date)).toBeGreaterThan(Date.parse(body.updated_date));
    const put = await owner.http.put(url).send({ max_validations_per_job: 3 });
    expect([put.status, put.body.max_validations_per_job, put.body.iou_threshold]).toEqual([200, 3, 0.5]);
    for (const method of ['post', 'delete'] as const) expect((await owner.http[method](url).send({})).status).toBe(405);
  });

  it('can be read and changed by those who can do so with the task', async () => {
    const [row] = await settingsOf(`task_id=${taskId}`);
    const url = `/api/quality/settings/${String(row?.['id'])}`;
    const annotator = await given.person();
    const admin = await given.admin();
    await admin.http.patch(`/api/jobs/${jobs[0]}`).send({ assignee: annotator.id }).expect(200);
    const stranger = await given.person();
    for (const person of [annotator, stranger]) {
      expect((await person.http.get(url)).status).toBe(403);
      expect((await person.http.patch(url).send({})).status).toBe(403);
      expect((await person.http.get(`/api/quality/settings?task_id=${taskId}`)).status).toBe(403);
      expect(await settingsOf('', person)).toEqual([]);
    }
    expect((await owner.http.get('/api/quality/settings/99999')).body).toEqual({
      detail: 'No QualitySettings matches the given query.',
    });
  });

  it('of an organization are judged in the organization that the request names', async () => {
    const maintainer = await given.person();
    const organization = await given.organization(owner, [{ person: maintainer, role: 'maintainer' }]);
    const task = await givenJobs(app, owner, { organization: organization.slug });
    expect((await maintainer.http.get(`/api/quality/settings?task_id=${task.id}`)).status).toBe(403);
    const found = await settingsOf(`task_id=${task.id}&org=${organization.slug}`, maintainer);
    expect(found).toMatchObject([{ task_id: task.id }]);
    expect((await maintainer.http.patch(`/api/quality/settings/${String(found[0]?.['id'])}`).send({})).status).toBe(
      200,
    );
  });

  it('disappear with their task', async () => {
    const task = await givenJobs(app, owner);
    const [row] = await settingsOf(`task_id=${task.id}`);
    await owner.http.delete(`/api/tasks/${task.id}`);
    expect((await owner.http.get(`/api/quality/settings/${String(row?.['id'])}`)).status).toBe(404);
  });
});
