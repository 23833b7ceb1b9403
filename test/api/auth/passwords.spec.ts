import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Mailer, type Message } from '../../../src/core/mail/mailer.js';
import { encodePassword } from '../../../src/engines/password/encoded-password.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

const OLD = 'Correct-horse-7';
const NEW = 'Staple-battery-8';
const TOO_SIMILAR = 'The password is too similar to the username.';
const APART = 'The two password fields didn’t match.';

describe('passwords', () => {
  let app: TestApp;
  let person: Person;
  const letters: Message[] = [];

  beforeAll(async () => {
    app = await createTestApp();
    app.app.get(Mailer).send = (letter) => void letters.push(letter);
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    letters.length = 0;
    person = await new Given(app).person();
    await app.db.query(sql`update app_user set password = ${await encodePassword(OLD)} where id = ${person.id}`);
  });

  const works = async (password: string) =>
    (await app.http.get('/api/users/self').auth(person.username, password)).status === 200;

  const change = (body: object) => person.http.post('/api/auth/password/change').send(body);

  it('changing one keeps the token, ends other sessions and starts one for this client', async () => {
    const elsewhere = await app.http.post('/api/auth/login').send({ username: person.username, password: OLD });
    const session = /sessionid=\w+/.exec(String(elsewhere.get('Set-Cookie')))?.[0] ?? '';
    const answer = await change({ old_password: OLD, new_password1: NEW, new_password2: NEW });
    expect([answer.status, answer.body]).toEqual([200, { detail: 'New password has been saved.' }]);
    const own = /sessionid=\w+/.exec(String(answer.get('Set-Cookie')))?.[0] ?? '';
    expect((await app.http.get('/api/users/self').set('Cookie', session)).status).toBe(401);
    expect((await app.http.get('/api/users/self').set('Cookie', own)).status).toBe(200);
    expect((await person.http.get('/api/users/self')).status).toBe(200);
    expect([await works(OLD), await works(NEW)]).toEqual([false, true]);
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

  it('changing needs a log-in', async () => {
    expect((await app.http.post('/api/auth/password/change').send({})).status).toBe(401);
  });

  const reset = (email: unknown) => app.http.post('/api/auth/password/reset').send({ email });
  const confirm = (body: object) => app.http.post('/api/auth/password/reset/confirm').send(body);

  it('resetting: the link works once', async () => {
    const asked = await reset(`${person.username}@Example.org`);
    expect([asked.status, asked.body]).toEqual([200, { detail: 'Password reset e-mail has been sent.' }]);
    const link = new URL(letters[0]?.path ?? '', 'http://h');
    const proof = { uid: link.searchParams.get('uid'), token: link.searchParams.get('token') };
    const chosen = { new_password1: NEW, new_password2: NEW };
    expect((await confirm({ ...proof, new_password1: NEW, new_password2: 'b' })).body).toEqual({
      new_password2: [APART],
    });
    const done = await confirm({ ...proof, ...chosen });
    expect([done.status, done.body]).toEqual([200, { detail: 'Password has been reset with the new password.' }]);
    expect([await works(OLD), await works(NEW)]).toEqual([false, true]);
    expect((await confirm({ ...proof, ...chosen })).body).toEqual({ token: ['Invalid value'] });
  });

  it('resetting says the same of unknown addresses and of people without a password', async () => {
    const invited = await new Given(app).person();
    for (const email of ['nobody@example.org', `${invited.username}@example.org`]) {
      expect((await reset(email)).body).toEqual({ detail: 'Password reset e-mail has been sent.' });
    }
    expect(letters).toEqual([]);
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

  it('confirming refuses a token of somebody else', async () => {
    await reset(`${person.username}@example.org`);
    const token = new URL(letters[0]?.path ?? '', 'http://h').searchParams.get('token');
    const other = await new Given(app).person();
    const answer = await confirm({ uid: other.id.toString(36), token, new_password1: NEW, new_password2: NEW });
    expect(answer.body).toEqual({ token: ['Invalid value'] });
  });
});
