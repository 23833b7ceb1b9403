import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodePassword } from '../../../src/engines/password/encoded-password.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const PASSWORD = 'Correct-horse-7';

interface Session {
  readonly sessionid: string;
  readonly csrftoken: string;
  readonly key: string;
}

describe('the session of a browser', () => {
  let app: TestApp;
  let id = 0;

  beforeAll(async () => {
    app = await createTestApp({ env: { TRUSTED_ORIGINS: 'https://*.example.org,https://ui.test' } });
    const [row] = await app.db.query<{ id: number }>(sql`
      insert into app_user (username, email, password, groups, date_joined)
      values ('anna', 'anna@example.org', ${await encodePassword(PASSWORD)}, '{user}', now()) returning id`);
    id = row?.id ?? 0;
  });
  afterAll(() => app.close());

  async function logIn(): Promise<Session> {
    const answer = await app.http.post('/api/auth/login').send({ username: 'anna', password: PASSWORD });
    const cookies = String(answer.get('Set-Cookie'));
    const value = (name: string): string => new RegExp(`${name}=(\\w+)`).exec(cookies)?.[1] ?? '';
    return { sessionid: value('sessionid'), csrftoken: value('csrftoken'), key: answer.body.key as string };
  }

  const cookie = (session: Session, more = ''): string =>
    `sessionid=${session.sessionid}; csrftoken=${session.csrftoken}; sessionfresh=1${more}`;

  const rename = (headers: Record<string, string>) =>
    app.http.patch(`/api/users/${id}`).set(headers).send({ first_name: 'Anna' });

  it('reads without a CSRF token and writes with one', async () => {
    const session = await logIn();
    expect((await app.http.get('/api/users/self').set('Cookie', cookie(session))).body.username).toBe('anna');
    const proven = { Cookie: cookie(session), 'X-CSRFToken': session.csrftoken };
    expect((await rename(proven)).status).toBe(200);
    for (const origin of ['https://ui.test', 'https://a.example.org']) {
      expect((await rename({ ...proven, Origin: origin })).status).toBe(200);
    }
    const host = new URL((await app.http.get('/api/users/self').set('Cookie', cookie(session))).body.url).origin;
    expect((await rename({ ...proven, Origin: host })).status).toBe(200);
  });

  it.each([
    ['no token', {}, 'CSRF token missing.'],
    ['a wrong token', { 'X-CSRFToken': 'x'.repeat(32) }, "CSRF token from the 'X-Csrftoken' HTTP header incorrect."],
    ['a short token', { 'X-CSRFToken': 'x' }, "CSRF token from the 'X-Csrftoken' HTTP header has incorrect length."],
    [
      'a foreign origin',
      { Origin: 'https://example.org.evil.test' },
      'Origin checking failed - https://example.org.evil.test does not match any trusted origins.',
    ],
    ['no origin', { Origin: 'null' }, 'Origin checking failed - null does not match any trusted origins.'],
  ])('refuses to write with %s', async (_, headers: Record<string, string>, reason) => {
    const answer = await rename({ Cookie: cookie(await logIn()), ...headers });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ detail: `CSRF Failed: ${reason}` });
  });

  it('requires the CSRF cookie first', async () => {
    const { sessionid, csrftoken } = await logIn();
    const answer = await rename({ Cookie: `sessionid=${sessionid}`, 'X-CSRFToken': csrftoken });
    expect(answer.body).toEqual({ detail: 'CSRF Failed: CSRF cookie not set.' });
  });

  it('accepts a referer instead of a missing origin over HTTPS', async () => {
    const session = await logIn();
    const headers = { Cookie: cookie(session), 'X-CSRFToken': session.csrftoken, 'X-Forwarded-Proto': 'https' };
    const reason = async (more: Record<string, string>) =>
      (await rename({ ...headers, ...more })).body.detail as string;
    expect(await reason({})).toBe('CSRF Failed: Referer checking failed - no Referer.');
    expect(await reason({ Referer: 'nonsense' })).toBe('CSRF Failed: Referer checking failed - Referer is malformed.');
    expect(await reason({ Referer: 'http://ui.test/' })).toMatch(/Referer is insecure while host is secure\.$/);
    expect(await reason({ Referer: 'https://evil.test/x' })).toMatch(/does not match any trusted origins\.$/);
    expect((await rename({ ...headers, Referer: 'https://ui.test/tasks' })).status).toBe(200);
  });

  it('gives a token precedence over the session, and the session over a password', async () => {
    const session = await logIn();
    expect((await rename({ Cookie: cookie(session), Authorization: `Token ${session.key}` })).status).toBe(200);
    const basic = `Basic ${Buffer.from('anna:wrong').toString('base64')}`;
    expect((await rename({ Cookie: cookie(session), Authorization: basic })).status).toBe(403);
    expect((await rename({ Authorization: basic })).status).toBe(401);
  });

  it('renews a session once sessionfresh has expired, even if it refuses the request', async () => {
    const { sessionid, csrftoken } = await logIn();
    const answer = await rename({ Cookie: `sessionid=${sessionid}; csrftoken=${csrftoken}` });
    expect(answer.status).toBe(403);
    expect(answer.get('Set-Cookie')).toEqual([
      expect.stringMatching(/^sessionfresh=1; /),
      expect.stringMatching(new RegExp(`^sessionid=${sessionid}; `)),
    ]);
  });

  it('deletes the cookie of an expired session, and continues without it', async () => {
    const session = await logIn();
    await app.db.query(sql`update session set expiry_date = ${app.clock.now()}`);
    const answer = await app.http.get('/api/users/self').set('Cookie', cookie(session));
    expect(answer.status).toBe(401);
    expect(answer.get('Set-Cookie')).toEqual([expect.stringMatching(/^sessionid=""; .*Max-Age=0;/)]);
    expect((await app.http.get('/api/users/self').set('Cookie', cookie(session)).auth('anna', PASSWORD)).status).toBe(
      200,
    );
  });

  it('logging out needs the CSRF token and ends the session', async () => {
    const session = await logIn();
    const logOut = () => app.http.post('/api/auth/logout').set('Cookie', cookie(session));
    expect((await logOut()).status).toBe(403);
    expect((await logOut().set('X-CSRFToken', session.csrftoken)).status).toBe(200);
    expect((await app.http.get('/api/users/self').set('Cookie', cookie(session))).status).toBe(401);
  });

  it('an inactive user has no session', async () => {
    const session = await logIn();
    await app.db.query(sql`update app_user set is_active = false where id = ${id}`);
    expect((await app.http.get('/api/users/self').set('Cookie', cookie(session))).status).toBe(401);
    const answer = await app.http.get('/api/users/self').set('Authorization', `Token ${session.key}`);
    expect(answer.body).toEqual({ detail: 'User inactive or deleted.' });
    await app.db.query(sql`update app_user set is_active = true where id = ${id}`);
  });
});
