import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { checkSignOn, checkSignOnGroups } from '../../../src/commands/doctor/sign-on-check.js';
import { clientConfig } from '../../../src/core/database/client-config.js';
import { DatabaseClient } from '../../../src/core/database/database-client.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { encodePassword } from '../../../src/engines/password/encoded-password.js';
import { LoginLinks, SignOnRoles } from '../../../src/modules/auth/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Claims, CLIENT_ID, createIdentityProvider, type Faults } from '../../support/identity-provider.js';

const PASSWORD = 'Correct-horse-7';
const ADA = {
  sub: 'ada-1',
  email: 'ada@example.org',
  email_verified: true,
  preferred_username: 'ada',
  given_name: 'Ada',
};

const cookiesOf = (response: Response): string =>
  [response.get('Set-Cookie') ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

describe('logins at an identity provider', () => {
  let provider: Awaited<ReturnType<typeof createIdentityProvider>>;
  let app: TestApp;
  let given: Given;
  let admin: Person;
  let lab: { id: number; slug: string };

  beforeAll(async () => {
    provider = await createIdentityProvider();
    app = await createTestApp({ env: settings() });
    given = new Given(app);
    admin = await given.admin();
    lab = await given.organization(admin);
    await app.db.query(sql`update organization set slug = 'lab' where id = ${lab.id}`);
  });
  afterAll(async () => {
    await app.close();
    await provider.close();
  });

  const settings = () => ({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_NAME: 'Acme',
    OIDC_GROUPS: 'bosses => admin; * => user; vision => lab:supervisor',
    SECRET_KEY: 'shared by all servers',
  });

  const begin = (next = '') =>
    app.http.get(`/api/auth/oidc/login${next === '' ? '' : `?next=${encodeURIComponent(next)}`}`);

  /** Logs in as `claims` says. @returns the redirect, and the cookies of the session */
  async function logIn(claims: Claims, faults: Faults = {}, next = '') {
    provider.says(claims, faults);
    const begun = await begin(next);
    const query = new URLSearchParams(provider.authorize(begun.get('Location') ?? ''));
    return finish(query, cookiesOf(begun));
  }

  async function finish(query: URLSearchParams, cookies: string) {
    const finished = await app.http.get(`/api/auth/oidc/callback?${query.toString()}`).set('Cookie', cookies);
    expect(finished.status).toBe(303);
    return { to: finished.get('Location'), cookies: cookiesOf(finished) };
  }

  const self = async (cookies: string) =>
    (await app.http.get('/api/users/self').set('Cookie', cookies)).body as Record<string, unknown>;
  const byEmail = (email: string) => app.db.query<{ id: number }>(sql`select id from app_user where email = ${email}`);

  it('warn of organizations in the rules that do not exist', async () => {
    const lines: string[] = [];
    const database = { url: app.config.databaseUrl, drop: () => Promise.resolve() };
    const rules = 'a => lab:worker; b => laboratory:worker; c => laboratory:supervisor; d => attic:worker';
    const env = { ...settings(), OIDC_GROUPS: rules, LOG_LEVEL: 'warn' };
    const other = await createTestApp({ env, database, log: { write: (line) => void lines.push(line) } });
    await other.app.get(SignOnRoles).warnOfUnknownOrganizations();
    await app.app.get(SignOnRoles).warnOfUnknownOrganizations();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: 'OIDC_GROUPS names organizations that do not exist', organizations: ['laboratory', 'attic'] },
    ]);
    const client = new DatabaseClient(clientConfig(app.config.databaseUrl));
    await client.connect();
    const said = await Promise.all(
      [other, app].map(async ({ config }) => (await checkSignOnGroups(client, config))[0]),
    );
    await client.end();
    await other.close();
    expect(said).toMatchObject([
      { state: 'warning', text: 'OIDC_GROUPS names organizations that do not exist: laboratory, attic' },
      { state: 'ok', text: 'the organizations of OIDC_GROUPS exist' },
    ]);
  });

  it('are offered', async () => {
    expect((await app.http.get('/api/auth/methods')).body).toEqual({
      password: true,
      password_reset: true,
      registration: 'open',
      single_sign_on: { name: 'Acme', url: '/api/auth/oidc/login' },
    });
    const { searchParams } = new URL((await begin()).get('Location') ?? '');
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    expect(searchParams.get('scope')).toBe('openid email profile');
    expect(searchParams.get('redirect_uri')).toBe(`${app.url}/api/auth/oidc/callback`);
  });

  it('create an account, and find it again by the subject alone', async () => {
    const first = await logIn(ADA, {}, '/tasks?page=2');
    expect(first.to).toBe('/tasks?page=2');
    const ada = await self(first.cookies);
    expect(ada).toMatchObject({ username: 'ada', first_name: 'Ada', email: 'ada@example.org', groups: ['user'] });
    const again = await logIn({ sub: 'ada-1', email: 'other@example.org', email_verified: false });
    expect((await self(again.cookies))['id']).toBe(ada['id']);
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example'])('do not lead to %s', async (next) => {
    expect((await logIn(ADA, {}, next)).to).toBe('/');
  });

  it.each<[string, Claims, string]>([
    ['an unverified address', { sub: 'x', email: 'x@example.org', email_verified: false }, 'unverified'],
    ['an address that may be unverified', { sub: 'x', email: 'x@example.org' }, 'unverified'],
    ['no address', { sub: 'x' }, 'unverified'],
    ['an address that is none', { sub: 'x', email: 'not a mail', email_verified: true }, 'invalid'],
    ['an address with a line break', { sub: 'x', email: 'x@example.org\r\nCc: y', email_verified: true }, 'invalid'],
    ['an address that is too long', { sub: 'x', email: `${'x'.repeat(250)}@a.org`, email_verified: true }, 'invalid'],
    ['the address of another person', { ...ADA, sub: 'somebody-else' }, 'taken'],
    ['a token for another client', { ...ADA, aud: 'another' }, 'invalid'],
    ['a token of another issuer', { ...ADA, iss: 'https://evil.example' }, 'invalid'],
    ['a token for another login', { ...ADA, nonce: 'another' }, 'invalid'],
    ['an expired token', { ...ADA, exp: Math.floor(Date.now() / 1000) - 120 }, 'invalid'],
    ['a token without a subject', { ...ADA, sub: undefined }, 'invalid'],
  ])('are refused with %s', async (_, claims, problem) => {
    const { to, cookies } = await logIn(claims);
    expect([to, cookies.includes('sessionid')]).toEqual([`/login?problem=${problem}`, false]);
    expect(await byEmail('x@example.org')).toEqual([]);
    expect(await app.db.query(sql`select 1 from sign_on_identity where subject = 'x'`)).toEqual([]);
  });

  it('allow clocks that differ by less than a minute', async () => {
    expect((await logIn({ ...ADA, exp: Math.floor(Date.now() / 1000) - 20 })).to).toBe('/');
  });

  it.each<[string, Faults, string]>([
    ['fails', { tokenStatus: 502 }, 'unavailable'],
    ['signs with an unknown key', { wrongKey: true }, 'invalid'],
    ['does not respond', { hangs: true }, 'unavailable'],
  ])('explain that the provider %s', async (_, faults, problem) => {
    expect((await logIn(ADA, faults, '/jobs')).to).toBe(`/login?problem=${problem}&next=%2Fjobs`);
  });

  it('explain that the user was not let in', async () => {
    const denied = async (error: string) => {
      const begun = await begin();
      const { state } = provider.authorize(begun.get('Location') ?? '');
      return (await finish(new URLSearchParams({ error, state }), cookiesOf(begun))).to;
    };
    expect(await denied('access_denied')).toBe('/login?problem=denied');
    expect(await denied('temporarily_unavailable')).toBe('/login?problem=unavailable');
    expect(await denied('unauthorized_client')).toBe('/login?problem=refused');
  });

  it('can be completed once, in the browser where they began', async () => {
    provider.says(ADA);
    const begun = await begin();
    const query = new URLSearchParams(provider.authorize(begun.get('Location') ?? ''));
    const other = new URLSearchParams({ ...Object.fromEntries(query), state: 'forged' });
    expect((await finish(query, '')).to).toBe('/login?problem=expired');
    expect((await finish(other, cookiesOf(begun))).to).toBe('/login?problem=expired');
    expect((await finish(query, cookiesOf(begun))).to).toBe('/');
    expect((await finish(query, cookiesOf(begun))).to).toBe('/login?problem=expired');
    expect((await finish(new URLSearchParams(), '')).to).toBe('/login?problem=expired');
    const tampered = cookiesOf(begun).replace(/.$/, 'x');
    expect((await finish(query, tampered)).to).toBe('/login?problem=expired');
  });

  it('can be completed by another server', async () => {
    const second = await createTestApp({ env: { ...settings(), DATABASE_URL: app.config.databaseUrl } });
    try {
      provider.says(ADA);
      const begun = await begin();
      const query = new URLSearchParams(provider.authorize(begun.get('Location') ?? ''));
      const finished = await second.http
        .get(`/api/auth/oidc/callback?${query.toString()}`)
        .set('Cookie', cookiesOf(begun));
      expect(finished.get('Location')).toBe('/');
    } finally {
      await second.close();
    }
  });

  it('apply the groups at each login, but keep the last administrator', async () => {
    const eve = { sub: 'eve', email: 'eve@example.org', email_verified: true };
    const first = await logIn({ ...eve, groups: ['bosses', 'vision'] });
    const { id } = await self(first.cookies);
    expect(await self(first.cookies)).toMatchObject({ username: 'eve', groups: ['admin', 'user'], is_superuser: true });
    const roles = async () =>
      (await app.db.query(sql`select role, is_active from membership where user_id = ${Number(id)}`)) as object[];
    expect(await roles()).toEqual([{ role: 'supervisor', is_active: true }]);
    const second = await logIn(eve);
    expect(await self(second.cookies)).toMatchObject({ groups: ['user'], is_superuser: false });
    expect(await roles()).toEqual([]);
    await logIn({ ...eve, groups: ['bosses'] });
    await app.db.query(sql`update app_user set is_active = false where id = ${admin.id}`);
    const third = await logIn(eve);
    expect(await self(third.cookies)).toMatchObject({ groups: ['admin', 'user'], is_superuser: true });
    await app.db.query(sql`update app_user set is_active = true where id = ${admin.id}`);
  });

  it('link an account by its address, and remove the password of whoever entered it unverified', async () => {
    const person = await given.person({ username: 'bob', email: 'Bob@example.org' });
    const known = await given.person({ username: 'carol', email: 'carol@example.org' });
    const password = await encodePassword(PASSWORD);
    await app.db.query(sql`update app_user set password = ${password} where id in (${person.id}, ${known.id})`);
    await app.db.query(sql`update app_user set email_verified = true where id = ${known.id}`);
    // of another provider, which does not verify addresses
    await app.db.query(sql`
      insert into sign_on_identity (issuer, subject, user_id, created_date) values ('ldap', 'b', ${person.id}, now())`);
    const canLogIn = async (username: string) =>
      (await app.http.post('/api/auth/login').send({ username, password: PASSWORD })).status;
    const bob = await logIn({ sub: 'bob', email: 'bob@example.org', email_verified: true });
    expect([(await self(bob.cookies))['id'], await canLogIn('bob')]).toEqual([person.id, 400]);
    expect((await person.http.get('/api/users/self')).status).toBe(401);
    expect(await app.db.query(sql`select 1 from sign_on_identity where issuer = 'ldap'`)).toEqual([]);
    const carol = await logIn({ sub: 'carol', email: 'carol@example.org', email_verified: true });
    expect([(await self(carol.cookies))['id'], await canLogIn('carol')]).toEqual([known.id, 200]);
  });

  it('do not link an account whose address differs in more than the case of ASCII letters', async () => {
    const kate = await given.person({ username: 'kate', email: 'Kate@example.org' });
    await app.db.query(sql`update app_user set email_verified = true where id = ${kate.id}`);
    const lookalike = { sub: 'kelvin', email: '\u212Aate@example.org', email_verified: true };
    const refused = await logIn(lookalike);
    expect([refused.to, refused.cookies.includes('sessionid')]).toEqual(['/login?problem=taken', false]);
    const { cookies } = await logIn({ ...lookalike, sub: 'kate', email: 'kate@EXAMPLE.org' });
    expect((await self(cookies))['id']).toBe(kate.id);
  });

  it.each(['admin@localhost.localdomain', 'root@localhost', 'ops@box.Localdomain', 'nobody@example.invalid'])(
    'do not link the account with the address %s, which nobody can own',
    async (email) => {
      const placeholder = await given.person({ email });
      await app.db.query(sql`update app_user set email_verified = true where id = ${placeholder.id}`);
      const refused = await logIn({ sub: email, email, email_verified: true });
      expect([refused.to, refused.cookies.includes('sessionid')]).toEqual(['/login?problem=taken', false]);
    },
  );

  it.each(['sub', 'sid', 'email'])('explain that a null character in the claim %s is not valid', async (claim) => {
    const claims: Claims = { sub: 'nul', sid: 'nul', email: 'nul@example.org', email_verified: true };
    expect((await logIn({ ...claims, [claim]: `a\0${String(claims[claim])}` })).to).toBe('/login?problem=invalid');
  });

  it.each(['preferred_username', 'given_name', 'family_name'])(
    'leave out null characters and halves of characters in the claim %s',
    async (claim) => {
      const claims = { sub: `half ${claim}`, email: `half-${claim}@example.org`, email_verified: true };
      const name = `half\0\ud83d${'o'.repeat(143)}\u{1f600}`;
      const { cookies } = await logIn({ ...claims, [claim]: name });
      expect(Object.values(await self(cookies))).toContain(`half${'o'.repeat(143)}`);
    },
  );

  it('remove a password that was set with a shown link, which proves nothing about the address', async () => {
    const passwords = { password1: PASSWORD, password2: PASSWORD };
    const registered = { username: 'mallory', email: 'victim@example.org', ...passwords };
    await app.http.post('/api/auth/register').send(registered).expect(201);
    const [victim] = await byEmail('victim@example.org');
    const reset = await admin.http
      .post(`/api/users/${victim?.id ?? 0}/password_reset`)
      .send({})
      .expect(200);
    const proof = Object.fromEntries(new URL((reset.body as { link: string }).link).searchParams);
    const chosen = { new_password1: `${PASSWORD}8`, new_password2: `${PASSWORD}8` };
    await app.http
      .post('/api/auth/password/reset/confirm')
      .send({ ...proof, ...chosen })
      .expect(200);
    const enter = () => app.http.post('/api/auth/login').send({ username: 'mallory', password: chosen.new_password1 });
    const before = await enter();
    expect(before.status).toBe(200);
    const { cookies } = await logIn({ sub: 'victim', email: 'victim@example.org', email_verified: true });
    expect((await self(cookies))['id']).toBe(victim?.id);
    expect([(await enter()).status, (await self(cookiesOf(before)))['id']]).toEqual([400, undefined]);
  });

  it('complete the account that an invitation has created', async () => {
    await admin.http.post('/api/invitations?org=lab').send({ email: 'dan@example.org', role: 'worker' }).expect(201);
    const { cookies } = await logIn({ sub: 'dan', email: 'dan@example.org', email_verified: true, given_name: 'Dan' });
    expect(await self(cookies)).toMatchObject({ username: 'dan', first_name: 'Dan', email: 'dan@example.org' });
    expect(await byEmail('dan@example.org')).toHaveLength(1);
  });

  it('choose another user name if one is taken', async () => {
    const { cookies } = await logIn({ sub: 'ada-2', email: 'ada@other.example', email_verified: true });
    expect((await self(cookies))['username']).toBe('ada-2');
  });

  it('are refused while the account is disabled, which ends its sessions', async () => {
    const { cookies } = await logIn({ sub: 'flo', email: 'flo@example.org', email_verified: true });
    const { id } = await self(cookies);
    await admin.http
      .patch(`/api/users/${String(id)}`)
      .send({ is_active: false })
      .expect(200);
    expect((await app.http.get('/api/users/self').set('Cookie', cookies)).status).toBe(401);
    expect((await logIn({ sub: 'flo' })).to).toBe('/login?problem=disabled');
  });

  it('end at the provider, too', async () => {
    const { cookies } = await logIn(ADA);
    const csrf = /csrftoken=(\w+)/.exec(cookies)?.[1] ?? '';
    const out = await app.http.post('/api/auth/logout').set({ Cookie: cookies, 'X-CSRFToken': csrf });
    const url = new URL((out.body as { logout_url: string }).logout_url);
    expect([url.origin + url.pathname, url.searchParams.get('post_logout_redirect_uri')]).toEqual([
      `${provider.issuer}/logout`,
      `${app.url}/login`,
    ]);
    expect(url.searchParams.get('id_token_hint')?.split('.')).toHaveLength(3);
    expect((await app.http.get('/api/users/self').set('Cookie', cookies)).status).toBe(401);
  });

  it('are ended by the provider', async () => {
    const [first, second] = [await logIn({ ...ADA, sid: 's1' }), await logIn({ ...ADA, sid: 's2' })];
    const statuses = () =>
      Promise.all(
        [first, second].map(
          async ({ cookies }) => (await app.http.get('/api/users/self').set('Cookie', cookies)).status,
        ),
      );
    const end = async (token: string) =>
      (await app.http.post('/api/auth/oidc/backchannel_logout').type('form').send({ logout_token: token })).status;
    for (const wrong of [
      { sid: 's1', aud: 'another' },
      { sid: 's1', nonce: 'n' },
      { sid: 's1', events: {} },
      {},
      { sub: '\0' },
    ])
      expect(await end(await provider.logoutToken(wrong))).toBe(400);
    expect([await end('nonsense'), await statuses()]).toEqual([400, [200, 200]]);
    expect([await end(await provider.logoutToken({ sid: 's1' })), await statuses()]).toEqual([200, [401, 200]]);
    expect([await end(await provider.logoutToken({ sub: 'ada-1' })), await statuses()]).toEqual([200, [401, 401]]);
  });

  it('are ended by the provider as often as it wants, with keys that are read once', async () => {
    const env = { ...settings(), DATABASE_URL: app.config.databaseUrl, ANONYMOUS_PER_MINUTE: '1' };
    const limited = await createTestApp({ env });
    try {
      provider.says(ADA);
      const token = await provider.logoutToken({ sid: 'unknown' });
      const reads = () => provider.requests.filter((path) => path === '/keys').length;
      const before = reads();
      for (let round = 0; round < 4; round += 1) {
        const end = limited.http.post('/api/auth/oidc/backchannel_logout').type('form');
        expect((await end.send({ logout_token: token })).status).toBe(200);
      }
      expect(reads() - before).toBe(1);
    } finally {
      await limited.close();
    }
  });
});

describe('an issuer that the provider does not call itself', () => {
  it('is named in the log and by the doctor', async () => {
    const provider = await createIdentityProvider();
    const issuer = provider.issuer.replace('127.0.0.1', 'localhost');
    const lines: string[] = [];
    const log = { write: (line: string) => void lines.push(line) };
    const env = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, LOG_LEVEL: 'warn' };
    const app = await createTestApp({ env, log });
    try {
      expect((await app.http.get('/api/auth/oidc/login')).get('Location')).toBe('/login?problem=invalid');
      expect(lines.join('')).toContain(
        `the provider calls itself ${provider.issuer}; set OIDC_ISSUER=${provider.issuer}`,
      );
      expect((await checkSignOn(app.config))[0]).toMatchObject({
        text: `the provider calls itself ${provider.issuer}`,
        advice: `Set OIDC_ISSUER=${provider.issuer}.`,
      });
    } finally {
      await app.close();
      await provider.close();
    }
  });
});

describe('a server without passwords', () => {
  it('lets people in by the provider, by access tokens, and by links of the operator', async () => {
    const env = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: CLIENT_ID, LOCAL_PASSWORDS: 'false' };
    const app = await createTestApp({ env });
    try {
      const person = await new Given(app).person({ username: 'grace', groups: ['admin'] });
      const password = await encodePassword(PASSWORD);
      await app.db.query(sql`update app_user set password = ${password} where id = ${person.id}`);
      expect((await app.http.get('/api/auth/methods')).body).toMatchObject({ password: false, registration: 'closed' });
      expect((await app.http.get('/api/auth/oidc/login')).get('Location')).toBe('/login?problem=unavailable');
      expect((await app.http.post('/api/auth/login').send({ username: 'grace', password: PASSWORD })).status).toBe(403);
      expect((await app.http.get('/api/users/self').auth('grace', PASSWORD)).status).toBe(401);
      expect((await app.http.post('/api/auth/password/reset').send({ email: 'grace@example.org' })).status).toBe(403);
      expect((await app.http.post('/api/auth/register').send({})).status).toBe(403);
      const { value } = (await person.http.post('/api/auth/access_tokens').send({ name: 'robot' })).body;
      expect((await app.http.get('/api/users/self').set('Authorization', `Bearer ${value as string}`)).status).toBe(
        200,
      );
      const created = await person.http.post('/api/users').send({ username: 'new', email: 'new@example.org' });
      expect(created.body.password_link).toBeNull();
      const link = new URL((await app.app.get(LoginLinks).create('grace')) ?? '', app.url);
      const used = await app.http.get(`${link.pathname}${link.search}`);
      expect(used.get('Location')).toBe('/');
      expect((await app.http.get('/api/users/self').set('Cookie', cookiesOf(used))).status).toBe(200);
      expect((await app.http.get(`${link.pathname}${link.search}`)).get('Location')).toBe('/login?problem=link');
    } finally {
      await app.close();
    }
  });
});
