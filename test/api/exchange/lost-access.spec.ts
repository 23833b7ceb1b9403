import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { bytes, worked } from '../../support/given-exchange.js';
import { Given, type Person } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';

const FORMAT = 'format=CVAT+for+images+1.1';

describe('whoever has lost access to an object', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let member: Person;
  let organization: { id: number; slug: string };
  let project: number;
  let task: number;
  let job: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    project = (
      await owner.http
        .post('/api/projects')
        .send({ name: 'p', labels: [{ name: 'car' }] })
        .expect(201)
    ).body.id;
    task = (await givenPhotos(app, owner, 2, { project_id: project })).id;
    job = (await owner.http.get(`/api/jobs?task_id=${task}`)).body.results[0].id;
  });
  beforeEach(async () => {
    await app.db.query(sql`delete from background_request`);
    member = await given.person();
    organization = await given.organization(owner, [{ person: member, role: 'maintainer' }]);
    await app.db.query(sql`update project set organization_id = ${organization.id} where id = ${project}`);
    await app.db.query(sql`update task set organization_id = ${organization.id} where id = ${task}`);
  });
  afterAll(() => app.close());

  const leave = (): Promise<unknown> =>
    app.db.query(sql`delete from membership where user_id = ${member.id} and organization_id = ${organization.id}`);
  const ask = async (path: string): Promise<string> => (await member.http.post(`/api/${path}`).expect(202)).body.rq_id;
  const resultOf = async (id: string): Promise<string> => {
    const { body } = await worked(app, member, id);
    expect(body).toMatchObject({ status: 'finished', message: '' });
    const { pathname, search } = new URL(body.result_url);
    return pathname + search;
  };
  const exports: readonly (readonly [string, () => string])[] = [
    ['annotations of a task', () => `tasks/${task}/dataset/export?${FORMAT}`],
    ['images of a task', () => `tasks/${task}/dataset/export?${FORMAT}&save_images=true`],
    ['annotations of a job', () => `jobs/${job}/dataset/export?${FORMAT}`],
    ['annotations of a project', () => `projects/${project}/dataset/export?${FORMAT}`],
    ['backup of a task', () => `tasks/${task}/backup/export`],
    ['backup of a project', () => `projects/${project}/backup/export`],
    ['events of an organization', () => `events/export?org=${organization.slug}`],
  ];

  it.each(exports)('cannot download the exported %s', async (_, path) => {
    const url = await resultOf(await ask(path()));
    await member.http.get(url).expect(200);
    await leave();
    await member.http.get(url).expect(403);
    await member.http.get(url).set('Range', 'bytes=0-9').expect(403);
    await member.http.head(url).expect(403);
  });

  it.each(exports.slice(0, -1))('does not get an export that is still queued: %s', async (_, path) => {
    const id = await ask(path());
    await leave();
    const { body } = await worked(app, member, id);
    expect(body).toMatchObject({
      status: 'failed',
      result_url: null,
      message: expect.stringContaining('You no longer have the permission for this'),
    });
  });

  it('cannot download events in the older form', async () => {
    const query = `org=${organization.slug}&query_id=4c9bcbd6-3a54-4a7c-8d65-0a3c3f1c0f5e`;
    await member.http.get(`/api/events?${query}`).expect(202);
    await worked(app, member, '-');
    await leave();
    await member.http.get(`/api/events?${query.replace(/^.*?&/, '')}&action=download`).expect(403);
  });

  it('can still download the export of their own events', async () => {
    const url = await resultOf(await ask('events/export'));
    await leave();
    await member.http.get(url).expect(200);
  });

  it.each([
    ['has become a worker', sql`update membership set role = 'worker'`],
    ['is inactive', sql`update membership set is_active = false`],
  ])('cannot download events of others as a member who %s', async (_, change) => {
    const url = await resultOf(await ask(`events/export?org=${organization.slug}`));
    await app.db.query(sql`${change} where user_id = ${member.id}`);
    await member.http.get(url).expect(403);
  });

  it('cannot download all events as a former administrator', async () => {
    await app.db.query(sql`update app_user set groups = '{admin}' where id = ${member.id}`);
    const url = await resultOf(await ask('events/export'));
    await app.db.query(sql`update app_user set groups = '{user}' where id = ${member.id}`);
    await member.http.get(url).expect(403);
  });

  it('cannot download the export of a task that was moved', async () => {
    const url = await resultOf(await ask(`tasks/${task}/dataset/export?${FORMAT}`));
    const other = await given.organization(owner);
    await app.db.query(sql`update task set organization_id = ${other.id} where id = ${task}`);
    await member.http.get(url).expect(403);
  });

  it('cannot download the export of a task that was deleted', async () => {
    const { id } = await givenPhotos(app, member, 1);
    const url = await resultOf(await ask(`tasks/${id}/dataset/export?${FORMAT}`));
    await member.http.delete(`/api/tasks/${id}`).expect(204);
    expect((await member.http.get(url)).status).toBeGreaterThanOrEqual(400);
  });

  it('creates nothing in an organization with a backup that is still queued', async () => {
    const url = await resultOf(await ask(`tasks/${task}/backup/export`));
    const backup = (await member.http.get(url).buffer(true).parse(bytes)).body as Buffer;
    const asked = await member.http
      .post(`/api/tasks/backup?org=${organization.slug}`)
      .attach('task_file', backup, 'backup.zip')
      .expect(202);
    await leave();
    const { body } = await worked(app, member, asked.body.rq_id);
    expect(body).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('You no longer have the permission for this'),
    });
  });

  it('changes nothing with an import that is still queued', async () => {
    const asked = await member.http
      .post(`/api/tasks/${task}/annotations?format=COCO+1.0`)
      .attach('annotation_file', Buffer.from('{"images": [], "annotations": [], "categories": []}'), 'coco.json')
      .expect(202);
    await leave();
    const { body } = await worked(app, member, asked.body.rq_id);
    expect(body).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('You no longer have the permission for this'),
    });
  });
});
