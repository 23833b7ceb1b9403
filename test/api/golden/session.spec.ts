import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import sharp from 'sharp';
import type { Response } from 'supertest';
import supertest from 'supertest';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { AnswerSchemas } from '../../support/answer-schemas.js';
import { asBytes } from '../openapi/call.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';
import { type Step, STEPS } from './session-steps.js';

interface Recorded {
  /** Format: `owner: GET /api/tasks/{id}?…` */
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or the type of other bodies. */
  readonly body: unknown;
}

const FILE = join(import.meta.dirname, 'session.json');
/** `UPDATE_SESSION=1` records the responses instead of comparing them. */
const update = process.env['UPDATE_SESSION'] === '1';
const HEADERS = ['content-type', 'allow', 'www-authenticate', 'location', 'cache-control', 'retry-after'];

/** Ids, dates, durations, keys and URLs differ from run to run. They are replaced by values of the same form. */
function masked(value: unknown, replaced: readonly (readonly [string, string])[]): unknown {
  const isId = (key: string): boolean =>
    /^(id|\w+_id|organization|project|task|job|issue|data|request_duration)$/.test(key);
  let text = JSON.stringify(value ?? null, (key, inner: unknown) =>
    isId(key) && typeof inner === 'number' ? 1 : inner,
  );
  for (const [from, to] of replaced) text = text.replaceAll(from, to);
  return JSON.parse(
    text
      .replace(/(\/api\/\w+)\/\d+/g, '$1/1')
      .replace(/((?:task|job|project|issue)_id=|target_id(?:=|%3D)|-id-)\d+/g, '$11')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-01-02T03:04:05.678901Z')
      .replace(/[A-Za-z0-9]{64}|[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}|[0-9a-f]{40}/g, '<key>')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000'),
  );
}

describe('the recorded session', () => {
  const recorded = update ? [] : (JSON.parse(readFileSync(FILE, 'utf8')) as Recorded[]);
  const responses: Recorded[] = [];
  const names = new Map<string, string | number>();
  let app: TestApp;
  let receiver: Receiver;
  let people: Readonly<Record<string, Person>>;
  let schemas: AnswerSchemas;

  beforeAll(async () => {
    app = await createTestApp();
    receiver = await createReceiver();
    receiver.answerWith(200);
    const given = new Given(app);
    people = {
      admin: await given.person({ username: 'ada', groups: ['admin'], firstName: 'Ada', lastName: 'Admin' }),
      owner: await given.person({ username: 'olga', firstName: 'Olga', lastName: 'Owner' }),
      worker: await given.person({ username: 'walter', groups: ['worker'], firstName: 'Walter', lastName: 'Worker' }),
      stranger: await given.person({ username: 'sam', firstName: 'Sam', lastName: 'Stranger' }),
    };
    for (const [name, { id }] of Object.entries(people)) names.set(name, id);
    names.set('receiver', receiver.url);
    const document = await app.http.get('/api/schema/?scheme=json').set('Accept', 'application/json').expect(200);
    schemas = new AnswerSchemas(document.body as OpenAPIObject);
  });

  afterAll(async () => {
    if (update) writeFileSync(FILE, `${JSON.stringify(responses, null, 1)}\n`);
    await receiver.close();
    await app.close();
  });

  /** Replaces `$name` by the values that earlier steps kept. */
  const filled = (text: string): string => text.replace(/\$(\w+)/g, (_, name: string) => String(names.get(name)));
  const filledJson = (json: unknown): object =>
    JSON.parse(JSON.stringify(json), (_, value: unknown) =>
      typeof value === 'string' && value.startsWith('$') ? names.get(value.slice(1)) : value,
    ) as object;

  async function send({ as, operation, at = {}, query, json, text, form, headers = {} }: Step): Promise<Response> {
    const [verb = '', template = ''] = operation.split(' ');
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(filled(String(at[name]))));
    const url = query === undefined ? path : `${path}?${encodeURI(filled(query))}`;
    const agent = as === null ? supertest.agent(app.url) : people[as]?.http;
    const request = agent?.[verb.toLowerCase() as 'get'](url);
    if (request === undefined) throw new Error(`there is no person ${as}`);
    const isMember = as === 'owner' || as === 'worker';
    if (isMember && names.has('organization') && query?.includes('org=') !== true)
      void request.set('X-Organization', 'street');
    for (const [name, value] of Object.entries(headers)) void request.set(name, value);
    if (text !== undefined) return request.type('application/json').send(text).buffer(true).parse(asBytes);
    if (json !== undefined) return request.send(filledJson(json)).buffer(true).parse(asBytes);
    for (const [name, value] of Object.entries(form ?? {})) {
      if (name.startsWith('client_files')) void request.attach(name, await image(), value);
      else void request.field(name, value);
    }
    return request.buffer(true).parse(asBytes);
  }

  it.each(STEPS.map((step, index) => [`${index} ${step.as ?? 'nobody'}: ${step.operation}`, step, index] as const))(
    '%s',
    async (_, step, index) => {
      const response = await send(step);
      await app.app.get(RequestWorker).drain();
      await app.drain();
      const bytes = response.body as Buffer;
      const type = response.headers['content-type'];
      const json = type?.includes('json') ? (JSON.parse(bytes.toString()) as unknown) : undefined;
      for (const [name, member] of Object.entries(step.keep ?? {})) names.set(name, memberOf(json, member));

      const urls = [
        [app.url, 'https://cairn.example.org'],
        [receiver.url, 'https://receiver.example.org/hook'],
      ] as const;
      const headers = HEADERS.filter((name) => response.headers[name] !== undefined);
      const seen: Recorded = {
        request: `${step.as ?? 'nobody'}: ${step.operation}${step.query === undefined ? '' : `?${step.query}`}`,
        status: response.status,
        headers: masked(Object.fromEntries(headers.map((name) => [name, response.headers[name]])), urls) as never,
        body: json === undefined ? (type ?? null) : masked(json, urls),
      };
      responses.push(seen);
      expect(schemas.problems(step.operation, { status: response.status, type, bytes })).toEqual([]);
      if (update) return;
      expect(seen).toEqual(recorded[index]);
      expect(JSON.stringify(seen)).toBe(JSON.stringify(recorded[index])); // including the order of keys
    },
  );

  it('has a recorded response for every step', () => {
    expect(responses).toHaveLength(update ? STEPS.length : recorded.length);
  });
});

/** A member by its path, such as `results.0.id`. */
function memberOf(json: unknown, path: string): string | number {
  const value = path
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], json);
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`the response has no ${path}`);
  return value;
}

const image = (): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 48, channels: 3, background: { r: 30, g: 90, b: 40 } } })
    .jpeg()
    .toBuffer();
