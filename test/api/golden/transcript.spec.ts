import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { Test } from 'supertest';
import { sql } from '../../../src/engines/sql/sql.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';
import { ADDED_KEYS, DELIBERATE } from './deliberate-differences.js';

interface Step {
  readonly as: string | null;
  readonly note?: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly json?: unknown;
    readonly raw?: string;
    readonly form?: Readonly<Record<string, unknown>>;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

const file = join(import.meta.dirname, '../../../../shared/golden/transcript.json');
const steps: Step[] = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Step[]) : [];
if (steps.length === 0) console.info('skipped: the recorded transcript is not here');

/** People of the recorded server, with the ids they have there. */
const PEOPLE: readonly {
  readonly id: number;
  readonly username: string;
  readonly name: readonly [string, string];
  readonly group: string;
}[] = [
  { id: 1, username: 'admin1', name: ['Admin', 'First'], group: 'admin' },
  { id: 3, username: 'user2', name: ['User', 'Second'], group: 'user' },
  { id: 6, username: 'worker1', name: ['Worker', 'First'], group: 'worker' },
  { id: 19, username: 'user5', name: ['User', 'Fifth'], group: 'user' },
];

/** The next ids of the recorded server, so that addresses in later steps are right. */
const NEXT_IDS: Readonly<Record<string, number>> = {
  app_user: 22, organization: 4, membership: 18, project: 19, task: 36, label: 86, attribute_spec: 20, media_data: 35,
  job: 61, issue: 7, comment: 9, webhook: 8, webhook_delivery: 45, annotation_tag: 14, annotation_shape: 264, annotation_track: 16, annotation_tracked_shape: 21,
}; // prettier-ignore

const DATE = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const SECRETS = /[0-9a-f]{40}|[A-Za-z0-9]{64}|\d+_[0-9a-f]{8}-[0-9a-f-]{27}/g;

/** What differs from run to run, masked. */
function masked(value: unknown, base: string): unknown {
  const text = JSON.stringify(value ?? null)
    .replaceAll(base, '{base_url}')
    .replace(DATE, '<date>')
    .replace(SECRETS, '<secret>')
    .replace(/"color":"#[0-9a-f]{6}"/g, '"color":"<color>"');
  return JSON.parse(text);
}

/** Masked, without the ignored keys; annotations of one frame come in no particular order, so by id. */
function comparable(value: unknown, base: string, ignored: readonly string[]): unknown {
  const ordered = (inner: unknown): unknown => {
    if (Array.isArray(inner)) {
      const items = inner.map(ordered);
      const isShapes = items.every(
        (item) => typeof item === 'object' && item !== null && 'id' in item && 'label_id' in item,
      );
      return isShapes ? items.sort((a, b) => (a as { id: number }).id - (b as { id: number }).id) : items;
    }
    if (typeof inner !== 'object' || inner === null) return inner;
    const kept = Object.entries(inner).filter(([key]) => !ignored.includes(key));
    return Object.fromEntries(kept.map(([key, deeper]) => [key, ordered(deeper)]));
  };
  return ordered(masked(value, base));
}

/** Key paths in order, so that the order of keys counts as well. The recorded server lost that of payloads it stored. */
function keys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keys);
  if (typeof value !== 'object' || value === null) return null;
  return Object.entries(value).map(([key, inner]) => [key, key === 'request' ? null : keys(inner)]);
}

(steps.length === 0 ? describe.skip : describe)('the recorded transcript', () => {
  let app: TestApp;
  let receiver: Receiver;
  let base: string;
  const people = new Map<string, Person>();
  /** Keys and upload ids that the recorded server made up, and ours instead. */
  const replaced = new Map<string, string>();

  beforeAll(async () => {
    app = await createTestApp({ env: { WEBHOOK_DEFAULT_API_VERSION: '2.1' } });
    receiver = await createReceiver();
    receiver.answerWith(200);
    base = await app.app.getUrl();
    const given = new Given(app);
    for (const { id, username, name, group } of PEOPLE) {
      people.set(
        username,
        await given.person({
          id,
          username,
          groups: [group],
          firstName: name[0],
          lastName: name[1],
          email: `${username}@cvat.org`,
        }),
      );
    }
    await app.db.query(sql`update app_user set has_analytics_access = true, last_login = now() where id = 1`);
    for (const [table, next] of Object.entries(NEXT_IDS)) {
      await app.db.query(sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${next}, false)`);
    }
  });

  afterAll(async () => {
    await receiver.close();
    await app.close();
  });

  const here = (text: string): string => {
    let changed = text.replaceAll('{base_url}', base).replaceAll('http://receiver.example/hook', receiver.url);
    for (const [recorded, ours] of replaced) changed = changed.replaceAll(recorded, ours);
    return changed;
  };

  async function send(step: Step, index: number): Promise<Awaited<Test>> {
    const { method, path, headers = {}, json, raw: text, form } = step.request;
    const request = app.http[method.toLowerCase() as 'get'](here(path));
    for (const [name, value] of Object.entries(headers)) request.set(name, here(value));
    if (index === 12) request.auth('admin1', 'wrong');
    else if (step.as !== null && headers['Authorization'] === undefined)
      request.set('Authorization', `Token ${people.get(step.as)?.token}`);
    if (json !== undefined)
      return request.send(JSON.parse(here(JSON.stringify(json))) as object).type('application/json');
    if (form !== undefined) return withPhotographs(request, form);
    return text === undefined ? request : request.send(text);
  }

  it.each(steps.map((step, index) => [index, `${step.request.method} ${step.request.path}`, step] as const))(
    '%i %s',
    async (index, _, step) => {
      const answer = await send(step, index);
      learn(step, answer, replaced);
      if (step.as === null && index === 22) await rememberGoldie(app, people);
      if (answer.body?.rq_id !== undefined) await app.app.get(RequestWorker).drain();
      const difference = DELIBERATE[index];
      if (difference?.status !== undefined) return expect(answer.status).toBe(difference.status);
      const ignored = [...ADDED_KEYS, ...(difference?.ignore ?? [])];
      const ours = { status: answer.status, body: comparable(bodyOf(answer, step), base, ignored) };
      const recorded = JSON.parse(here(JSON.stringify(step.response.body))) as unknown;
      const theirs = { status: step.response.status, body: comparable(recorded, base, ignored) };
      expect(ours).toEqual(theirs);
      expect(keys(ours.body)).toEqual(keys(theirs.body));
      const compared = COMPARED.filter((name) => difference?.ignoreHeaders?.includes(name) !== true);
      return expect(headersOf(answer.headers, compared, step, base)).toEqual(
        headersOf(step.response.headers, compared, step, base),
      );
    },
  );
});

/** The transcript has only the number of bytes of bodies that are not JSON. */
function bodyOf(answer: Awaited<Test>, step: Step): unknown {
  const recorded = step.response.body as { bytes?: number; text?: string } | null;
  if (typeof recorded?.bytes === 'number') return recorded;
  return typeof recorded?.text === 'string' ? { text: answer.text } : answer.body;
}

const COMPARED = [
  'content-type',
  'allow',
  'www-authenticate',
  'location',
  'tus-resumable',
  'upload-offset',
  'upload-length',
  'upload-filename',
  'deprecation',
];

function headersOf(
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
  step: Step,
  base: string,
): unknown {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const recorded = new Set(Object.keys(step.response.headers).map((name) => name.toLowerCase()));
  const compared = names
    .filter((name) => recorded.has(name))
    .map((name) => [name, name === 'allow' ? sorted(lower[name]) : lower[name]]);
  return masked(Object.fromEntries(compared), base);
}

/** HEAD and OPTIONS are answered on every path here, on the recorded server on some. */
const sorted = (list: string | undefined): string =>
  (list ?? '')
    .split(', ')
    .filter((method) => !['HEAD', 'OPTIONS'].includes(method))
    .sort()
    .join(', ');

/** Remembers keys of invitations and ids of uploads under their recorded names. */
function learn(step: Step, answer: Awaited<Test>, replaced: Map<string, string>): void {
  const recorded = step.response.body as { key?: string } | null;
  if (step.request.path.startsWith('/api/invitations') && typeof recorded?.key === 'string')
    replaced.set(recorded.key, String(answer.body.key));
  const upload = /\d+_[0-9a-f]{8}-[0-9a-f-]{27}/;
  const theirs = upload.exec(step.response.headers['location'] ?? '');
  const ours = upload.exec(answer.headers['location'] ?? '');
  if (theirs !== null && ours !== null) replaced.set(theirs[0], ours[0]);
}

async function rememberGoldie(app: TestApp, people: Map<string, Person>): Promise<void> {
  const answer = await app.http.post('/api/auth/login').send({ username: 'goldie', password: 'Gold-2026-pass' });
  people.set('goldie', { id: 22, username: 'goldie', token: String(answer.body.key), http: null as never });
}

async function withPhotographs(request: Test, form: Readonly<Record<string, unknown>>): Promise<Awaited<Test>> {
  for (const [name, value] of Object.entries(form)) request.field(name, String(value));
  for (let index = 0; index < 7; index += 1) {
    const photograph = await sharp({
      create: { width: 640, height: 480, channels: 3, background: { r: 30 * index, g: 90, b: 40 } },
    })
      .jpeg()
      .toBuffer();
    request.attach(`client_files[${index}]`, photograph, `photo_00${index}.jpg`);
  }
  return request;
}
