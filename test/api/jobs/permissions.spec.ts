import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs, type TaskWithJobs } from '../../support/given-jobs.js';

const statusOf = async (person: Person, url: string): Promise<number> => (await person.http.get(url)).status;

describe('permissions for jobs', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let maintainer: Person;
  let supervisor: Person;
  let worker: Person;
  let stranger: Person;
  let crowd: Person;
  let admin: Person;
  let slug: string;
  let task: TaskWithJobs;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    [owner, maintainer, supervisor, worker, stranger] = [
      await given.person(), await given.person(), await given.person(), await given.person(), await given.person(),
    ]; // prettier-ignore
    crowd = await given.person({ groups: ['worker'] });
    admin = await given.admin();
    const members = Object.entries({ maintainer, supervisor, worker }).map(([role, person]) => ({ person, role }));
    ({ slug } = await given.organization(owner, members));
    task = await givenJobs(app, supervisor, { organization: slug });
    await app.db.query(sql`
      update task set target_storage_id = storage.id from (select id from storage limit 1) storage where task.id = ${task.id}`);
  });

  afterAll(() => app.close());

  const job = (index = 0): string => `/api/jobs/${task.jobs[index]}`;
  const countOf = async (person: Person, query: string): Promise<unknown> => {
    const answer = await person.http.get(`/api/jobs?task_id=${task.id}&${query}`);
    return answer.status === 200 ? answer.body.count : answer.status;
  };

  it('seeing', async () => {
    const seen = [];
    for (const person of [owner, maintainer, supervisor, admin, worker, stranger, crowd])
      seen.push(await statusOf(person, job()));
    expect(seen).toEqual([200, 200, 200, 200, 403, 403, 403]);
    expect(await Promise.all([maintainer, worker, stranger].map((person) => countOf(person, `org=${slug}`)))).toEqual([
      3, 0, 403,
    ]);
    expect(await Promise.all([maintainer, supervisor, admin].map((person) => countOf(person, '')))).toEqual([0, 3, 3]);
    expect(await Promise.all([supervisor, admin].map((person) => countOf(person, 'org=')))).toEqual([0, 0]);
  });

  it('assigning a job to a member, who can work on it but not change its stage', async () => {
    expect((await worker.http.patch(job()).send({ assignee: worker.id })).status).toBe(403);
    const given = await supervisor.http.patch(job()).send({ assignee: worker.id });
    expect([given.status, given.body.assignee.username]).toEqual([200, worker.username]);
    expect(given.body.assignee_updated_date).not.toBeNull();
    expect((await worker.http.patch(job()).send({ state: 'in progress' })).status).toBe(200);
    expect((await worker.http.patch(job()).send({ stage: 'validation' })).status).toBe(403);
    expect((await worker.http.patch(job()).send({ stage: 'validation', state: 'new' })).status).toBe(403);
    expect(await countOf(worker, `org=${slug}`)).toBe(1);
    expect(await statusOf(worker, job(1))).toBe(403);
  });

  it('an unknown person', async () => {
    const answer = await supervisor.http.patch(job()).send({ assignee: 99999 });
    expect([answer.status, answer.body]).toEqual([400, ['User matching query does not exist.']]);
  });

  it('working as an assignee from outside the organization', async () => {
    await admin.http.patch(job(1)).send({ assignee: crowd.id });
    expect(await statusOf(crowd, job(1))).toBe(200);
    expect((await crowd.http.patch(job(1)).send({ state: 'completed' })).status).toBe(200);
    expect((await crowd.http.patch(job(1)).send({ stage: 'acceptance' })).status).toBe(403);
    expect((await crowd.http.patch(job(1)).send({})).status).toBe(200);
  });

  it('seeing the name of the task, and that of the project for those who can see it', async () => {
    const project = await owner.http.post('/api/projects').send({ name: 'streets', labels: [{ name: 'car' }] });
    const { id, jobs } = await givenJobs(app, owner, { projectId: project.body.id });
    const [expert, annotator] = [await given.person(), await given.person()];
    await app.db.query(sql`update job set assignee_id = ${annotator.id} where id = ${jobs[0]}`);
    await app.db.query(sql`update task set assignee_id = ${expert.id} where id = ${id}`);
    const namesFor = async (person: Person) => {
      const { body } = await person.http.get(`/api/jobs/${jobs[0]}`);
      const list = await person.http.get(`/api/jobs?task_id=${id}`);
      expect(list.body.results[0]).toMatchObject({ task_name: body.task_name, project_name: body.project_name });
      return [body.task_name, body.project_name];
    };
    const { name } = (await owner.http.get(`/api/tasks/${id}`)).body as { name: string };
    expect(await namesFor(owner)).toEqual([name, 'streets']);
    expect(await namesFor(expert)).toEqual([name, null]);
    expect(await namesFor(annotator)).toEqual([name, null]);
  });

  it('seeing the storages of the task', async () => {
    const other = await givenJobs(app, owner);
    await owner.http.patch(`/api/tasks/${other.id}`).send({ target_storage: { location: 'local' } });
    await admin.http.patch(`/api/jobs/${other.jobs[0]}`).send({ assignee: stranger.id });
    const storageFor = async (person: Person): Promise<unknown> =>
      (await person.http.get(`/api/jobs/${other.jobs[0]}`)).body.target_storage;
    expect(await storageFor(owner)).toMatchObject({ location: 'local' });
    expect(await storageFor(stranger)).toBeNull();
    expect((await stranger.http.get('/api/jobs')).body.results).toMatchObject([{ target_storage: null }]);
  });

  it('creating and deleting ground truth jobs', async () => {
    const body = { type: 'ground_truth', task_id: task.id, frame_selection_method: 'manual', frames: [0] };
    for (const person of [worker, stranger, crowd])
      expect((await person.http.post('/api/jobs').send(body)).status).toBe(403);
    const made = await maintainer.http.post('/api/jobs').send(body);
    expect(made.status).toBe(201);
    expect(made.headers['location']).toBe(made.body.url);
    expect((await worker.http.delete(`/api/jobs/${made.body.id}`)).status).toBe(403);
    expect((await supervisor.http.delete(`/api/jobs/${made.body.id}`)).status).toBe(204);
  });

  it('a former member of the organization', async () => {
    await app.db.query(sql`update membership set is_active = false where user_id = ${supervisor.id}`);
    expect(await statusOf(supervisor, job())).toBe(403);
    await app.db.query(sql`update membership set is_active = true where user_id = ${supervisor.id}`);
  });
});
