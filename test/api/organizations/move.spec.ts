import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { processed, sendFiles } from '../../support/given-media.js';
import { imageFile } from '../../support/images.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

const EVENTS = ['project', 'task', 'job'].flatMap((resource) =>
  ['create', 'update', 'delete'].map((operation) => `${operation}:${resource}`),
);

describe('moving to another organization', () => {
  let app: TestApp;
  let receiver: Receiver;
  let owner: Person;
  let worker: Person;
  let from: { id: number; slug: string };
  let to: { id: number; slug: string };
  let other: { id: number };

  beforeAll(async () => {
    app = await createTestApp();
    receiver = await createReceiver();
    receiver.answerWith(200);
    const given = new Given(app);
    [owner, worker] = [await given.person(), await given.person()];
    const members = [{ person: worker, role: 'worker' }];
    from = await given.organization(owner, members);
    to = await given.organization(owner);
    other = await given.organization(await given.person());
    for (const { id } of [from, to]) await webhook(`/${id}`, id, { type: 'organization' });
  });
  afterAll(async () => {
    await receiver.close();
    await app.close();
  });
  beforeEach(async () => {
    await deliver();
    receiver.arrivals.length = 0;
  });

  const events = (type: string) => EVENTS.filter((name) => type === 'organization' || name !== 'create:project');
  const webhook = async (path: string, org: number, more: { type: string; project_id?: number }): Promise<number> => {
    const body = { target_url: receiver.url + path, events: events(more.type), api_version: '2.1', ...more };
    const made = await owner.http.post(`/api/webhooks?org_id=${org}`).send(body).expect(201);
    return made.body.id as number;
  };
  const deliver = async () => {
    await app.drain();
    const runner = app.app.get(DeliveryWorker);
    while ((await runner.runOnce()) > 0);
  };
  const create = async (path: string, body: object = {}) => {
    const made = await owner.http.post(`/api/${path}?org_id=${from.id}`).send({ name: 'moving', ...body });
    expect(made.status).toBe(201);
    return (made.body as { id: number }).id;
  };
  const arrived = async () => {
    await deliver();
    return receiver.arrivals
      .map(({ path, payload }) => `${path?.replace('/hook', '')} ${String(payload['event'])}`)
      .toSorted();
  };
  const move = (path: string, body: object = { organization_id: to.id }) => owner.http.patch(`/api/${path}`).send(body);

  it('tells the webhooks of both organizations and of the project, but nothing about its tasks', async () => {
    const id = await create('projects');
    await create('tasks', { project_id: id });
    const hook = await webhook('/project', from.id, { type: 'project', project_id: id });
    await deliver();
    receiver.arrivals.length = 0;
    const moved = await move(`projects/${id}`).expect(200);
    expect(moved.body).toMatchObject({ organization: to.id, owner: { id: owner.id }, assignee: null });
    expect(await arrived()).toEqual(
      [`/${from.id} delete:project`, `/${to.id} create:project`, '/project update:project'].toSorted(),
    );
    const update = receiver.arrivals.find(({ path }) => path === '/hook/project')?.payload;
    expect(update?.['changes']).toMatchObject({ organization_id: { from: from.id, to: to.id } });
    expect((await owner.http.get(`/api/webhooks/${hook}`)).body).toMatchObject({
      organization: to.id,
      is_active: true,
    });
  });

  it('takes the tasks and jobs of a project along, and ends the assignments of people', async () => {
    const id = await create('projects', { labels: [{ name: 'car' }], assignee_id: worker.id });
    const task = await create('tasks', { project_id: id, assignee_id: worker.id });
    await sendFiles(owner, task, { 'a.jpg': await imageFile() }).expect(202);
    await processed(app, owner, task);
    const list = (await owner.http.get(`/api/jobs?task_id=${task}`)).body.results as { id: number }[];
    await owner.http.patch(`/api/jobs/${list[0]?.id}`).send({ assignee: worker.id }).expect(200);
    await move(`projects/${id}`).expect(200);
    for (const path of [`tasks/${task}`, `jobs/${list[0]?.id}`]) {
      const { body } = await owner.http.get(`/api/${path}`).expect(200);
      expect(body).toMatchObject({ organization: to.id, assignee: null });
      await worker.http.get(`/api/${path}`).expect(403);
    }
  });

  it('moves a task without a project, also out of its organization', async () => {
    const id = await create('tasks', { labels: [{ name: 'car' }] });
    await deliver();
    receiver.arrivals.length = 0;
    await move(`tasks/${id}`).expect(200);
    expect(await arrived()).toEqual([`/${from.id} delete:task`, `/${to.id} create:task`].toSorted());
    const sandbox = await move(`tasks/${id}`, { organization_id: null }).expect(200);
    expect(sandbox.body.organization).toBeNull();
  });

  it('refuses what cannot move, and organizations that may not be used', async () => {
    const project = await create('projects');
    const inside = await create('tasks', { project_id: project });
    const task = await create('tasks', { labels: [{ name: 'car' }] });
    const statuses = [
      await move(`tasks/${inside}`),
      await move(`tasks/${task}`, { organization_id: to.id, name: 'new' }),
      await move(`projects/${project}`, { organization_id: 2 ** 30 }),
      await move(`projects/${project}`, { organization_id: other.id }),
      await worker.http.patch(`/api/projects/${project}`).send({ organization_id: null }),
    ].map(({ status, body }) => [status, Object.keys(body as object)[0]]);
    expect(statuses).toEqual([
      [400, 'organization_id'],
      [400, 'name'],
      [400, 'organization_id'],
      [403, 'detail'],
      [403, 'detail'],
    ]);
    expect((await owner.http.get(`/api/tasks/${task}`)).body).toMatchObject({ organization: from.id, name: 'moving' });
  });
});
