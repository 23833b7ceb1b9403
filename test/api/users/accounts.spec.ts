import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog } from '../../../src/core/event-log/event-log.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';

const PASSWORD = 'Correct-horse-7';
const DENIED = { detail: 'You do not have permission to perform this action.' };

describe('accounts that administrators manage', () => {
  let app: TestApp;
  let given: Given;
  let admin: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    admin = await given.admin();
  });
  afterAll(() => app.close());

  const create = (body: object) => admin.http.post('/api/users').send(body);
  const logIn = async (username: string, password: string): Promise<number> =>
    (await app.http.post('/api/auth/login').send({ username, password })).status;
  const linkOf = (url: string): Record<string, string> => Object.fromEntries(new URL(url).searchParams);
  const setPassword = (link: string) => {
    const body = { ...linkOf(link), new_password1: PASSWORD, new_password2: PASSWORD };
    return app.http.post('/api/auth/password/reset/confirm').send(body);
  };

  it('are created with a password, and record the event', async () => {
    const body = { username: 'grace', email: 'grace@example.org', first_name: 'Grace', groups: ['worker', 'user'] };
    const created = await create({ ...body, password: PASSWORD });
    expect([created.status, created.body]).toEqual([
      201,
      expect.objectContaining({ ...body, groups: ['user', 'worker'], is_staff: false, password_link: null }),
    ]);
    expect(await logIn('grace', PASSWORD)).toBe(200);
    expect((await recordedEvents(app)).at(-1)?.name).toBe('create:user');
  });

  it('make members of the group admin administrators', async () => {
    const { body } = await create({ username: 'second-boss', password: PASSWORD, groups: ['admin'] });
    expect(body).toMatchObject({ groups: ['admin'], is_staff: true, is_superuser: true });
    await admin.http.delete(`/api/users/${(body as { id: number }).id}`).expect(204);
  });

  it('get a link that sets the password once', async () => {
    const { body } = await create({ username: 'linked', email: 'linked@example.org' }).expect(201);
    const { link, sent_to: sentTo } = (body as { password_link: { link: string; sent_to: null } }).password_link;
    expect([new URL(link).pathname, sentTo]).toEqual(['/auth/password/reset/confirm', null]);
    expect((await setPassword(link)).status).toBe(200);
    expect(await logIn('linked', PASSWORD)).toBe(200);
    expect((await setPassword(link)).body).toEqual({ token: ['Invalid value'] });
  });

  it('cannot be taken over by registering with their address', async () => {
    await create({ username: 'boss@example.org', email: 'boss@example.org', groups: ['admin'] }).expect(201);
    const body = { email: 'boss@example.org', password1: PASSWORD, password2: PASSWORD };
    const refused = await app.http.post('/api/auth/register').send({ ...body, username: 'intruder' });
    expect([refused.status, refused.body]).toEqual([400, ['A user is already registered with this e-mail address.']]);
  });

  it.each([
    [{}, { username: ['This field is required.'] }],
    [{ username: 'a b' }, { username: [expect.stringContaining('Enter a valid username')] }],
    [{ username: 'GRACE' }, { username: ['A user with that username already exists.'] }],
    [{ username: 'x', email: 'x' }, { email: ['Enter a valid email address.'] }],
    [
      { username: 'x', email: 'Grace@example.org' },
      { email: ['A user is already registered with this e-mail address.'] },
    ],
    [{ username: 'x', groups: ['king'] }, { groups: ['Object with name=king does not exist.'] }],
    [{ username: 'x', password: 'short' }, { password: [expect.stringContaining('too short')] }],
    [{ username: 'long-name', password: 'long-name1' }, { password: ['The password is too similar to the username.'] }],
  ])('refuse %j', async (body, problem) => {
    const refused = await create(body);
    expect([refused.status, refused.body]).toEqual([400, problem]);
  });

  it('get a new password by a reset, which ends sessions and revokes tokens', async () => {
    const { id } = (await create({ username: 'forgetful', password: PASSWORD })).body as { id: number };
    const login = await app.http.post('/api/auth/login').send({ username: 'forgetful', password: PASSWORD });
    const token = { Authorization: `Token ${(login.body as { key: string }).key}` };
    const cookies = (login.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
    const { value } = (await app.http.post('/api/auth/access_tokens').set(token).send({ name: 'robot' })).body;
    const bearer = { Authorization: `Bearer ${value as string}` };
    const reset = (body: object) => admin.http.post(`/api/users/${id}/password_reset`).send(body);
    const statuses = () =>
      Promise.all(
        [token, { Cookie: cookies }, bearer].map(
          async (headers) => (await app.http.get('/api/users/self').set(headers)).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    await reset({ keep_access_tokens: true }).expect(200);
    expect([...(await statuses()), await logIn('forgetful', PASSWORD)]).toEqual([401, 401, 200, 400]);
    const { link } = (await reset({})).body as { link: string };
    expect(await statuses()).toEqual([401, 401, 401]);
    expect((await setPassword(link)).status).toBe(200);
    expect(await logIn('forgetful', PASSWORD)).toBe(200);
    await admin.http.patch(`/api/users/${id}`).send({ is_active: false }).expect(200);
    expect((await reset({})).body).toEqual(['This account is disabled. Enable it first.']);
    expect((await admin.http.post(`/api/users/${admin.id}/password_reset`).send({})).status).toBe(400);
  });

  it('stay logged out when they are enabled again', async () => {
    await create({ username: 'on-leave', password: PASSWORD }).expect(201);
    const login = await app.http.post('/api/auth/login').send({ username: 'on-leave', password: PASSWORD });
    const self = () =>
      app.http.get('/api/users/self').set('Authorization', `Token ${(login.body as { key: string }).key}`);
    const { id } = (await self()).body as { id: number };
    for (const is_active of [false, true]) await admin.http.patch(`/api/users/${id}`).send({ is_active }).expect(200);
    expect((await self()).body).toEqual({ detail: 'Invalid token.' });
  });

  it('have sessions that can be ended, and access tokens that can be revoked', async () => {
    const person = await given.person();
    const { id } = (await person.http.post('/api/auth/access_tokens').send({ name: 'robot' })).body as { id: number };
    const list = await admin.http.get(`/api/users/${person.id}/access_tokens?name=robot`);
    expect(list.body).toMatchObject({ count: 1, results: [{ id, name: 'robot', owner: { id: person.id } }] });
    expect((await admin.http.delete(`/api/users/${admin.id}/access_tokens/${id}`)).status).toBe(404);
    expect((await admin.http.delete(`/api/users/${person.id}/access_tokens/${id}`)).status).toBe(204);
    await admin.http.delete(`/api/users/${person.id}/sessions`).expect(204);
    expect((await person.http.get('/api/users/self')).status).toBe(401);
    await app.app.get(EventLog).flush();
    const rows = await app.db.query(sql`
      select scope, user_id, obj_id, obj_name from logged_event
      where scope in ('delete:session', 'reset:password', 'delete:access_token') order by id desc limit 2`);
    expect(rows).toEqual([
      { scope: 'delete:session', user_id: admin.id, obj_id: person.id, obj_name: person.username },
      { scope: 'delete:access_token', user_id: admin.id, obj_id: id, obj_name: 'robot' },
    ]);
  });

  it('are listed by e-mail address, role and last login for staff only', async () => {
    const ada = await given.person({ username: 'ada', email: 'lovelace@engines.example' });
    const names = async (query: string, as = admin): Promise<string[]> =>
      (await as.http.get(`/api/users?${query}`)).body.results.map(({ username }: { username: string }) => username);
    expect(await names('search=lovelace')).toEqual(['ada']);
    expect(await names('email=lovelace@engines.example')).toEqual(['ada']);
    expect(await names('role=admin&sort=id')).toContain(admin.username);
    expect(await names('role=admin')).not.toContain('ada');
    expect((await names('sort=-last_login'))[0]).toBeDefined();
    expect(await names('search=lovelace', ada)).toEqual([]);
    const filter = JSON.stringify({ '==': [{ var: 'email' }, 'lovelace@engines.example'] });
    expect((await ada.http.get('/api/users').query({ filter })).status).toBe(400);
  });

  it('are only for administrators', async () => {
    const user = await given.person();
    const other = await given.person();
    const path = `/api/users/${other.id}`;
    for (const refused of [
      user.http.post('/api/users').send({ username: 'x' }),
      user.http.post(`${path}/password_reset`).send({}),
      user.http.delete(`${path}/sessions`),
      user.http.get(`/api/users/${user.id}/access_tokens`),
    ]) {
      const { status, body } = await refused;
      expect([status, body]).toEqual([403, DENIED]);
    }
  });
});
