import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response, Test } from 'supertest';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  let app: TestApp;
  let person: Person;

  beforeAll(async () => {
    app = await createTestApp({ env: { MAX_JSON_BYTES: '10K' } });
    person = await new Given(app).person();
  });
  afterAll(() => app.close());

  const REQUESTS: readonly [what: string, status: number, send: () => Test][] = [
    ['a list', 200, () => person.http.get('/api/tasks')],
    ['an empty answer', 304, () => person.http.get('/api/users/self').set('If-None-Match', '*')],
    ['an unknown path', 404, () => person.http.get('/api/nothing')],
    ['an unknown path of nobody', 404, () => app.http.get('/api/nothing/at/all')],
    ['a missing object', 404, () => person.http.get('/api/tasks/99999')],
    ['an id of a wrong form', 404, () => person.http.get('/api/tasks/x')],
    ['nobody', 401, () => app.http.get('/api/tasks')],
    ['a wrong token', 401, () => app.http.get('/api/tasks').set('Authorization', 'Token x')],
    ['a forbidden thing', 403, () => person.http.post('/api/invitations').send({})],
    ['an unknown version', 406, () => person.http.get('/api/tasks').set('Accept', '*/*; version=9')],
    ['a method that is not there', 405, () => person.http.put('/api/tasks')],
    ['another kind of body', 415, () => person.http.post('/api/tasks').set('Content-Type', 'text/csv').send('a')],
    ['damaged JSON', 400, () => person.http.post('/api/tasks').set('Content-Type', 'application/json').send('{"a":')],
    ['a wrong field', 400, () => person.http.post('/api/tasks').send({ name: '' })],
    ['a body that is too large', 413, () => person.http.post('/api/tasks').send({ name: 'x'.repeat(20_000) })],
    ['a static file', 200, () => app.http.get('/static/logo.svg')],
    ['a missing static file', 404, () => app.http.get('/static/nothing.svg')],
    ['the API document', 200, () => app.http.get('/api/schema/')],
    ['a preflight', 200, () => person.http.options('/api/tasks')],
  ];

  it.each(REQUESTS)('is set on %s (%i)', async (_, status, send) => {
    const answer: Response = await send();
    expect([answer.status, answer.headers['x-request-id']]).toEqual([status, expect.stringMatching(UUID)]);
  });

  it('is in all log lines of the request', async () => {
    const lines: { request?: string; msg: string }[] = [];
    const broken = await createTestApp({
      env: { LOG_LEVEL: 'warn' },
      log: { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) },
    });
    try {
      const { http } = await new Given(broken).person();
      await broken.db.query(sql`drop table comment cascade`);
      const answers = [await http.get('/api/comments'), await http.get('/api/comments/1')];
      expect(answers.map(({ status }) => status)).toEqual([500, 500]);
      const ids = answers.map(({ headers }) => headers['x-request-id']);
      expect(answers.map(({ body }) => body.request_id as string)).toEqual(ids);
      expect(lines.filter(({ msg }) => msg === 'request failed').map(({ request }) => request)).toEqual(ids);
    } finally {
      await broken.close();
    }
  });

  it('is different for each request, whatever id the client sends', async () => {
    const ids = new Set<unknown>();
    for (let n = 0; n < 3; n += 1)
      ids.add((await app.http.get('/api/server/about').set('X-Request-Id', 'mine')).headers['x-request-id']);
    expect(ids.size).toBe(3);
    expect(ids).not.toContain('mine');
  });
});
