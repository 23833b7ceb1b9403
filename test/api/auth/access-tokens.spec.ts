import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventLog } from '../../../src/core/event-log/event-log.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { worked } from '../../support/given-exchange.js';
import { givenPhotos } from '../../support/given-media.js';
import { Given, type Person } from '../../support/given.js';

const PATH = '/api/auth/access_tokens';
const REFUSED = { detail: 'You do not have permission to perform this action.' };
const ANONYMOUS = { detail: 'Authentication credentials were not provided.' };
const PAST = '2020-01-01T00:00:00Z';

interface Created {
  readonly id: number;
  readonly value: string;
}

describe('access tokens', () => {
  let app: TestApp;
  let given: Given;
  let person: Person;
  let admin: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    admin = await given.admin();
  });
  beforeEach(async () => void (person = await given.person()));
  afterAll(() => app.close());

  const make = async (body: object, by = person): Promise<Created> =>
    (await by.http.post(PATH).send({ name: 'x', ...body }).expect(201)).body; // prettier-ignore
  const writer = (by = person) => make({ read_only: false }, by);
  const reader = (by = person) => make({ read_only: true }, by);
  const bearer = ({ value }: Created) => ({ Authorization: `Bearer ${value}` });
  const send = (token: Created, method: 'get' | 'post' | 'patch' | 'put' | 'delete', path: string, body?: object) => {
    const request = app.http[method](path).set(bearer(token));
    return body === undefined ? request : request.send(body);
  };

  it('show their value once, and authenticate programs', async () => {
    const created = await person.http.post(PATH).send({ name: 'ci' }).expect(201);
    expect(Object.keys(created.body)).toEqual(
      'id name created_date updated_date expiry_date last_used_date read_only owner value'.split(' '),
    );
    const { id, value, ...rest } = created.body;
    expect(rest).toMatchObject({ name: 'ci', expiry_date: null, last_used_date: null, read_only: true });
    const { body } = await send({ id, value }, 'get', `${PATH}/self`).expect(200);
    expect(body).toMatchObject({ id, name: 'ci', last_used_date: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(body).not.toHaveProperty('value');
  });

  it('are the only credential that can ask who it is', async () => {
    expect((await person.http.get(`${PATH}/self`).expect(401)).body).toEqual(ANONYMOUS);
  });

  it('keep the microseconds of their expiry date', async () => {
    const { id } = await make({ expiry_date: '2027-01-01T02:00:00.123456+02:00' });
    const { body } = await person.http.get(`${PATH}/${id}`).expect(200);
    expect(body.expiry_date).toBe('2027-01-01T00:00:00.123456Z');
    const patch = { expiry_date: '2028-01-01T00:00:00.000001Z' };
    expect((await person.http.patch(`${PATH}/${id}`).send(patch).expect(200)).body.expiry_date).toBe(patch.expiry_date);
  });

  it.each([
    [{}, { name: ['This field is required.'] }],
    [{ name: 'x'.repeat(51) }, { name: ['Ensure this field has no more than 50 characters.'] }],
    [{ name: 'x', read_only: 'maybe' }, { read_only: ['Must be a valid boolean.'] }],
    [{ name: 'a\0b' }, { name: expect.anything() }],
    [{ name: 'x', expiry_date: '2020-13-45' }, { expiry_date: expect.anything() }],
    [
      { name: 'x', expiry_date: '9999-12-31T23:59:59-23:00' },
      { expiry_date: [expect.stringContaining('wrong format')] },
    ],
  ])('refuse %j', async (body, error) => {
    const answer = await person.http.post(PATH).send(body);
    expect([answer.status, answer.body]).toEqual([400, error]);
  });

  describe('that have expired', () => {
    let late: Created;

    beforeEach(async () => void (late = await make({ expiry_date: PAST })));

    it('do not authenticate', () => send(late, 'get', '/api/users/self').expect(401));

    it.each(['get', 'patch', 'delete'] as const)('cannot be found: %s', async (method) => {
      for (const by of [person, admin]) await by.http[method](`${PATH}/${late.id}`).expect(404);
    });

    it('are not listed', async () => {
      expect((await person.http.get(PATH)).body.count).toBe(0);
      expect((await admin.http.get(`/api/users/${person.id}/access_tokens`)).body.count).toBe(0);
    });

    it('do not count for the limit', async () => {
      await app.db.query(sql`
        insert into access_token (name, owner_id, key_hash, read_only, expiry_date, created_date, updated_date)
        select 'old', ${person.id}, 'hash of ' || ${person.id} || ' ' || n, true, ${new Date(PAST)}, now(), now()
        from generate_series(1, 60) n`);
      await make({});
    });
  });

  it('can be created up to the limit, also at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 55 }, () => person.http.post(PATH).send({ name: 'x' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(answers.find(({ status }) => status !== 201)?.body).toEqual([
      'You have reached the maximum allowed number of Personal Access Tokens for a user',
    ]);
  });

  describe('of somebody else', () => {
    it.each(['get', 'patch', 'delete'] as const)('are forbidden: %s', async (method) => {
      const { id } = await make({});
      const stranger = await given.person();
      expect((await stranger.http[method](`${PATH}/${id}`).expect(403)).body).toEqual(REFUSED);
    });

    it('can be read and revoked by administrators', async () => {
      const { id } = await make({ name: 'theirs' });
      const { body } = await admin.http.get(`${PATH}/${id}`).expect(200);
      expect(body).toMatchObject({ id, name: 'theirs', owner: { id: person.id } });
      await admin.http.delete(`${PATH}/${id}`).expect(204);
      await person.http.get(`${PATH}/${id}`).expect(404);
    });

    it('are not listed for administrators', async () => {
      await make({});
      const { body } = await admin.http.get(`${PATH}?page_size=500`).expect(200);
      expect(body.results.every(({ owner }: { owner: { id: number } }) => owner.id === admin.id)).toBe(true);
    });
  });

  describe('as a credential', () => {
    const changes: readonly (readonly [string, (id: number) => readonly ['post' | 'patch' | 'delete', string, object?]])[] = [
      ['create tokens', () => ['post', PATH, { name: 'more', read_only: false }]],
      ['extend tokens', (id) => ['patch', `${PATH}/${id}`, { expiry_date: null }]],
      ['widen tokens', (id) => ['patch', `${PATH}/${id}`, { read_only: false }]],
      ['change nothing of tokens', (id) => ['patch', `${PATH}/${id}`, {}]],
      ['revoke tokens', (id) => ['delete', `${PATH}/${id}`]],
      ['change their own account', () => ['patch', `/api/users/${admin.id}`, { first_name: 'X' }]],
      ['change the accounts of others', () => ['patch', `/api/users/${person.id}`, { groups: ['admin'] }]],
      ['create accounts', () => ['post', '/api/users', { username: randomUUID(), password: 'Correct-horse-7' }]],
      ['delete accounts', () => ['delete', `/api/users/${person.id}`]],
      ['reset passwords', () => ['post', `/api/users/${person.id}/password_reset`, {}]],
      ['end sessions', () => ['delete', `/api/users/${person.id}/sessions`]],
      ['revoke the tokens of others', (id) => ['delete', `/api/users/${person.id}/access_tokens/${id}`]],
    ]; // prettier-ignore

    it.each(changes)('cannot %s, even those of administrators', async (_, change) => {
      const own = await make({});
      for (const token of [await writer(admin), await reader(admin)]) {
        const [method, path, body] = change(own.id);
        const { status, body: answer } = await send(token, method, path, body);
        expect([status, answer]).toEqual([403, REFUSED]);
      }
      await admin.http.get(`${PATH}/${own.id}`).expect(200);
    });

    it('cannot repeat the creation of a token by its key', async () => {
      const key = { 'Idempotency-Key': randomUUID() };
      const body = { name: 'once' };
      await person.http.post(PATH).set(key).send(body).expect(201);
      await send(await writer(), 'post', PATH, body)
        .set(key)
        .expect(403);
    });

    it('cannot change the password', async () => {
      for (const token of [await writer(), await reader()]) {
        const answer = await send(token, 'post', '/api/auth/password/change', {});
        expect([answer.status, answer.body]).toEqual([401, ANONYMOUS]);
      }
    });

    it('can read tokens and users', async () => {
      const token = await reader();
      for (const path of [PATH, `${PATH}/self`, `${PATH}/${token.id}`, '/api/users/self', '/api/users'])
        await send(token, 'get', path).expect(200);
    });

    it('can change objects unless they are only for reading', async () => {
      const project = { name: 'p', labels: [] };
      await send(await writer(), 'post', '/api/projects', project).expect(201);
      expect((await send(await reader(), 'post', '/api/projects', project).expect(403)).body).toEqual(REFUSED);
    });

    it.each([true, false])('log out without effect, only for reading: %s', async (read_only) => {
      const token = await make({ read_only });
      const response = await send(token, 'post', '/api/auth/logout').set('Cookie', 'sessionid=abc').expect(200);
      expect([response.body, response.headers['set-cookie']]).toEqual([
        { detail: 'Successfully logged out.' },
        undefined,
      ]);
      await send(token, 'get', '/api/users/self').expect(200);
      await person.http.get('/api/users/self').expect(200);
    });
  });

  describe('only for reading', () => {
    let task: number;

    beforeAll(async () => {
      person = await given.person();
      task = (await givenPhotos(app, person, 1)).id;
    });
    beforeEach(async () => {
      await app.db.query(sql`delete from background_request`);
      await app.db.query(sql`update task set owner_id = ${person.id} where id = ${task}`);
    });

    it.each([
      ['annotations', () => `/api/tasks/${task}/dataset/export?format=COCO+1.0`],
      ['images', () => `/api/tasks/${task}/dataset/export?format=COCO+1.0&save_images=true`],
      ['backups', () => `/api/tasks/${task}/backup/export`],
      ['events', () => '/api/events/export'],
    ])('export %s', async (_, path) => {
      const token = await reader();
      const { body } = await send(token, 'post', path()).expect(202);
      const { result_url: url } = (await worked(app, person, body.rq_id)).body as { result_url: string };
      const { pathname, search } = new URL(url);
      await send(token, 'get', pathname + search).expect(200);
    });

    it('do not export to cloud storages', async () => {
      const [storage] = await app.db.query<{ id: number }>(sql`
        insert into cloud_storage (provider_type, resource, display_name, owner_id, credentials_type, created_date, updated_date)
        values ('AWS_S3_BUCKET', 'b', 'b', ${person.id}, 'ANONYMOUS_ACCESS', now(), now()) returning id`);
      const query = `location=cloud_storage&cloud_storage_id=${storage?.id}&filename=x.zip`;
      for (const path of [
        `tasks/${task}/dataset/export?format=COCO+1.0&`,
        `tasks/${task}/backup/export?`,
        'events/export?',
      ])
        await send(await reader(), 'post', `/api/${path}${query}`).expect(403);
    });

    it.each([
      ['import', () => [`/api/tasks/${task}/annotations?format=COCO+1.0`]],
      ['events', () => ['/api/events', { events: [], timestamp: new Date() }]],
      ['a cancelled request', () => ['/api/requests/x/cancel']],
    ] as [string, () => [string, object?]][])('do not send anything else: %s', async (_, request) => {
      const [path, body] = request();
      await send(await reader(), 'post', path, body).expect(403);
    });
  });

  it('are named in exported events', async () => {
    const token = await writer();
    await send(token, 'post', '/api/projects', { name: 'by token', labels: [] }).expect(201);
    await person.http.patch(`${PATH}/${token.id}`).send({ name: 'renamed' }).expect(200);
    await person.http.delete(`${PATH}/${token.id}`).expect(204);
    await app.drain();
    await app.app.get(EventLog).flush();
    const { body } = await person.http.post('/api/events/export').expect(202);
    const { result_url: url } = (await worked(app, person, body.rq_id)).body as { result_url: string };
    const { pathname, search } = new URL(url);
    const lines = (await person.http.get(pathname + search).buffer(true)).text.split('\r\n');
    expect(lines[0]).toMatch(/,payload,access_token_id$/);
    const scopes = lines.map((line) => [line.split(',')[0], /,(\d*)$/.exec(line)?.[1]]);
    expect(scopes).toEqual(
      expect.arrayContaining([
        ['create:accesstoken', ''],
        ['create:project', String(token.id)],
        ['update:accesstoken', ''],
        ['delete:accesstoken', ''],
      ]),
    );
  });
});
