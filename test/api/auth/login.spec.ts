import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { encodePassword, verifyPassword } from '../../../src/engines/password/encoded-password.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { PasswordVerifier } from '../../../src/modules/auth/passwords/password-verifier.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const PASSWORD = 'Correct-horse-7';

describe('logging in', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
    const encoded = await encodePassword(PASSWORD);
    await app.db.query(sql`insert into app_user (username, email, password, groups, is_active, date_joined) values
      ('Anna', 'anna@example.org', ${encoded}, '{user}', true, now()),
      ('gone', 'gone@example.org', ${encoded}, '{user}', false, now()),
      ('invited@example.org', 'invited@example.org', '!x', '{user}', true, now())`);
    await app.db.query(sql`insert into app_user (username, email, password, date_joined) values
      ('old', '', 'md5$salt$' || md5('salt' || ${PASSWORD}), now())`);
  });
  afterAll(() => app.close());

  const login = (body: object) => app.http.post('/api/auth/login').send(body);

  it('returns the same token each time, and sets the cookies in the order and form that clients need', async () => {
    const first = await login({ username: 'Anna', password: PASSWORD });
    const second = await login({ username: 'Anna', password: PASSWORD });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({ key: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(second.body).toEqual(first.body);
    const cookies = first.get('Set-Cookie') ?? [];
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['csrftoken', 'sessionfresh', 'sessionid']);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; expires=\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT; /);
      expect(cookie).toMatch(/; Path=\/; SameSite=Lax$/);
    }
    expect(cookies[0]).toMatch(/^csrftoken=[A-Za-z0-9]{32}; .*Max-Age=31449600;/);
    expect(cookies[0]).not.toContain('HttpOnly');
    expect(cookies[1]).toMatch(/^sessionfresh=1; .*HttpOnly; Max-Age=86400;/);
    expect(cookies[2]).toMatch(/^sessionid=\w{32}; .*HttpOnly; Max-Age=1209600;/);
  });

  it('stores neither the token nor the session key', async () => {
    const answer = await login({ username: 'Anna', password: PASSWORD });
    const session = /sessionid=(\w+)/.exec(String(answer.get('Set-Cookie')))?.[1] ?? '';
    const stored = await app.db.query<{ text: string }>(
      sql`select session::text as text from session union all select api_token::text from api_token`,
    );
    expect(stored.length).toBeGreaterThan(1);
    expect(stored.filter(({ text }) => text.includes(session) || text.includes(answer.body.key))).toEqual([]);
  });

  it.each([
    [{ username: 'anna', password: PASSWORD }],
    [{ username: 'ANNA@example.org', password: PASSWORD }],
    [{ email: 'Anna@Example.org', password: PASSWORD }],
    [{ username: 'Anna', email: 'anna@example.org', password: PASSWORD }],
  ])('%j is Anna', async (body) => {
    expect((await login(body)).status).toBe(200);
  });

  const refused = { non_field_errors: ['Unable to log in with provided credentials.'] };
  const incomplete = ['Must include either "username" or "email" and "password".'];

  it.each([
    [{ username: 'Anna', password: 'no' }, refused],
    [{ username: 'nobody', password: PASSWORD }, refused],
    [{ username: 'gone', password: PASSWORD }, refused],
    [{ username: 'invited@example.org', password: '!x' }, refused],
    [{ username: 'old', email: 'anna@example.org', password: PASSWORD }, refused],
    [{ username: 'a\0b', password: PASSWORD }, { username: ['Null characters are not allowed.'] }],
    [{ username: { $ne: 1 }, password: PASSWORD }, { username: ['Not a valid string.'] }],
    [{ email: 'nobody@example.org', password: PASSWORD }, refused],
    [{}, incomplete],
    [{ username: 'Anna', password: null }, incomplete],
    [{ username: '', password: PASSWORD }, incomplete],
  ])('refuses %j', async (body, error) => {
    const answer = await login(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(error);
    expect(answer.get('Set-Cookie')).toBeUndefined();
  });

  it('refuses form bodies', async () => {
    const answer = await app.http.post('/api/auth/login').type('form').send({ username: 'Anna', password: PASSWORD });
    expect(answer.status).toBe(415);
  });

  it('reencodes an imported password', async () => {
    expect((await login({ username: 'old', password: PASSWORD })).status).toBe(200);
    const [row] = await app.db.query<{ password: string }>(sql`select password from app_user where username = 'old'`);
    expect(row?.password).toMatch(/^argon2\$argon2id\$/);
    expect((await login({ username: 'old', password: PASSWORD })).status).toBe(200);
  });

  it('logs out: deletes the token, the session and the cookies', async () => {
    const { body } = await login({ username: 'Anna', password: PASSWORD });
    const header = { Authorization: `Token ${body.key}` };
    const answer = await app.http.post('/api/auth/logout').set(header);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ detail: 'Successfully logged out.' });
    expect(String(answer.get('Set-Cookie'))).toMatch(/sessionid=""; expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0;/);
    const again = await app.http.post('/api/auth/logout').set(header);
    expect(again.status).toBe(401);
    expect(again.body).toEqual({ detail: 'Invalid token.' });
    expect((await app.http.post('/api/auth/logout')).status).toBe(200);
    expect((await login({ username: 'Anna', password: PASSWORD })).body.key).not.toBe(body.key);
  });
});

describe('guessing passwords', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await createTestApp({ env: { MAX_LOGIN_FAILURES: '2' } });
    const encoded = await encodePassword(PASSWORD);
    await app.db.query(sql`insert into app_user (username, email, password, date_joined) values
      ('one', 'one@example.org', ${encoded}, now()), ('two', 'two@example.org', ${encoded}, now())`);
  });
  afterEach(() => app.close());

  const basic = (name: string, password: string, address = '192.0.2.1') =>
    app.http.get('/api/users/self').auth(name, password).set('X-Forwarded-For', address);
  const login = (body: object, address = '192.0.2.1') =>
    app.http.post('/api/auth/login').set('X-Forwarded-For', address).send(body);

  it('is throttled per account, also for the right password, but not for a known client', async () => {
    expect((await basic('two', PASSWORD)).status).toBe(200);
    for (const name of ['one', 'two']) {
      expect((await basic(name, 'wrong')).status).toBe(401);
      expect((await basic(name, 'wrong')).status).toBe(401);
    }
    const blocked = await login({ username: 'ONE', password: PASSWORD });
    expect(blocked.status).toBe(429);
    expect(Number(blocked.get('Retry-After'))).toBeGreaterThan(0);
    expect((await basic('one', PASSWORD)).status).toBe(429);
    expect((await basic('two', PASSWORD)).status).toBe(200);
  });

  it('counts the name and the e-mail address of an account together, and also unknown addresses', async () => {
    expect((await login({ username: 'one', password: 'a' })).status).toBe(400);
    expect((await login({ email: 'one@example.org', password: 'b' })).status).toBe(400);
    for (const body of [{ username: 'one' }, { username: 'One@Example.org' }, { email: 'one@example.org' }]) {
      expect((await login({ ...body, password: PASSWORD })).status).toBe(429);
    }
    const statuses: number[] = [];
    for (const password of ['a', 'b', 'c'])
      statuses.push((await login({ email: 'nobody@example.org', password })).status);
    expect(statuses).toEqual([400, 400, 429]);
  });

  it('counts for every account that a name may mean', async () => {
    await app.db.query(sql`update app_user set email = 'One@example.org' where username = 'two'`);
    const both = { email: 'one@example.org' };
    const statuses: number[] = [];
    for (const body of [{ username: 'one' }, both, { username: 'one' }, both, { username: 'two' }, { username: 'two' }])
      statuses.push((await login({ ...body, password: `guess ${statuses.length}` })).status);
    expect(statuses).toEqual([400, 400, 429, 429, 400, 429]);
  });

  it('does not get further with concurrent guesses', async () => {
    const guesses = Array.from({ length: 30 }, (_, index) => basic('one', `guess ${index}`));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(2);
    expect(statuses.filter((status) => status === 429)).toHaveLength(28);
  });

  it('does not count concurrent requests with the right password', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => basic('one', PASSWORD)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  });

  it('by a stranger does not lock the owner out', async () => {
    for (let guess = 0; guess < 3; guess += 1) await login({ username: 'one', password: 'no' }, '198.51.100.1');
    expect((await login({ username: 'one', password: PASSWORD }, '198.51.100.1')).status).toBe(429);
    expect((await login({ username: 'one', password: PASSWORD })).status).toBe(200);
  });

  it('from many addresses only locks out addresses without an earlier login', async () => {
    expect((await login({ username: 'one', password: PASSWORD })).status).toBe(200);
    const guess = (address: string) => login({ username: 'one', password: 'no' }, address);
    for (let index = 1; index <= 20; index += 1) expect((await guess(`198.51.100.${index}`)).status).toBe(400);
    expect((await guess('198.51.100.21')).status).toBe(429);
    expect((await login({ username: 'one', password: PASSWORD }, '203.0.113.1')).status).toBe(429);
    expect((await login({ username: 'one', password: PASSWORD })).status).toBe(200);
    expect((await login({ username: 'two', password: PASSWORD }, '203.0.113.1')).status).toBe(200);
  });

  it('takes as long for unknown addresses as for known ones', async () => {
    const verifier = app.app.get<{ spendTime(password: string): Promise<void> }>(PasswordVerifier);
    const spend = jest.spyOn(verifier, 'spendTime');
    await login({ email: 'two@example.org', password: 'x' }).expect(400);
    expect(spend).not.toHaveBeenCalled();
    await login({ email: 'nobody@example.org', password: 'x' }).expect(400);
    expect(spend).toHaveBeenCalledTimes(1);
    spend.mockRestore();
    // The least computing time of several attempts does not depend on other processes.
    const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
      const times: number[] = [];
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const start = process.cpuUsage();
        await work();
        times.push(process.cpuUsage(start).user);
      }
      return Math.min(...times);
    };
    const stored = await encodePassword('x');
    const verified = await timeOf(() => verifyPassword('y', stored));
    expect(await timeOf(() => verifier.spendTime('y'))).toBeGreaterThan(verified / 4);
  });
});
