import type { Server } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DatabaseUnavailable } from '../../../src/core/database/database-client.js';
import { currentRequest } from '../../../src/core/http/request/request-context.js';
import { IdempotencyRepository, renewal } from '../../../src/core/idempotency/idempotency.repository.js';
import { createLogger } from '../../../src/core/logging/logger.js';
import { LiveProcesses } from '../../../src/core/worker/live-processes.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { AnnotationService } from '../../../src/modules/annotations/annotation.service.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenAnnotatable } from '../../support/given-annotations.js';
import { until } from '../../support/promises.js';

describe('Idempotency-Key', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  const body = { name: 'once', labels: [{ name: 'car' }] };
  const post = (key: string, sent: object = body, person = owner) =>
    person.http.post('/api/tasks').set('Idempotency-Key', key).send(sent);
  const count = async (): Promise<number> =>
    (await app.db.query<{ n: number }>(sql`select count(*) as n from task`))[0]?.n ?? 0;

  const row = async (key: string) =>
    (
      await app.db.query<{ status: number | null; created_date: string; fingerprint: string }>(
        sql`select status, created_date, fingerprint from idempotency_key where key = ${key}`,
      )
    )[0];
  /** A save of a tag in a new job, which is sent by a client that can leave. */
  const givenSave = async (key: string) => {
    const task = await givenAnnotatable(app, owner);
    const url = `${app.url}${task.ofJob()}`;
    const headers = {
      Authorization: `Token ${owner.token}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    };
    const body = JSON.stringify({ tags: [{ frame: 0, label_id: task.labels.car, attributes: [] }] });
    return {
      send: (signal?: AbortSignal) =>
        fetch(`${url}?action=create`, { method: 'PATCH', headers, body, signal: signal ?? null }),
      stored: async (): Promise<{ id: number }[]> => (await owner.http.get(task.ofJob())).body.tags,
    };
  };

  const renewedEveryMs = renewal.everyMs;

  beforeAll(async () => {
    renewal.everyMs = 20;
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });

  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    renewal.everyMs = renewedEveryMs;
    await app.close();
  });

  it('repeats the first response without running again', async () => {
    const first = await post('a');
    const tasks = await count();
    const again = await post('a');
    expect(first.status).toBe(201);
    expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: first.body });
    expect(again.headers['location']).toBe(first.headers['location']);
    expect(again.headers['content-type']).toBe('application/vnd.cvat+json');
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await count()).toBe(tasks);
  });

  it('repeats a PATCH of annotations only once, also after its entity tag is outdated', async () => {
    const task = await givenAnnotatable(app, owner);
    const path = task.ofJob();
    const { etag } = (await owner.http.get(path)).headers;
    const tag = { frame: 0, label_id: task.labels.car, attributes: [] };
    const send = () =>
      owner.http
        .patch(`${path}?action=create`)
        .set('Idempotency-Key', 'annotations')
        .set('If-Match', etag ?? '')
        .send({ tags: [tag] });
    const first = await send();
    const again = await send();
    expect(first.status).toBe(200);
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
    expect(again.headers['etag']).toBe(first.headers['etag']);
    expect((await owner.http.get(path)).body.tags).toHaveLength(1);
  });

  it('stores responses encrypted, and reports one that can no longer be decrypted', async () => {
    const project = await owner.http.post('/api/projects').send({ name: 'seen' });
    const make = () =>
      owner.http.post('/api/webhooks').set('Idempotency-Key', 'secret').send({
        target_url: 'https://receiver.example/hook', type: 'project', project_id: project.body.id,
        events: ['create:task'], generate_secret: true,
      }); // prettier-ignore
    const made = await make();
    expect((await make()).body).toEqual(made.body);
    const [row] = await app.db.query<{ answer: Buffer }>(sql`select answer from idempotency_key where key = 'secret'`);
    expect(made.body.secret).toMatch(/^whsec_/);
    expect(row?.answer.toString('latin1')).not.toContain('whsec_');
    expect(row?.answer.toString('latin1')).not.toContain(made.body.secret.slice(6));
    await app.db.query(sql`update idempotency_key set answer = decode(repeat('00', 40), 'hex') where key = 'secret'`);
    const lost = await make();
    expect(lost.status).toBe(409);
    expect(lost.body.detail).toMatch(/its response was lost/);
  });

  it('refuses another body with the same key, and separates accounts', async () => {
    await post('b');
    expect((await post('b', { ...body, name: 'other' })).status).toBe(409);
    const stranger = await given.person();
    expect((await post('b', { ...body, name: 'other' }, stranger)).status).toBe(201);
  });

  it('can be used again after a refused request', async () => {
    expect((await post('c', { name: '' })).status).toBe(400);
    expect((await post('c')).status).toBe(201);
  });

  it('runs identical concurrent requests once', async () => {
    const tasks = await count();
    const answers = await Promise.all([post('d'), post('d'), post('d')]);
    expect(answers.filter((answer) => answer.status === 201).length).toBeGreaterThanOrEqual(1);
    expect(answers.every((answer) => [201, 409].includes(answer.status))).toBe(true);
    expect(await count()).toBe(tasks + 1);
  });

  it('never repeats what was committed when the response was lost', async () => {
    await post('e');
    await app.db.query(
      sql`update idempotency_key set status = null, answer = null, created_date = created_date - interval '1 hour' where key = 'e'`,
    );
    const tasks = await count();
    expect((await post('e')).body).toEqual({
      detail: 'The request with this Idempotency-Key was processed, but its response was lost.',
    });
    expect(await count()).toBe(tasks);
  });

  it('repeats the response of a save whose client left while it was processed', async () => {
    const save = await givenSave('left');
    const leaving = new AbortController();
    const server: Server = app.app.getHttpServer();
    const connections = () => promisify(server.getConnections.bind(server))();
    server.closeIdleConnections();
    await app.db.withTransaction('begin', async (client) => {
      await client.query('lock table annotation_head in exclusive mode'); // the save waits for it
      const left = save.send(leaving.signal).catch((error: Error) => error.name);
      await until(async () => (await row('left')) !== undefined);
      leaving.abort();
      expect(await left).toBe('AbortError');
      await until(async () => (await connections()) === 0);
    });
    await until(async () => (await row('left'))?.status === 200);
    const again = await save.send();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    const [tag, ...others] = await save.stored();
    expect(others).toEqual([]);
    expect(await again.json()).toMatchObject({ tags: [{ id: tag?.id }] });
  });

  it('reports at once that the response of a save is lost if it failed after it was committed', async () => {
    const save = await givenSave('failed late');
    const service = app.app.get(AnnotationService);
    const original = service.save.bind(service);
    const failing = jest.spyOn(service, 'save').mockImplementationOnce(async (...sent) => {
      await original(...sent);
      throw new Error('no memory');
    });
    expect((await save.send()).status).toBe(500);
    failing.mockRestore();
    const again = await save.send();
    expect([again.status, await again.text()]).toEqual([409, expect.stringMatching(/its response was lost/)]);
    expect(await save.stored()).toHaveLength(1);
  });

  it('can be used again after a failure of the database, as soon as it is back', async () => {
    const save = await givenSave('database');
    const failure = new DatabaseUnavailable(new Error('the database system is starting up'));
    const service = app.app.get(AnnotationService);
    const saving = jest.spyOn(service, 'save').mockRejectedValueOnce(failure);
    const query = app.db.query.bind(app.db);
    let failures = 2;
    const querying = jest.spyOn(app.db, 'query').mockImplementation((statement, options) => {
      const isOutcome = /with refused/.test(statement.compile().text);
      if (isOutcome && failures > 0) return Promise.reject(((failures -= 1), failure));
      return query(statement, options);
    });
    expect((await save.send()).status).toBe(503);
    expect((await save.send()).status).toBe(409);
    await until(async () => (await row('database')) === undefined);
    querying.mockRestore();
    saving.mockRestore();
    expect(failures).toBe(0);
    expect((await save.send()).status).toBe(200);
    expect(await save.stored()).toHaveLength(1);
  });

  it('can be used again if the connection was lost while it was claimed', async () => {
    const save = await givenSave('claim');
    const query = app.db.query.bind(app.db);
    const claimed: unknown[] = [];
    const claiming = jest.spyOn(app.db, 'query').mockImplementation(async (statement, options) => {
      const rows = await query(statement, options);
      if (!/insert into idempotency_key/.test(statement.compile().text)) return rows;
      claimed.push(...rows);
      throw new DatabaseUnavailable(new Error('lost'));
    });
    expect((await save.send()).status).toBe(503);
    claiming.mockRestore();
    expect(claimed).toHaveLength(1);
    await until(async () => (await row('claim')) === undefined);
    expect((await save.send()).status).toBe(200);
    expect(await save.stored()).toHaveLength(1);
  });

  it('runs an abandoned request again, but only once at a time', async () => {
    const save = await givenSave('abandoned');
    expect((await save.send()).status).toBe(200);
    await app.db.query(sql`
      update idempotency_key set status = null, answer = null, committed = false, created_date = created_date - interval '1 hour'
      where key = 'abandoned'`);
    const responses = await Promise.all([save.send(), save.send(), save.send()]);
    const run = responses.filter(({ headers, ok }) => ok && !headers.has('idempotency-replayed'));
    expect(run.length).toBe(1);
    expect(await save.stored()).toHaveLength(2);
  });

  it.each([
    ['can be used again soon after a process without a lock died', null, '31 seconds', 200],
    ['is refused while a process without a lock may run', null, '20 seconds', 409],
    ['is refused while another process may run', 7, '9 minutes', 409],
  ])('%s', async (name, holder, age, status) => {
    const save = await givenSave(name);
    expect((await save.send()).status).toBe(200);
    await app.db.query(sql`
      update idempotency_key set status = null, answer = null, committed = false, holder = ${holder}::int,
        created_date = created_date - ${age}::interval
      where key = ${name}`);
    expect((await save.send()).status).toBe(status);
    expect(await save.stored()).toHaveLength(status === 200 ? 2 : 1);
  });

  it('refuses the key of a running request however long it takes, also in another process', async () => {
    const save = await givenSave('long');
    const later = new Date(Date.now() + 3_600_000);
    const query = app.db.query.bind(app.db);
    const querying = jest.spyOn(app.db, 'query').mockImplementation((statement, options) => {
      const isRenewal = /as own\(/.test(statement.compile().text);
      return isRenewal ? Promise.reject(new DatabaseUnavailable(new Error('lost'))) : query(statement, options);
    });
    const { running } = await app.db.withTransaction('begin', async (client) => {
      await client.query('lock table annotation_head in exclusive mode'); // the save waits for it
      const running = save.send();
      await until(async () => (await row('long')) !== undefined);
      jest.spyOn(app.clock, 'now').mockReturnValue(later);
      const again = await save.send();
      expect([again.status, await again.json()]).toEqual([
        409,
        { detail: 'The request with this Idempotency-Key is still being processed.' },
      ]);
      querying.mockRestore();
      await until(async () => new Date((await row('long'))?.created_date ?? 0).getTime() === later.getTime());
      const elsewhere = new IdempotencyRepository(
        app.db,
        createLogger('silent'),
        app.app.get(LiveProcesses),
        app.clock,
      );
      const { fingerprint } = (await row('long')) ?? { fingerprint: '' };
      const date = new Date(later.getTime() + 20_000);
      expect(await elsewhere.claim({ userId: owner.id, key: 'long', fingerprint, date })).toMatchObject({
        abandoned: false,
      });
      return { running };
    });
    expect((await running).status).toBe(200);
    expect((await save.send()).headers.get('idempotency-replayed')).toBe('true');
    expect(await save.stored()).toHaveLength(1);
  });

  it('settles the claim of a request even if it is unknown whether it was renewed', async () => {
    const save = await givenSave('uncertain');
    const failure = new DatabaseUnavailable(new Error('lost'));
    const query = app.db.query.bind(app.db);
    let renewals = 0;
    let failures = 1;
    jest.spyOn(app.db, 'query').mockImplementation(async (statement, options) => {
      const { text } = statement.compile();
      if (/with refused/.test(text) && failures > 0) throw ((failures -= 1), failure);
      const rows = await query(statement, options);
      if (/as own\(/.test(text)) throw ((renewals += 1), failure);
      return rows;
    });
    jest.spyOn(app.app.get(AnnotationService), 'save').mockImplementationOnce(async () => {
      await until(async () => renewals >= 2);
      throw failure;
    });
    expect((await save.send()).status).toBe(503);
    await until(async () => (await row('uncertain')) === undefined);
    expect(failures).toBe(0);
  });

  it('no longer renews the claim of a request whose response was cut off', async () => {
    const save = await givenSave('cut off');
    jest.spyOn(app.app.get(AnnotationService), 'save').mockImplementationOnce(() => {
      currentRequest()?.res?.write('{');
      throw new Error('no memory');
    });
    await expect(save.send().then((response) => response.text())).rejects.toThrow();
    expect((await save.send()).status).toBe(409);
    const later = new Date(Date.now() + 3_600_000);
    jest.spyOn(app.clock, 'now').mockReturnValue(later);
    expect((await save.send()).status).toBe(200);
    expect(await save.stored()).toHaveLength(1);
  });

  it('repeats responses for anonymous clients, and stores nothing readable of their requests', async () => {
    const sent = {
      username: 'newcomer',
      email: 'n@example.org',
      password1: 'Correct-horse-7',
      password2: 'Correct-horse-7',
    };
    const register = (more: object = {}) =>
      app.http
        .post('/api/auth/register')
        .set('Idempotency-Key', 'me')
        .send({ ...sent, ...more });
    const first = await register();
    const again = await register();
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
    expect(again.body).toEqual(first.body);
    expect((await register({ password1: 'x', password2: 'x' })).status).toBe(409);

    const logIn = (password: string) =>
      app.http.post('/api/auth/login').set('Idempotency-Key', 'in').send({ username: sent.username, password });
    expect((await logIn('wrong')).status).toBe(400);
    const entered = await logIn(sent.password1);
    const repeated = await logIn(sent.password1);
    expect([entered.status, repeated.status]).toEqual([200, 200]);
    expect(repeated.body).toEqual(entered.body);
    expect(repeated.headers['set-cookie']).toEqual(entered.headers['set-cookie']);
    expect((await logIn('wrong')).status).toBe(409);

    const rows = await app.db.query<object>(
      sql`select key, fingerprint, encode(answer, 'escape') as answer from idempotency_key where user_id = 0`,
    );
    const kept = JSON.stringify(rows);
    expect(rows).toHaveLength(2);
    for (const secret of [entered.body.key as string, sent.password1, 'sessionid', 'newcomer'])
      expect(kept).not.toContain(secret);
  });

  it('expires after a day', async () => {
    await post('f');
    await app.db.query(
      sql`update idempotency_key set created_date = created_date - interval '25 hours' where key = 'f'`,
    );
    const tasks = await count();
    expect((await post('f', { ...body, name: 'next day' })).status).toBe(201);
    expect(await count()).toBe(tasks + 1);
  });
});
