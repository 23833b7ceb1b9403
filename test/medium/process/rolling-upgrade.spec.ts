import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/env.js';
import { migrate } from '../../../src/migrate.js';
import { ADMIN, type Command, startServer } from '../../support/command.js';
import { execute, serverVariable, withDatabase } from '../../support/database.js';
import { imageFile } from '../../support/images.js';
import { PROMISED } from '../../support/promised-revision.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' });
/** The last release, or the revision from which on rolling upgrades are promised. */
const previous = git('describe', '--tags', '--abbrev=0', 'HEAD^').stdout.trim() || PROMISED.revision;
const isKnown = git('cat-file', '-e', `${previous}^{commit}`).status === 0;

/** A client of one server. */
class Client {
  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  static async logIn(url: string): Promise<Client> {
    const { key } = await new Client(url).send<{ key: string }>('POST', '/api/auth/login', ADMIN);
    return new Client(url, { authorization: `Token ${key}` });
  }

  /** @throws Error for any status that is not a success */
  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const isForm = body instanceof FormData;
    const response = await fetch(this.url + path, {
      method,
      headers: { ...this.headers, ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}

interface Created {
  readonly id: number;
}

/** Creates, changes, lists and deletes what an annotator does, through one server, and reads it through the other. */
async function session(here: Client, there: Client, hook: string): Promise<void> {
  const project = await here.send<Created>('POST', '/api/projects', { name: 'rolling', labels: [{ name: 'car' }] });
  const webhook = { target_url: hook, type: 'project', project_id: project.id, events: ['create:task', 'update:job'] };
  await here.send('POST', '/api/webhooks', webhook);
  const task = await here.send<Created>('POST', '/api/tasks', { name: 'rolling', project_id: project.id });
  const data = new FormData();
  data.set('image_quality', '70');
  data.set('client_files[0]', new Blob([new Uint8Array(await imageFile())]), 'frame.jpg');
  await here.send('POST', `/api/tasks/${task.id}/data`, data);
  let jobs: readonly Created[] = [];
  while (jobs.length === 0) {
    await pause(50);
    jobs = (await there.send<{ results: Created[] }>('GET', `/api/jobs?task_id=${task.id}`)).results;
  }
  const [job = { id: 0 }] = jobs;
  const labels = await here.send<{ results: Created[] }>('GET', `/api/labels?project_id=${project.id}`);
  const label = labels.results[0]?.id;
  const shape = { type: 'rectangle', label_id: label, frame: 0, points: [1, 2, 30, 40], occluded: false };
  const saved = { version: 0, tags: [], tracks: [], shapes: [shape] };
  await here.send('PATCH', `/api/jobs/${job.id}/annotations?action=create`, saved);
  const read = await there.send<{ shapes: Created[] }>('GET', `/api/jobs/${job.id}/annotations`);
  expect(read.shapes).toHaveLength(1);
  await here.send('PATCH', `/api/jobs/${job.id}`, { state: 'completed' });
  await there.send('PATCH', `/api/tasks/${task.id}`, { name: 'renamed' });
  const issue = { job: job.id, frame: 0, position: [1, 2, 3, 4], message: 'look' };
  await here.send('POST', '/api/issues', issue);
  await there.send('GET', `/api/issues?job_id=${job.id}`);
  await there.send('GET', '/api/projects?sort=-id&search=rolling');
  await here.send('PUT', `/api/jobs/${job.id}/annotations`, { version: 0, tags: [], tracks: [], shapes: [] });
  await there.send('DELETE', `/api/tasks/${task.id}`);
}

(isKnown ? describe : describe.skip)(`a rolling upgrade from ${previous}`, () => {
  const name = `cairn_rolling_${randomBytes(8).toString('hex')}`;
  const base = process.env[serverVariable] ?? '';
  const url = withDatabase(base, name);
  let folder: string;
  let receiver: Receiver;
  let old: Command | undefined;
  let now: Command | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-rolling-'));
    receiver = await createReceiver();
    await execute(base, `create database ${name}`);
    const root = join(folder, 'previous');
    mkdirSync(root);
    const archive = execFileSync(
      'git',
      ['archive', previous, 'src', 'test/runner', 'package.json', 'tsconfig.json', '.swcrc'],
      {
        maxBuffer: 2 ** 28,
      },
    );
    execFileSync('tar', ['-x', '-C', root], { input: archive });
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    old = await startServer({ args: ['serve'], folder, env: { DATABASE_URL: url }, root });
  });
  afterAll(async () => {
    await old?.end();
    await now?.end();
    await receiver.close();
    await execute(base, `drop database ${name} with (force)`);
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps the old server running during the migration, and beside the new one', async () => {
    if (old === undefined) throw new Error('The old server does not run.');
    const before = await Client.logIn(old.url);
    await session(before, before, receiver.url);

    const migrated = new AbortController();
    const during = (async () => {
      let rounds = 0;
      for (; !migrated.signal.aborted || rounds === 0; rounds += 1) {
        const { id } = await before.send<Created>('POST', '/api/projects', { name: `during ${rounds}` });
        await before.send('PATCH', `/api/projects/${id}`, { name: 'changed' });
        await before.send('GET', '/api/projects');
      }
      return rounds;
    })();
    await migrate(readConfig({ DATABASE_URL: url }));
    migrated.abort();
    expect(await during).toBeGreaterThan(0);

    now = await startServer({ args: ['serve'], folder, env: { DATABASE_URL: url } });
    const after = await Client.logIn(now.url);
    await session(before, after, receiver.url);
    await session(after, before, receiver.url);
    await old.end();
    await session(after, after, receiver.url);
    const count = (event: string) => receiver.events.filter((one) => one === event).length;
    while (count('create:task') < 4 || count('update:job') < 4) await pause(50);
    expect(count('create:task')).toBe(4);
    expect(`${old.output()}${now.output()}`).not.toContain('"level":50');
  }, 300_000); // for a machine that is busy with other work
});
