import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';

describe('the assignments of a former member', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let member: Person;
  let admin: Person;
  let organization: { id: number; slug: string };
  let project: number;
  let task: number;
  let job: number;
  let issue: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    admin = await given.admin();
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    owner = await given.person();
    member = await given.person({ groups: ['worker'] });
    organization = await given.organization(owner, [{ person: member, role: 'worker' }]);
    project = (
      await owner.http
        .post('/api/projects')
        .send({ name: 'p', labels: [{ name: 'car' }] })
        .expect(201)
    ).body.id;
    task = (await givenPhotos(app, owner, 2, { project_id: project })).id;
    await app.db.query(sql`update project set organization_id = ${organization.id} where id = ${project}`);
    await app.db.query(sql`update task set organization_id = ${organization.id} where id = ${task}`);
    job = (await owner.http.get(`/api/jobs?task_id=${task}`)).body.results[0].id;
    const text = { job, frame: 0, position: [1, 1], message: 'x' };
    issue = (
      await owner.http
        .post(`/api/issues?org=${organization.slug}`)
        .send({ ...text, assignee: member.id })
        .expect(201)
    ).body.id;
    await owner.http.patch(`/api/projects/${project}`).send({ assignee_id: member.id }).expect(200);
    await owner.http.patch(`/api/tasks/${task}`).send({ assignee_id: member.id }).expect(200);
    await owner.http.patch(`/api/jobs/${job}`).send({ assignee: member.id }).expect(200);
    await app.db.query(sql`delete from outbox_event`);
  });

  const membershipOf = async (person: Person): Promise<number> => {
    const rows = await app.db.query<{ id: number }>(sql`
      select id from membership where user_id = ${person.id} and organization_id = ${organization.id}`);
    return rows[0]?.id ?? 0;
  };
  const objects = () => [`projects/${project}`, `tasks/${task}`, `jobs/${job}`, `issues/${issue}`];
  const assignees = async (): Promise<unknown[]> => {
    const found = await Promise.all(objects().map((path) => admin.http.get(`/api/${path}`).expect(200)));
    return found.map(({ body }) => body.assignee);
  };
  const endings: readonly (readonly [string, () => PromiseLike<unknown>])[] = [
    ['is removed', async () => owner.http.delete(`/api/memberships/${await membershipOf(member)}`).expect(204)],
    ['leaves', async () => member.http.delete(`/api/memberships/${await membershipOf(member)}`).expect(204)],
    ['is deleted', () => admin.http.delete(`/api/users/${member.id}`).expect(204)],
    ['loses the organization', () => owner.http.delete(`/api/organizations/${organization.id}`).expect(204)],
  ];

  it.each(endings)('end when the member %s', async (_, end) => {
    await end();
    expect(await assignees()).toEqual([null, null, null, null]);
  });

  it.each(endings)('end with their events when the member %s', async (_, end) => {
    await end();
    const events = (await recordedEvents(app)).filter(({ name }) => /^update:(project|task|job|issue)$/.test(name));
    expect(events.map(({ name }) => name).toSorted()).toEqual(
      ['update:issue', 'update:job', 'update:project', 'update:task'],
    ); // prettier-ignore
    expect(events.every(({ before }) => before.includes('assignee'))).toBe(true);
  });

  it('give no access afterwards', async () => {
    await owner.http.delete(`/api/memberships/${await membershipOf(member)}`).expect(204);
    const found = await Promise.all(objects().map((path) => member.http.get(`/api/${path}`)));
    expect(found.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it('do not end in other organizations', async () => {
    const other = await given.organization(owner, [{ person: member, role: 'worker' }]);
    const { body } = await owner.http
      .post(`/api/projects?org=${other.slug}`)
      .send({ name: 'p', labels: [] })
      .expect(201);
    await owner.http.patch(`/api/projects/${body.id}`).send({ assignee_id: member.id }).expect(200);
    await owner.http.delete(`/api/memberships/${await membershipOf(member)}`).expect(204);
    const { body: after } = await owner.http.get(`/api/projects/${body.id}`).expect(200);
    expect(after.assignee.id).toBe(member.id);
  });

  it('of other members stay', async () => {
    const colleague = await given.person();
    await app.db.query(sql`
      insert into membership (user_id, organization_id, is_active, role)
      values (${colleague.id}, ${organization.id}, true, 'worker')`);
    await owner.http.patch(`/api/jobs/${job}`).send({ assignee: colleague.id }).expect(200);
    await owner.http.delete(`/api/memberships/${await membershipOf(member)}`).expect(204);
    expect((await owner.http.get(`/api/jobs/${job}`)).body.assignee.id).toBe(colleague.id);
  });
});
