import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { Mailer, type Message } from '../../../src/core/mail/mailer.js';
import { encodePassword } from '../../../src/engines/password/encoded-password.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { LoginLinks } from '../../../src/modules/auth/index.js';
import { LoginRecords } from '../../../src/modules/auth/login/login.service.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

const OLD = 'Correct-horse-7';
const NEW = 'Staple-battery-8';
const TOO_SIMILAR = 'The password is too similar to the username.';
const APART = 'The two password fields didn’t match.';

describe('passwords', () => {
  let app: TestApp;
  let person: Person;
  const emails: Message[] = [];

  beforeAll(async () => {
    app = await createTestApp();
    app.app.get(Mailer).send = (email) => void emails.push(email);
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    emails.length = 0;
    person = await new Given(app).person();
    await app.db.query(sql`update app_user set password = ${await encodePassword(OLD)} where id = ${person.id}`);
  });

  const works = async (password: string) =>
    (await app.http.get('/api/users/self').auth(person.username, password)).status === 200;

  const change = (body: object) => person.http.post('/api/auth/password/change').send(body);

  const sessionIn = (answer: { get(name: 'Set-Cookie'): string[] | undefined }): string =>
    /sessionid=\w+/.exec(String(answer.get('Set-Cookie')))?.[0] ?? '';
  const chosen = { new_password1: NEW, new_password2: NEW };
  const logIn = (password: string) => app.http.post('/api/auth/login').send({ username: person.username, password });
  const statusWith = async (headers: Record<string, string>) =>
    (await app.http.get('/api/users/self').set(headers)).status;

  it('changing one revokes sessions, the token and access tokens, and starts a session for this client', async () => {
    const access = await person.http.post('/api/auth/access_tokens').send({ name: 'script' });
    const elsewhere = await logIn(OLD);
    const answer = await change({ old_password: OLD, ...chosen });
    expect([answer.status, answer.body]).toEqual([200, { detail: 'New password has been saved.' }]);
    expect(await statusWith({ Cookie: sessionIn(elsewhere) })).toBe(401);
    expect(await statusWith({ Cookie: sessionIn(answer) })).toBe(200);
    expect(await statusWith({ Authorization: `Token ${person.token}` })).toBe(401);
    expect(await statusWith({ Authorization: `Bearer ${access.body.value}` })).toBe(401);
    expect([await works(OLD), await works(NEW)]).toEqual([false, true]);
    const again = await logIn(NEW);
    expect(again.body.key).not.toBe(person.token);
  });

  it('changing one keeps access tokens on request', async () => {
    const access = await person.http.post('/api/auth/access_tokens').send({ name: 'script' });
    expect((await change({ old_password: OLD, ...chosen, keep_access_tokens: 'x' })).body).toEqual({
      keep_access_tokens: ['Must be a valid boolean.'],
    });
    await change({ old_password: OLD, ...chosen, keep_access_tokens: true }).expect(200);
    expect(await statusWith({ Authorization: `Bearer ${access.body.value}` })).toBe(200);
    expect(await statusWith({ Authorization: `Token ${person.token}` })).toBe(401);
  });

  it('changing one with Basic authentication starts no session, which would accept the old password', async () => {
    const browser = supertest.agent(app.app.getHttpServer());
    const body = { old_password: OLD, ...chosen };
    const answer = await browser.post('/api/auth/password/change').auth(person.username, OLD).send(body);
    expect([answer.status, answer.get('Set-Cookie')]).toEqual([200, undefined]);
    expect((await browser.get('/api/users/self').auth(person.username, OLD)).status).toBe(401);
    const renamed = await browser
      .patch(`/api/users/${person.id}`)
      .auth(person.username, NEW)
      .send({ first_name: 'New' });
    expect(renamed.status).toBe(200);
  });

  it('changing one in a session continues in a new session, with the same CSRF token', async () => {
    const browser = supertest.agent(app.app.getHttpServer());
    const entered = await browser.post('/api/auth/login').send({ username: person.username, password: OLD });
    const proof = /csrftoken=(\w+)/.exec(String(entered.get('Set-Cookie')))?.[1] ?? '';
    const send = (body: object) => browser.post('/api/auth/password/change').set('X-CSRFToken', proof).send(body);
    await send({ old_password: OLD, ...chosen }).expect(200);
    expect((await browser.get('/api/users/self')).status).toBe(200);
    await send({ old_password: NEW, new_password1: OLD, new_password2: OLD }).expect(200);
    expect(await statusWith({ Cookie: sessionIn(entered) })).toBe(401);
  });

  it('a login that began with the old password fails after the change', async () => {
    const [stored] = await app.db.query<{ password: string }>(
      sql`select password from app_user where id = ${person.id}`,
    );
    await change({ old_password: OLD, ...chosen }).expect(200);
    const entry = app.app.get(LoginRecords).logIn(app.db, person.id, stored?.password ?? '', '');
    expect(await entry).toBeNull();
  });

  const wrong = 'Your old password was entered incorrectly. Please enter it again.';

  it.each([
    [{ old_password: 'x', new_password1: 'a', new_password2: 'b' }, { old_password: [wrong] }],
    [{ old_password: OLD, new_password1: NEW, new_password2: `${NEW} ` }, { new_password2: [APART] }],
    [
      { old_password: OLD, new_password1: '123', new_password2: '123' },
      {
        new_password2: [
          'This password is too short. It must contain at least 8 characters.',
          'This password is too common.',
          'This password is entirely numeric.',
        ],
      },
    ],
    [{ old_password: OLD }, { new_password1: ['This field is required.'], new_password2: ['This field is required.'] }],
  ])('changing refuses %j', async (body, error) => {
    const answer = await change(body);
    expect([answer.status, answer.body]).toEqual([400, error]);
    expect(await works(OLD)).toBe(true);
  });

  it('changing refuses the user name as a password', async () => {
    const password = `${person.username}1`;
    const answer = await change({ old_password: OLD, new_password1: password, new_password2: password });
    expect(answer.body).toEqual({ new_password2: [TOO_SIMILAR] });
  });

  it('changing needs authentication', async () => {
    expect((await app.http.post('/api/auth/password/change').send({})).status).toBe(401);
  });

  const reset = (email: unknown) => app.http.post('/api/auth/password/reset').send({ email });
  const confirm = (body: object) => app.http.post('/api/auth/password/reset/confirm').send(body);

  const linkIn = (email: Message | undefined) => {
    const { searchParams } = new URL(email?.path ?? '', 'http://h');
    return { uid: searchParams.get('uid'), token: searchParams.get('token') };
  };

  it('resetting: the link works once', async () => {
    const asked = await reset(`${person.username}@Example.org`);
    expect([asked.status, asked.body]).toEqual([200, { detail: 'Password reset e-mail has been sent.' }]);
    const proof = linkIn(emails[0]);
    const access = await person.http.post('/api/auth/access_tokens').send({ name: 'script' });
    const elsewhere = await logIn(OLD);
    expect((await confirm({ ...proof, new_password1: NEW, new_password2: 'b' })).body).toEqual({
      new_password2: [APART],
    });
    const done = await confirm({ ...proof, ...chosen });
    expect([done.status, done.body]).toEqual([200, { detail: 'Password has been reset with the new password.' }]);
    expect([await works(OLD), await works(NEW)]).toEqual([false, true]);
    expect((await confirm({ ...proof, ...chosen })).body).toEqual({ token: ['Invalid value'] });
    expect(await statusWith({ Cookie: sessionIn(elsewhere) })).toBe(401);
    expect(await statusWith({ Authorization: `Token ${person.token}` })).toBe(401);
    expect(await statusWith({ Authorization: `Bearer ${access.body.value}` })).toBe(401);
  });

  it('resetting: one of several requests at the same time uses the link', async () => {
    await reset(`${person.username}@example.org`);
    const passwords = [1, 2, 3].map((number) => `${NEW}${number}`);
    const statuses = await Promise.all(
      passwords.map(async (password) => {
        const body = { ...linkIn(emails[0]), new_password1: password, new_password2: password };
        return (await confirm(body)).status;
      }),
    );
    expect([...statuses].sort((a, b) => a - b)).toEqual([200, 400, 400]);
    expect(await Promise.all(passwords.map(works))).toEqual(statuses.map((status) => status === 200));
  });

  it('resetting: links end when the account is disabled', async () => {
    await reset(`${person.username}@example.org`);
    const login = new URL((await app.app.get(LoginLinks).create(person.username)) ?? '', app.url);
    const admin = await new Given(app).admin();
    for (const is_active of [false, true])
      await admin.http.patch(`/api/users/${person.id}`).send({ is_active }).expect(200);
    expect((await confirm({ ...linkIn(emails[0]), ...chosen })).body).toEqual({ token: ['Invalid value'] });
    expect((await app.http.get(`${login.pathname}${login.search}`)).get('Location')).toBe('/login?problem=link');
    await reset(`${person.username}@example.org`);
    expect((await confirm({ ...linkIn(emails[1]), ...chosen })).status).toBe(200);
  });

  it('resetting responds the same for unknown addresses and people without a password', async () => {
    const invited = await new Given(app).person();
    for (const email of ['nobody@example.org', `${invited.username}@example.org`]) {
      expect((await reset(email)).body).toEqual({ detail: 'Password reset e-mail has been sent.' });
    }
    expect(emails).toEqual([]);
    expect((await reset('bad')).body).toEqual({ email: ['Enter a valid email address.'] });
  });

  it.each([
    [{ uid: 'zzzzzz', token: 'x' }, { uid: ['Invalid value'] }],
    [{ uid: '../1', token: 'x' }, { uid: ['Invalid value'] }],
    [{ token: 'x' }, { uid: ['This field is required.'] }],
  ])('confirming refuses %j', async (body, error) => {
    const answer = await confirm({ new_password1: NEW, new_password2: NEW, ...body });
    expect([answer.status, answer.body]).toEqual([400, error]);
  });

  it('confirming refuses a token of another user', async () => {
    await reset(`${person.username}@example.org`);
    const token = new URL(emails[0]?.path ?? '', 'http://h').searchParams.get('token');
    const other = await new Given(app).person();
    const answer = await confirm({ uid: other.id.toString(36), token, new_password1: NEW, new_password2: NEW });
    expect(answer.body).toEqual({ token: ['Invalid value'] });
  });
});
