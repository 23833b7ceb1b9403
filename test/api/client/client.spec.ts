import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CairnError,
  type CairnClient,
  createClient,
  paginate,
  RequestFailed,
  unwrap,
  uploadTaskData,
  verifyWebhook,
  waitForRequest,
} from '../../../clients/typescript/src/index.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { imageFile } from '../../support/images.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

const SECRET = 'a secret of the receiver';

describe('the TypeScript client', () => {
  let app: TestApp;
  let given: Given;
  let receiver: Receiver;
  let baseUrl: string;
  let owner: Person;
  let client: CairnClient;

  beforeAll(async () => {
    app = await createTestApp();
    app.app.get(RequestWorker).start();
    given = new Given(app);
    receiver = await createReceiver();
    baseUrl = await app.app.getUrl();
  });
  beforeEach(async () => {
    owner = await given.person();
    client = createClient({ baseUrl: `${baseUrl}/`, token: owner.token });
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const newTask = async (): Promise<number> => {
    const labels = [{ name: 'car', attributes: [] }];
    return unwrap(await client.POST('/api/tasks', { body: { name: 'street', labels } })).id;
  };
  const photos = async (count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => ({
        name: `фото ${index}.jpg`,
        data: new Blob([new Uint8Array(await imageFile({ red: index }))]),
      })),
    );

  it('creates a task, uploads its images, annotates and reviews it', async () => {
    const id = await newTask();
    const request = await uploadTaskData(client, id, await photos(3), { image_quality: 80 }, { intervalMs: 50 });
    expect(request.status).toBe('finished');
    const task = unwrap(await client.GET('/api/tasks/{id}', { params: { path: { id } } }));
    expect([task.name, task.size, task.jobs.count]).toEqual(['street', 3, 1]);
    const jobs = unwrap(await client.GET('/api/jobs', { params: { query: { task_id: id } } }));
    const job = jobs.results[0]?.id ?? 0;
    const labels = unwrap(await client.GET('/api/labels', { params: { query: { task_id: id } } }));
    const shape = { type: 'rectangle' as const, frame: 1, label_id: labels.results[0]?.id ?? 0, points: [1, 2, 3, 4] };
    const path = { params: { path: { id: job } } };
    const saved = unwrap(await client.PUT('/api/jobs/{id}/annotations/', { ...path, body: { shapes: [shape] } }));
    expect(saved.shapes?.[0]).toMatchObject({ ...shape, occluded: false });
    const body = { job, frame: 1, position: [1, 2], message: 'a little tighter' };
    const issue = unwrap(await client.POST('/api/issues', { body }));
    expect(issue.comments.count).toBe(1);
    const changed = unwrap(await client.PATCH('/api/jobs/{id}', { ...path, body: { state: 'completed' } }));
    expect(changed.state).toBe('completed');
  });

  it('sends large files in pieces', async () => {
    const id = await newTask();
    const options = { formBytes: 0, pieceBytes: 300, intervalMs: 50 };
    await uploadTaskData(client, id, await photos(2), {}, options);
    const meta = unwrap(await client.GET('/api/tasks/{id}/data/meta', { params: { path: { id } } }));
    expect(meta.frames.map(({ name }) => name)).toEqual(['фото 0.jpg', 'фото 1.jpg']);
  });

  it('sends a piece again that was lost on the way', async () => {
    let lost = 0;
    const fetch = (request: Request): Promise<Response> => {
      if (request.method === 'PATCH' && (lost += 1) === 2) throw new TypeError('connection lost');
      return globalThis.fetch(request);
    };
    client = createClient({ baseUrl, token: owner.token, fetch });
    const id = await newTask();
    await uploadTaskData(client, id, await photos(1), {}, { formBytes: 0, pieceBytes: 200, intervalMs: 50 });
    expect(lost).toBeGreaterThan(2);
  });

  it('reports why a task could not be created', async () => {
    const id = await newTask();
    const files = [{ name: 'a.jpg', data: new Blob(['no picture']) }];
    await expect(uploadTaskData(client, id, files, {}, { intervalMs: 50 })).rejects.toThrow(RequestFailed);
  });

  it('stops waiting when it is aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(waitForRequest(client, 'any', { signal })).rejects.toThrow('enough');
  });

  it('reads lists to their end', async () => {
    for (const name of ['a', 'b', 'c']) unwrap(await client.POST('/api/projects', { body: { name } }));
    const names: string[] = [];
    for await (const project of paginate(client, '/api/projects', { query: { sort: 'id', page_size: '2' } }))
      names.push(project.name);
    expect(names).toEqual(['a', 'b', 'c']);
  });

  it('reports why the server rejected a request, and its request id', async () => {
    const answer = await client.GET('/api/projects/{id}', { params: { path: { id: 2_000_000_000 } } });
    expect(() => unwrap(answer)).toThrow('404 No Project matches the given query.');
    const error = await client.send('/api/projects/2000000000').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CairnError);
    expect((error as CairnError).requestId).toMatch(/\w/);
  });

  it('works with access tokens and sessions', async () => {
    const made = unwrap(await client.POST('/api/auth/access_tokens', { body: { name: 'robot' } }));
    const robot = createClient({ baseUrl, accessToken: made.value });
    expect(unwrap(await robot.GET('/api/users/self')).username).toBe(owner.username);
    const body = {
      username: 'visitor',
      email: 'v@example.org',
      password1: 'Correct-horse-7',
      password2: 'Correct-horse-7',
    };
    const registered = await createClient({ baseUrl }).POST('/api/auth/register', { body });
    const cookies = registered.response.headers.getSetCookie().join();
    const value = (name: string): string => new RegExp(`${name}=([^;]+)`).exec(cookies)?.[1] ?? '';
    const session = { sessionid: value('sessionid'), csrftoken: value('csrftoken') };
    const visitor = createClient({ baseUrl, session });
    expect(unwrap(await visitor.POST('/api/projects', { body: { name: 'own' } })).owner?.username).toBe('visitor');
  });

  it('names the organization that requests are about', async () => {
    const organization = await given.organization(owner);
    const member = createClient({ baseUrl, token: owner.token, organization: organization.slug });
    expect(unwrap(await member.POST('/api/projects', { body: { name: 'ours' } })).organization).toBe(organization.id);
  });

  it('keeps its credentials from other servers', async () => {
    const other = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    await expect(client.send(address)).rejects.toThrow('is not a URL of');
    other.close();
  });

  it('verifies webhooks', async () => {
    const project = unwrap(await client.POST('/api/projects', { body: { name: 'seen' } }));
    const hook = { target_url: receiver.url, type: 'project', project_id: project.id, secret: SECRET } as const;
    const events: 'update:project'[] = ['update:project'];
    const made = unwrap(await client.POST('/api/webhooks', { body: { ...hook, events, api_version: '2.2' } }));
    expect(made.api_version).toBe('2.2');
    const path = { params: { path: { id: project.id } } };
    unwrap(await client.PATCH('/api/projects/{id}', { ...path, body: { name: 'changed' } }));
    await app.drain();
    await app.app.get(DeliveryWorker).runOnce();
    const arrival = receiver.arrivals.at(-1);
    if (arrival === undefined) throw new Error('nothing came');
    const { headers, bytes } = arrival;
    const verified = await verifyWebhook<'2.2'>(headers, bytes, ['an old secret', SECRET]);
    expect(verified).toMatchObject({ event: 'update:project', id: headers['webhook-id'] });
    expect(verified.payload).toMatchObject({ before_update: { name: 'seen' } });
    if (verified.event !== 'update:project') throw new Error('another event');
    const { project: told, before_update: old } = verified.payload; // typed by the event
    expect([told.id, told.name, old?.name]).toEqual([project.id, 'changed', 'seen']);
    const body = await verifyWebhook(headers, bytes.toString(), [SECRET], { scheme: 'body' });
    expect([body.event, body.id]).toEqual(['update:project', null]);
    const later = new Date(Date.now() + 600_000);
    await expect(verifyWebhook(headers, bytes, [SECRET], { now: later })).rejects.toThrow('too far from now');
    await expect(verifyWebhook(headers, bytes, ['wrong'])).rejects.toThrow('was not made with this secret');
    await expect(verifyWebhook(headers, Buffer.from('{}'), [SECRET], { scheme: 'body' })).rejects.toThrow(
      'was not made',
    );
    await expect(verifyWebhook({}, bytes, [SECRET])).rejects.toThrow('is missing');
    await expect(verifyWebhook(headers, bytes, [''])).rejects.toThrow('no secret');
  });
});
