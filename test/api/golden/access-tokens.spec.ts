import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodePassword } from '../../../src/engines/password/encoded-password.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

interface Exchange {
  readonly request: {
    readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
    readonly url: string;
    readonly body?: object;
  };
  readonly response: { readonly status: number; readonly body: unknown };
}

const file = join(import.meta.dirname, '../../../../shared/golden/cvat-2.73/22_access_tokens.json');
const recording = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>) : {};
const steps = Object.entries(recording).filter(
  (entry): entry is [string, Exchange] => typeof entry[1] === 'object' && entry[0] !== 'limit reached',
);
if (steps.length === 0) console.info('skipped: the recorded access tokens are not here');

const USABLE_OTHERS = 47;

/** Dates of the server, values of tokens, and what depends on other parts of CVAT. */
const UNCOMPARED = new Set([
  'created_date', 'updated_date', 'last_used_date', 'last_login', 'date_joined', 'value', 'organization_id',
  'has_analytics_access',
]); // prettier-ignore

function comparable(value: unknown, url: string): unknown {
  if (Array.isArray(value)) return value.map((one) => comparable(one, url));
  if (typeof value === 'string') return value.replaceAll(url, '{base_url}');
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !UNCOMPARED.has(key));
  return Object.fromEntries(entries.map(([key, one]) => [key, comparable(one, url)]));
}

(steps.length > 0 ? describe : describe.skip)('the recorded session with access tokens of CVAT 2.73', () => {
  let app: TestApp;
  let admin: Person;
  const values: string[] = [];

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    await app.db.query(sql`delete from app_user`);
    admin = await given.person({
      id: 1,
      username: 'admin',
      groups: ['admin'],
      firstName: '',
      lastName: '',
      email: 'admin@example.com',
    });
    await app.db.query(sql`update app_user set password = ${await encodePassword('admin2-pass-1')} where id = 1`);
    await admin.http.post('/api/projects').send({ name: 'before', labels: [] }).expect(201);
  });
  afterAll(() => app.close());

  /** Who makes the request, by the name of the step. */
  function credentialOf(name: string): Readonly<Record<string, string>> {
    if (name.includes('anonymous')) return {};
    if (name === 'bearer: bad token') return { Authorization: 'Bearer nothing' };
    if (name.startsWith('bearer read-only')) return { Authorization: `Bearer ${values[1]}` };
    if (name.startsWith('bearer')) return { Authorization: `Bearer ${values[0]}` };
    if (name.startsWith('token header keyword Token')) return { Authorization: `Token ${values[1]}` };
    return { Authorization: `Token ${admin.token}` };
  }

  it.each(steps)('%s', async (name, { request, response }) => {
    const url = request.url.replace('{base_url}', '');
    const method = request.method.toLowerCase() as 'get' | 'post' | 'patch' | 'put' | 'delete';
    const sent = app.http[method](url).set(credentialOf(name));
    const found = await (request.body === undefined ? sent : sent.send(request.body));
    const { value } = found.body as { value?: string };
    if (value !== undefined) values.push(value);
    const expected = response.status === 204 ? {} : response.body;
    expect([found.status, comparable(found.body, app.url)]).toEqual([
      response.status,
      comparable(expected, '{base_url}'),
    ]);
  });

  it('makes values of the recorded form', () => {
    expect(values[0]).toMatch(/^[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}$/);
  });

  it('limit reached', async () => {
    for (let at = 0; at < USABLE_OTHERS; at += 1)
      await admin.http
        .post('/api/auth/access_tokens')
        .send({ name: `t${at}` })
        .expect(201);
    const { response } = recording['limit reached'] as Exchange;
    const { status, body } = await admin.http.post('/api/auth/access_tokens').send({ name: 'more' });
    expect([status, body]).toEqual([response.status, response.body]);
  });
});
