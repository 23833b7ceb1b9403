import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { inspectRoute } from '../../src/core/database/pooler.js';
import { imageFile } from '../support/images.js';
import { createReceiver, type Receiver } from '../support/receiver.js';
import { doctorOf, type RunningCairn, Session, startCairn, startFailure } from './support/cairn.js';
import { POSTGRES_PROGRAMS, startPgBouncer, TestPostgres } from './support/postgres.js';
import { describeWith, type Program } from './support/programs.js';

describeWith(['pgbouncer', ...POSTGRES_PROGRAMS], 'PgBouncer in transaction mode', () => {
  let server: TestPostgres;
  let bouncer: Program;
  let folder: string;
  let env: { DATABASE_URL: string; DATABASE_DIRECT_URL: string };
  let receiver: Receiver;
  const processes: RunningCairn[] = [];

  beforeAll(async () => {
    server = await TestPostgres.create();
    await server.execute('create role cairn login', 'create database cairn owner cairn');
    bouncer = await startPgBouncer(server);
    folder = await mkdtemp(join(tmpdir(), 'cairn-pgbouncer-'));
    env = { DATABASE_URL: pooled(bouncer), DATABASE_DIRECT_URL: server.url('cairn', 'cairn') };
    receiver = await createReceiver();
    // One after the other: the first migrates.
    for (let count = 0; count < 2; count += 1) processes.push(await startCairn(folder, env));
  });

  afterAll(async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await receiver?.close();
    await bouncer?.stop();
    await server?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const pooled = ({ port }: Program): string => `postgres://cairn@127.0.0.1:${port}/cairn`;
  const sessions = () => Promise.all(processes.map((process) => Session.of(process))) as Promise<[Session, Session]>;

  it('serves tasks, annotations and lists by two processes, and notifies across them', async () => {
    const [one, other] = await sessions();
    const stream = await other.fetch('GET', '/api/events/stream');
    const webhook = { target_url: receiver.url, type: 'organization', events: ['create:task', 'update:task'] };
    const organization = await one.send<{ id: number; slug: string }>('POST', '/api/organizations', { slug: 'pooled' });
    const org = `?org=${organization.slug}`;
    await one.send('POST', `/api/webhooks${org}`, webhook);
    const task = await one.send<{ id: number }>('POST', `/api/tasks${org}`, {
      name: 'pooled',
      labels: [{ name: 'car' }],
    });

    const form = new FormData();
    form.set('image_quality', '70');
    form.set('client_files[0]', new File([new Uint8Array(await imageFile())], 'a.jpg'));
    await other.send('POST', `/api/tasks/${task.id}/data`, form);
    await finished(one, task.id);

    const { results: labels } = await one.send<{ results: { id: number }[] }>('GET', `/api/labels?task_id=${task.id}`);
    const shape = { type: 'rectangle', frame: 0, label_id: labels[0]?.id, points: [1, 1, 5, 5], occluded: false };
    const annotations = { version: 0, tags: [], tracks: [], shapes: Array.from({ length: 300 }, () => shape) };
    await one.send('PUT', `/api/tasks/${task.id}/annotations`, annotations);
    const saved = await other.send<{ shapes: object[] }>('GET', `/api/tasks/${task.id}/annotations`);
    expect(saved.shapes).toHaveLength(300);

    const lists = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? one : other).send<{ count: number; results: { updated_date: string }[] }>(
        'GET',
        `/api/${['tasks', 'jobs'][index % 2]}?search=pooled&sort=-updated_date`,
      ),
    );
    for (const { count, results } of await Promise.all(lists)) {
      expect(count).toBe(1);
      expect(results[0]?.updated_date).toMatch(/^\d{4}-.*Z$/); // sessions run in UTC
    }
    await receiver.arrived(1);
    expect(receiver.events).toContain('create:task');
    expect(await textWith(stream, 'create:task')).toContain('pooled');
  });

  it('passes on notifications over the direct connection, and sends statements that the pooler can execute', async () => {
    for (const process of processes) {
      await process.listens();
      expect(process.log()).toContain('"preparedStatements":');
      expect(process.log()).not.toMatch(/prepared statement .* (does not exist|already exists)/);
    }
  });

  // The second session is idle for longer, so the next transaction of another connection begins there.
  it('is recognized, also if another connection gets another session', async () => {
    const rotating = await startPgBouncer(server, ['server_round_robin = 1']);
    const clients = [0, 1].map(() => new Client({ connectionString: pooled(rotating) }));
    try {
      for (const client of clients) await client.connect();
      for (const client of clients) await client.query('begin');
      for (const client of clients) await client.query('commit');
      expect(await inspectRoute(pooled(rotating), 5_000)).toMatchObject({ isPooled: true, sharesSessions: true });
    } finally {
      for (const client of clients) await client.end();
      await rotating.stop();
    }
  });

  it('stores the settings of sessions for the role', async () => {
    const output = await doctorOf(folder, env);
    expect(output).toMatch(/ok +pooler|warning +pooler +responds, but does not keep/);
    expect(output).toMatch(/ok +pooled sessions/);
    expect(output).toMatch(/ok +role +cairn is not a superuser/);
    expect(output).not.toMatch(/^error/m);
  });

  it.each([
    ['that rejects settings of sessions', []],
    ['that drops settings of sessions', ['ignore_startup_parameters = options']],
  ])('alone, %s, is refused with what to do', async (_, settings) => {
    const alone = await startPgBouncer(server, settings);
    try {
      const advice = 'Set DATABASE_DIRECT_URL to the URL of PostgreSQL itself';
      expect(await startFailure(folder, { DATABASE_URL: pooled(alone) })).toContain(advice);
      expect(await doctorOf(folder, { DATABASE_URL: pooled(alone) })).toContain(advice);
    } finally {
      await alone.stop();
    }
  });

  it('refuses URLs that lead to different databases', async () => {
    const wrong = { ...env, DATABASE_DIRECT_URL: server.url('cairn', 'postgres') };
    const sentence = 'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases';
    expect(await startFailure(folder, wrong)).toContain(sentence);
    expect(await doctorOf(folder, wrong)).toContain(sentence);
  });
});

/** Waits until a task has been created from its data. */
async function finished(session: Session, taskId: number): Promise<void> {
  const id = encodeURIComponent(`action=create&target=task&target_id=${taskId}`);
  for (;;) {
    const { status, message } = await session.send<{ status: string; message: string }>('GET', `/api/requests/${id}`);
    if (status === 'finished') return;
    if (status === 'failed') throw new Error(message);
    await wait(50);
  }
}

/** Reads a stream until it contains the text, and closes it. */
async function textWith(response: Response, text: string): Promise<string> {
  let read = '';
  for await (const chunk of response.body ?? []) {
    read += new TextDecoder().decode(chunk);
    if (read.includes(text)) break;
  }
  return read;
}
