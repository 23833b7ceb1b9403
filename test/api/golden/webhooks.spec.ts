import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { columnsOf, resourceOf } from '../../../src/core/events/event-declaration.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { payloadText } from '../../../src/modules/webhooks/dispatch/payload-text.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { sendFiles } from '../../support/given-media.js';
import { imageFile } from '../../support/images.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';
import { ADDED_KEYS } from './deliberate-differences.js';

type Body = Readonly<Record<string, unknown>>;

interface Step {
  readonly action: string;
  readonly status: number;
  readonly events: readonly { readonly body: Body }[];
}

const file = join(import.meta.dirname, '../../../../shared/golden/webhooks.json');
const steps = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { steps: Step[] }).steps : [];
if (steps.length === 0) console.info('skipped: the recorded webhooks are not here');

/** The next ids of the recorded server, so that ids and URLs in payloads match. */
const NEXT_IDS: Readonly<Record<string, number>> = {
  organization: 3, membership: 16, project: 18, task: 34, media_data: 33, job: 59, issue: 6, comment: 7, webhook: 7,
}; // prettier-ignore

/** Keys whose values deliberately differ from the recording, by action; docs/compatibility.md gives the reasons. */
const DELIBERATE: Readonly<Record<string, readonly string[]>> = {
  // The summary of a task's jobs is accurate in every event: 0 for a new task instead of null, never 0 of 2.
  'create task in project': ['jobs'],
  'create task with its own labels': ['jobs'],
  'task assignee': ['jobs'],
  'put annotations': ['jobs'],
  // Events of background requests contain the same complete objects as all others; the event of a job precedes the mode
  // of its task.
  'send data': ['data_chunk_size', 'issues', 'labels', 'jobs', 'image_quality', 'mode'],
  // The event of the project precedes the deletion of the task.
  'delete task with data': ['dimension', 'tasks'],
};

(steps.length === 0 ? describe.skip : describe)('the recorded webhooks', () => {
  let app: TestApp;
  let receiver: Receiver;
  let base: string;
  let admin: Person;
  let seen = 0;

  beforeAll(async () => {
    app = await createTestApp();
    receiver = await createReceiver();
    base = await app.app.getUrl();
    const given = new Given(app);
    const named = { email: 'admin1@cvat.org', firstName: 'Admin', lastName: 'First' };
    admin = await given.person({ id: 1, username: 'admin1', groups: ['admin'], ...named });
    await given.person({ id: 3, username: 'user2', firstName: 'User', lastName: 'Second', email: 'user2@cvat.org' });
    for (const [table, next] of Object.entries(NEXT_IDS)) {
      await app.db.query(sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${next}, false)`);
    }
    admin.http.set('X-Organization', 'goldenorg').set('Accept', 'application/vnd.cvat+json; version=2.1');
    await app.http
      .post('/api/organizations')
      .set('Authorization', `Token ${admin.token}`)
      .send({ slug: 'goldenorg' })
      .expect(201);
    const known = await admin.http
      .get('/api/webhooks/events?type=organization')
      .set('Accept', 'application/vnd.cvat+json; version=2.0');
    const events = known.body.events as string[];
    const webhook = {
      target_url: receiver.url,
      type: 'organization',
      events,
      enable_ssl: false,
      description: 'golden',
    };
    await admin.http
      .post('/api/webhooks')
      .send({ ...webhook, secret: 'golden-secret', api_version: '2.1' })
      .expect(201);
    await app.drain();
  });

  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const actions: Readonly<Record<string, () => PromiseLike<Response>>> = {
    ping: () => admin.http.post('/api/webhooks/7/ping'),
    'invite worker': () => admin.http.post('/api/invitations').send({ email: 'user2@cvat.org', role: 'worker' }),
    'membership role': () => admin.http.patch('/api/memberships/17').send({ role: 'supervisor' }),
    'create project': () =>
      admin.http.post('/api/projects').send({ name: 'golden', labels: [{ name: 'car', attributes: [] }] }),
    'rename project': () => admin.http.patch('/api/projects/18').send({ name: 'golden 2' }),
    'create task in project': () =>
      admin.http.post('/api/tasks').send({ name: 'golden task', project_id: 18, segment_size: 2 }),
    'create task with its own labels': () =>
      admin.http.post('/api/tasks').send({ name: 'own labels', labels: [{ name: 'dog', attributes: [] }] }),
    'send data': sendData,
    'task assignee': () => admin.http.patch('/api/tasks/34').send({ assignee_id: 1 }),
    'job assignee': () => admin.http.patch('/api/jobs/59').send({ assignee: 1 }),
    'job state': () => admin.http.patch('/api/jobs/59').send({ state: 'in progress' }),
    'job stage and state': () => admin.http.patch('/api/jobs/59').send({ stage: 'acceptance', state: 'completed' }),
    'put annotations': putAnnotations,
    'create issue': () =>
      admin.http.post('/api/issues').send({ job: 59, frame: 0, position: [1, 2, 3, 4], message: 'look here' }),
    'resolve issue': () => admin.http.patch('/api/issues/6').send({ resolved: true }),
    'create comment': () => admin.http.post('/api/comments').send({ issue: 6, message: 'done' }),
    'change comment': () => admin.http.patch('/api/comments/8').send({ message: 'done, see frame 1' }),
    'delete comment': () => admin.http.delete('/api/comments/8'),
    'delete issue': () => admin.http.delete('/api/issues/6'),
    'delete task without data': () => admin.http.delete('/api/tasks/35'),
    'delete task with data': () => admin.http.delete('/api/tasks/34'),
    'delete project': () => admin.http.delete('/api/projects/18'),
    'remove member': () => admin.http.delete('/api/memberships/17'),
  };

  async function sendData(): Promise<Response> {
    const entries = [0, 1, 2, 3].map(
      async (index) => [`photo_${index}.jpg`, await imageFile({ red: index * 40 })] as const,
    );
    const answer = await sendFiles(admin, 34, Object.fromEntries(await Promise.all(entries)));
    await app.app.get(RequestWorker).drain();
    return answer;
  }

  async function putAnnotations(): Promise<Response> {
    const labels = await admin.http.get('/api/labels?project_id=18');
    const tag = { frame: 0, label_id: (labels.body.results as { id: number }[])[0]?.id, attributes: [] };
    return admin.http.put('/api/jobs/59/annotations').send({ version: 0, tags: [tag], shapes: [], tracks: [] });
  }

  /** Payloads that the webhook received since the last call, oldest first, in the order of the events. */
  async function payloads(): Promise<Body[]> {
    await app.drain();
    const rows = await app.db.query<{ id: number; payload: string }>(sql`
      select id, ${payloadText('webhook_delivery')} as payload from webhook_delivery where id > ${seen} order by id`);
    seen = rows.at(-1)?.id ?? seen;
    return rows.map((row) => JSON.parse(row.payload) as Body);
  }

  it('have known actions', () => {
    expect(steps.map((step) => step.action)).toEqual(Object.keys(actions));
  });

  it.each(steps.map((step) => [step.action, step] as const))('%s', async (name, step) => {
    const answer = await actions[name]?.();
    expect({ status: answer?.status, body: answer?.status === step.status ? null : answer?.body }).toEqual({
      status: step.status,
      body: null,
    });
    const ours = await payloads();
    const theirs = step.events.map((event) => inColumns(event.body));
    expect(ours.map((body) => body['event'])).toEqual(theirs.map((body) => body['event']));
    const ignored = [...ADDED_KEYS, 'changes', ...(DELIBERATE[name] ?? [])];
    const [here, there] = [ours, theirs].map((bodies) => bodies.map((body) => comparable(body, base, ignored)));
    expect(here).toEqual(there);
    expect(keys(here)).toEqual(keys(there));
  });
});

/** A payload of CVAT 2.42 with the names that CVAT 2.73 has for what changed: columns, with ids instead of objects. */
function inColumns(body: Body): Body {
  const before = body['before_update'] as Body | undefined;
  const columns = columnsOf(resourceOf(String(body['event'])));
  if (before === undefined || columns === null) return body;
  const renamed = Object.entries(before).flatMap(([key, value]): [string, unknown][] => {
    const column = columns[key];
    if (column === undefined) return [];
    return [[column, column === key ? value : ((value as { readonly id?: number } | null)?.id ?? value)]];
  });
  return { ...body, before_update: Object.fromEntries(renamed) };
}

/** Key paths in order. */
function keys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keys);
  if (typeof value !== 'object' || value === null) return null;
  return Object.entries(value).map(([key, inner]) => [key, keys(inner)]);
}

/** Masks what differs from run to run, and removes what differs deliberately. */
function comparable(body: Body, base: string, ignored: readonly string[]): unknown {
  const text = JSON.stringify(body, (key, value: unknown) => (ignored.includes(key) ? undefined : value))
    .replaceAll(base, '{base_url}')
    .replaceAll('":"/api/', '":"{base_url}/api/')
    .replace(/http:\/\/127\.0\.0\.1:\d+\/hook/g, 'http://receiver.example/hook')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<date>')
    .replace(/"[A-Za-z0-9]{64}"/g, '"<key>"');
  return JSON.parse(text);
}
