import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';

const DENIED = { detail: 'You do not have permission to perform this action.' };
const noUser = ['User matching query does not exist.'];
const noProject = ['Project matching query does not exist.'];
const noStorage = ['CloudStorage matching query does not exist.'];

const MISSING = 2_000_000_000;
const storage = (id: string | number): object => ({ location: 'cloud_storage', cloud_storage_id: id });
const labels = [{ name: 'a' }];

type Case = readonly [call: string, body: object, answer: object | number];

/**
 * An account that owns everything here, without an organization. Accounts who cannot list others do not learn who
 * exists.
 */
const ALONE: readonly Case[] = [
  ['POST /api/projects', { name: 'x', owner_id: '{other}' }, DENIED],
  ['POST /api/projects', { name: 'x', assignee_id: MISSING }, DENIED],
  ['POST /api/projects', { name: 'x', owner_id: '{self}', assignee_id: '{self}' }, 201],
  ['POST /api/tasks', { name: 'x', labels, assignee_id: '{other}' }, DENIED],
  ['POST /api/tasks', { name: 'x', project_id: '{foreign}' }, DENIED],
  ['POST /api/tasks', { name: 'x', project_id: MISSING }, noProject],
  ['POST /api/tasks', { name: 'x', labels, source_storage: storage('{storage}') }, DENIED],
  ['POST /api/tasks', { name: 'x', labels, source_storage: storage(MISSING) }, noStorage],
  ['PATCH /api/projects/{project}', { assignee_id: '{other}' }, DENIED],
  ['PATCH /api/projects/{project}', { target_storage: storage('{storage}') }, DENIED],
  ['PATCH /api/tasks/{task}', { assignee_id: '{other}' }, DENIED],
  ['PATCH /api/tasks/{task}', { owner_id: '{other}' }, DENIED],
  ['PATCH /api/tasks/{task}', { project_id: '{foreign}' }, DENIED],
  ['PATCH /api/tasks/{task}', { project_id: MISSING }, noProject],
  ['PATCH /api/tasks/{task}', { source_storage: storage('{storage}') }, DENIED],
  ['PATCH /api/tasks/{task}', { source_storage: storage(MISSING) }, noStorage],
  ['PATCH /api/jobs/{job}', { assignee: '{other}' }, DENIED],
  ['PATCH /api/jobs/{job}', { assignee: '{self}' }, 200],
  ['POST /api/issues', { job: '{job}', frame: 0, position: [1, 2], message: 'm', assignee: '{other}' }, DENIED],
  ['POST /api/issues', { job: MISSING, frame: 0, position: [1, 2], message: 'm' }, ['Job matching query does not exist.']],
  ['POST /api/comments', { issue: MISSING, message: 'm' }, ['Issue matching query does not exist.']],
  ['POST /api/guides', { project_id: MISSING }, noProject],
  ['POST /api/jobs', { task_id: MISSING, type: 'ground_truth' }, ['Task matching query does not exist.']],
]; // prettier-ignore

/** A maintainer: members can refer to any account, but use only what they can see. */
const MEMBER: readonly Case[] = [
  ['POST /api/projects?org={org}', { name: 'x', assignee_id: '{other}' }, 201],
  ['POST /api/projects?org={org}', { name: 'x', assignee_id: MISSING }, noUser],
  ['PATCH /api/projects/{foreign}', { assignee_id: '{other}' }, 200],
  ['PATCH /api/projects/{foreign}', { assignee_id: MISSING }, noUser],
  ['POST /api/tasks?org={org}', { name: 'x', project_id: '{foreign}' }, 201],
  ['POST /api/tasks?org={org}', { name: 'x', project_id: '{project}' }, DENIED],
  ['POST /api/tasks?org={org}', { name: 'x', labels, source_storage: storage('{storage}') }, 201],
];

describe('references in bodies', () => {
  let app: TestApp;
  let alone: Person;
  let member: Person;
  let ids: Readonly<Record<string, string | number>>;

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    [alone, member] = [await given.person(), await given.person()];
    const other = await given.person();
    const { id, slug } = await given.organization(other, [{ person: member, role: 'maintainer' }]);
    const task = await givenJobs(app, alone);
    const project = (await alone.http.post('/api/projects').send({ name: 'own', labels }).expect(201)).body
      .id as number;
    const foreign = (await other.http.post(`/api/projects?org=${slug}`).send({ name: 'theirs', labels }).expect(201)).body.id as number; // prettier-ignore
    const [row] = await app.db.query<{ id: number }>(sql`
      insert into cloud_storage (provider_type, resource, display_name, credentials_type, owner_id, organization_id, created_date, updated_date)
      values ('AWS_S3_BUCKET', 'r', 's', 'ANONYMOUS_ACCESS', ${other.id}, ${id}, now(), now()) returning id`);
    ids = {
      org: slug,
      other: other.id,
      task: task.id,
      job: task.jobs[0] ?? 0,
      project,
      foreign,
      storage: row?.id ?? 0,
    };
  });
  afterAll(() => app.close());

  async function responseOf(person: Person, call: string, body: object): Promise<{ status: number; body: unknown }> {
    const filled = (text: string): string =>
      text.replace(/"?\{(\w+)\}"?/g, (_, name: string) => String(name === 'self' ? person.id : ids[name]));
    const [verb = '', address = ''] = call.split(' ');
    const answer = await person.http[verb.toLowerCase() as 'get'](filled(address)).type('json').send(filled(JSON.stringify(body))); // prettier-ignore
    return { status: answer.status, body: answer.body as unknown };
  }

  const expected = (answer: object | number): object =>
    typeof answer === 'number' ? { status: answer } : { status: Array.isArray(answer) ? 400 : 403, body: answer };

  it.each(ALONE.map((one) => [...one]))('alone: %s %j', async (call, body, answer) => {
    expect(await responseOf(alone, call as string, body as object)).toMatchObject(expected(answer as object | number));
  });

  it.each(MEMBER.map((one) => [...one]))('a member: %s %j', async (call, body, answer) => {
    expect(await responseOf(member, call as string, body as object)).toMatchObject(expected(answer as object | number));
  });
});
