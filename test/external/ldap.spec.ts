import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkDirectory } from '../../src/commands/doctor/directory-check.js';
import { readConfig } from '../../src/config/env.js';
import { authenticate } from '../../src/engines/directory/directory.js';
import { encodePassword } from '../../src/engines/password/encoded-password.js';
import { sql } from '../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { Given, type Person } from '../support/given.js';
import { BASE, type LdapServer, READER, READER_PASSWORD, startLdap } from './support/ldap-server.js';
import { describeWith } from './support/programs.js';

const PEOPLE = `ou=people,${BASE}`;
const GROUPS = `ou=groups,${BASE}`;
const PASSWORD = 'Correct-horse-7';
const LOCAL_PASSWORD = 'Battery-staple-8';
const REFUSED = { non_field_errors: ['Unable to log in with provided credentials.'] };

describeWith(['slapd', 'openssl'], 'an LDAP directory', () => {
  let ldap: LdapServer;
  let app: TestApp;
  let admin: Person;
  let log = '';

  const dnOf = (uid: string): string => `uid=${uid},${PEOPLE}`;

  async function addPerson(uid: string, more: Readonly<Record<string, string | string[]>> = {}): Promise<void> {
    const names = { cn: uid, sn: 'Lovelace', givenName: 'Ada', mail: `${uid}@example.org` };
    await ldap.add(dnOf(uid), { objectClass: 'inetOrgPerson', ...names, userPassword: PASSWORD, ...more });
  }

  const settings = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    LDAP_URL: ldap.secureUrl,
    LDAP_CA: ldap.ca,
    LDAP_BIND_DN: READER,
    LDAP_BIND_PASSWORD: READER_PASSWORD,
    LDAP_USER_BASE: PEOPLE,
    LDAP_GROUP_BASE: GROUPS,
    LDAP_GROUPS: `bosses => admin; * => user; CN=Vision Team, ${GROUPS} => lab:supervisor`,
    ...more,
  });

  beforeAll(async () => {
    ldap = await startLdap();
    await ldap.add(PEOPLE, { objectClass: 'organizationalUnit', ou: 'people' });
    await ldap.add(GROUPS, { objectClass: 'organizationalUnit', ou: 'groups' });
    await addPerson('ada');
    app = await createTestApp({
      env: { ...settings(), LOG_LEVEL: 'debug' },
      log: { write: (line: string) => void (log += line) },
    });
    const given = new Given(app);
    admin = await given.admin();
    const lab = await given.organization(admin);
    await app.db.query(sql`update organization set slug = 'lab' where id = ${lab.id}`);
  });
  afterAll(async () => {
    await app.close();
    await ldap.remove();
  });

  const post = (body: object, at = app) => at.http.post('/api/auth/login').send(body);
  const enter = (username: string, password = PASSWORD, at = app) => post({ username, password }, at);

  async function self(username: string, at = app): Promise<Record<string, unknown>> {
    const { body } = await enter(username, PASSWORD, at).expect(200);
    const token = (body as { key: string }).key;
    return (await at.http.get('/api/users/self').set('Authorization', `Token ${token}`).expect(200)).body as Record<
      string,
      unknown
    >;
  }

  /** Runs the test with another server and the same database. */
  async function withServer(env: Readonly<Record<string, string>>, use: (at: TestApp) => Promise<void>): Promise<void> {
    const other = await createTestApp({ env: { ...settings(env), DATABASE_URL: app.config.databaseUrl } });
    try {
      await use(other);
    } finally {
      await other.close();
    }
  }

  it('lets people in with their name and password there', async () => {
    expect((await app.http.get('/api/auth/methods')).body).toMatchObject({ password: true, password_reset: true });
    const ada = await self('ada');
    expect(ada).toMatchObject({ username: 'ada', first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.org' });
    expect((await self('ADA'))['id']).toBe(ada['id']);
    const basic = await app.http.get('/api/users/self').auth('ada', PASSWORD);
    expect([basic.status, basic.body.id]).toEqual([200, ada['id']]);
    expect((await app.http.get('/api/users/self').auth('ada', 'wrong')).status).toBe(401);
  });

  it.each([
    ['a wrong password', { username: 'ada', password: 'wrong' }, REFUSED],
    ['an unknown name', { username: 'nobody', password: PASSWORD }, REFUSED],
    ['a name that is a pattern', { username: 'ad*', password: PASSWORD }, REFUSED],
    ['a name that is a filter', { username: 'ada)(objectClass=*', password: PASSWORD }, REFUSED],
    ['a null character', { username: 'ada\0', password: PASSWORD }, expect.anything()],
    ['an empty password', { username: 'ada', password: '' }, expect.anything()],
    ['the address of another person', { username: 'ada', email: 'b@example.org', password: PASSWORD }, REFUSED],
  ])('refuses %s', async (_, body, expected) => {
    const response = await post(body);
    expect([response.status, response.body]).toEqual([400, expected]);
  });

  it('never accepts an empty password, which a directory takes for an anonymous bind', async () => {
    for (const password of ['', ' ', '\0']) expect((await enter('ada', password)).status).toBe(400);
    expect((await app.http.get('/api/users/self').auth('ada', '')).status).toBe(401);
  });

  it('accepts names with characters that have a meaning in filters and names of entries', async () => {
    await addPerson('x', { uid: ['x', 'o*(b)\\é'], cn: 'Doe, Jane' });
    expect(await self('o*(b)\\é')).toMatchObject({ email: 'x@example.org' });
    await ldap.add(`cn=Doe\\, J\\C3\\A9ne \\#1,${PEOPLE}`, {
      objectClass: 'inetOrgPerson',
      uid: 'jane',
      sn: 'Doe',
      mail: 'jane@example.org',
      userPassword: PASSWORD,
    });
    await ldap.add(`cn=bosses,${GROUPS}`, {
      objectClass: 'groupOfNames',
      member: [dnOf('nobody'), `cn=Doe\\, J\\C3\\A9ne \\#1,${PEOPLE}`],
    });
    expect(await self('jane')).toMatchObject({ username: 'jane', first_name: '', groups: ['admin', 'user'] });
  });

  it('applies a changed password at once', async () => {
    await addPerson('cara');
    await self('cara');
    await ldap.change(dnOf('cara'), { userPassword: ['Another-horse-9'] });
    expect((await enter('cara')).status).toBe(400);
    expect((await enter('cara', 'Another-horse-9')).status).toBe(200);
    expect((await app.http.get('/api/users/self').auth('cara', PASSWORD)).status).toBe(401);
  });

  it('gives roles by group', async () => {
    await addPerson('vic');
    const roles = async (id: unknown) =>
      app.db.query<{ role: string }>(sql`select role from membership where user_id = ${Number(id)}`);
    const { id, groups } = await self('vic');
    expect([groups, await roles(id)]).toEqual([['user'], []]);
    await ldap.add(`cn=Vision Team,${GROUPS}`, { objectClass: 'groupOfNames', member: [dnOf('vic')] });
    await self('vic');
    expect(await roles(id)).toEqual([{ role: 'supervisor' }]);
    await ldap.change(`cn=Vision Team,${GROUPS}`, { member: [dnOf('ada')] });
    await self('vic');
    expect(await roles(id)).toEqual([]);
  });

  describe('with several groups of one name', () => {
    const isAdmin = async (uid: string): Promise<boolean> =>
      ((await self(uid))['groups'] as string[]).includes('admin');
    const group = (dn: string, uid: string, more: object = {}) =>
      ldap.add(dn, { objectClass: 'groupOfNames', member: [dnOf(uid)], ...more });

    it('gives nothing for a name that another group has as well', async () => {
      await addPerson('mal');
      await ldap.add(`ou=own,${GROUPS}`, { objectClass: 'organizationalUnit', ou: 'own' });
      await ldap.add(`ou=next,${GROUPS}`, { objectClass: 'organizationalUnit', ou: 'next' });
      await group(`cn=bosses,ou=own,${GROUPS}`, 'mal');
      await group(`cn=bosses,ou=next,${GROUPS}`, 'ada');
      expect(await isAdmin('mal')).toBe(false);
      expect(log).toContain('several entries of the directory have this cn');
      for (const unit of ['own', 'next']) await ldap.delete(`cn=bosses,ou=${unit},${GROUPS}`);
    });

    it.each([
      ['a DN', `cn=x1,${GROUPS}`, `CN=Vision Team, ${GROUPS}`],
      ['its normalized form', `cn=x2,${GROUPS}`, `cn=vision team,${GROUPS}`],
    ])('does not compare the DN of a rule with a cn that is %s', async (_, dn, cn) => {
      const uid = dn.slice(3, 5);
      await addPerson(uid);
      await group(dn, uid, { cn: [dn.slice(3, 5), cn] });
      const { id } = await self(uid);
      expect(await app.db.query(sql`select 1 from membership where user_id = ${Number(id)}`)).toEqual([]);
    });

    it('gives nothing for the name of a rule outside the base', async () => {
      await addPerson('out');
      await ldap.add(`ou=elsewhere,${BASE}`, { objectClass: 'organizationalUnit', ou: 'elsewhere' });
      await group(`cn=bosses,ou=elsewhere,${BASE}`, 'out');
      expect(await isAdmin('out')).toBe(false);
    });

    it.each([
      `cn=Doe\\, J. \\#1,${GROUPS}`,
      `CN = doe\\2C J. \\231 , ${GROUPS.toUpperCase()}`,
      `2.5.4.3=#0c0a446f652c204a2e202331,${GROUPS}`,
    ])('finds the group of the rule %s', async (rule) => {
      if (!hasGroup) {
        await addPerson('doe');
        await group(`cn=Doe\\, J. \\#1,${GROUPS}`, 'doe');
        hasGroup = true;
      }
      await withServer({ LDAP_GROUPS: `${rule} => worker; * => user` }, async (at) => {
        expect((await self('doe', at))['groups']).toEqual(['user', 'worker']);
      });
    });
    let hasGroup = false;
  });

  it('does not give somebody the account of another person', async () => {
    const given = new Given(app);
    const local = await given.person({ username: 'root', email: 'root@example.org', groups: ['admin'] });
    await app.db.query(sql`
      update app_user set password = ${await encodePassword(LOCAL_PASSWORD)}, email_verified = true where id = ${local.id}`);
    await addPerson('root', { mail: 'someone@example.org' });
    const someone = await self('root');
    expect(someone).toMatchObject({ username: 'root-2', groups: ['user'], is_superuser: false });
    await addPerson('thief', { mail: 'ROOT@example.org' });
    const refused = await enter('thief');
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('Your e-mail address belongs to another account'),
    ]);
    expect((await enter('root', LOCAL_PASSWORD)).status).toBe(200);
    await withServer({ LDAP_TRUST_EMAIL: 'true' }, async (at) => {
      expect((await self('thief', at))['id']).toBe(local.id);
    });
  });

  it('keeps the account of an entry that was renamed, and gives none to a new entry with an old name', async () => {
    await addPerson('old', { mail: 'first@example.org' });
    const { id } = await self('old');
    await ldap.change(dnOf('old'), { mail: ['renamed@example.org'], sn: ['Married'] });
    expect((await self('old'))['id']).toBe(id);
    await ldap.delete(dnOf('old'));
    await addPerson('old', { mail: 'second@example.org' });
    expect(await self('old')).toMatchObject({ username: 'old-2', email: 'second@example.org' });
  });

  it('explains who cannot have an account', async () => {
    await addPerson('nomail');
    await ldap.change(dnOf('nomail'), { mail: [] });
    expect((await enter('nomail')).body.detail).toContain('has no e-mail address');
    await addPerson('odd', { mail: 'not an address' });
    expect((await enter('odd')).body.detail).toContain('is not valid');
    await addPerson('late');
    await withServer({ LDAP_CREATE_ACCOUNTS: 'false' }, async (at) => {
      const { status, body } = await enter('late', PASSWORD, at);
      expect([status, body.detail]).toEqual([403, expect.stringContaining('There is no account for you')]);
    });
  });

  it('keeps people out whom an administrator has disabled', async () => {
    await addPerson('flo');
    const { id } = await self('flo');
    await admin.http
      .patch(`/api/users/${String(id)}`)
      .send({ is_active: false })
      .expect(200);
    const response = await enter('flo');
    expect([response.status, response.body]).toEqual([400, REFUSED]);
  });

  it('is protected from guesses', async () => {
    await withServer({ MAX_LOGIN_FAILURES: '3' }, async (at) => {
      for (let guess = 0; guess < 3; guess += 1) expect((await enter('guessed', 'wrong', at)).status).toBe(400);
      expect((await enter('guessed', PASSWORD, at)).status).toBe(429);
    });
  });

  it('refuses a name that several entries have', async () => {
    await addPerson('twin');
    await ldap.add(`cn=twin,${PEOPLE}`, {
      objectClass: 'inetOrgPerson',
      uid: 'twin',
      sn: 'Twin',
      mail: 'twin2@example.org',
      userPassword: PASSWORD,
    });
    expect((await enter('twin')).body).toEqual(REFUSED);
  });

  it('can be the only place with passwords', async () => {
    const given = new Given(app);
    const person = await given.person({ username: 'local-only' });
    const password = await encodePassword(LOCAL_PASSWORD);
    await app.db.query(sql`update app_user set password = ${password} where id = ${person.id}`);
    await withServer({ LOCAL_PASSWORDS: 'false' }, async (at) => {
      expect((await at.http.get('/api/auth/methods')).body).toMatchObject({
        password: true,
        password_reset: false,
        registration: 'closed',
      });
      expect((await enter('local-only', LOCAL_PASSWORD, at)).body).toEqual(REFUSED);
      await self('ada', at);
      expect((await at.http.post('/api/auth/password/reset').send({ email: 'ada@example.org' })).status).toBe(403);
    });
  });

  it('is used over STARTTLS, and only with a trusted certificate', async () => {
    await withServer({ LDAP_URL: ldap.url, LDAP_STARTTLS: 'true' }, async (at) => {
      await self('ada', at);
      expect(await checkDirectory(at.config)).toMatchObject([{ state: 'ok' }]);
    });
    for (const env of [{ LDAP_URL: ldap.url, LDAP_STARTTLS: 'true', LDAP_CA: '' }, { LDAP_CA: '' }]) {
      const config = readConfig(settings(env));
      await expect(authenticate(config.ldap, 'ada', PASSWORD)).rejects.toThrow(/certificate/);
      expect(await checkDirectory(config)).toMatchObject([
        { state: 'error', text: expect.stringMatching(/certificate/) },
      ]);
    }
  });

  it('is checked by the doctor', async () => {
    const textOf = async (env: Readonly<Record<string, string>>): Promise<string[]> =>
      (await checkDirectory(readConfig(settings(env)))).map(({ state, text }) => `${state}: ${text}`);
    const { secureUrl } = ldap;
    expect(await textOf({})).toEqual([`ok: ${secureUrl}: found ${PEOPLE}`]);
    expect(await textOf({ LDAP_BIND_PASSWORD: 'wrong' })).toEqual([
      expect.stringMatching(/^error: .*LDAP_BIND_DN or LDAP_BIND_PASSWORD was refused/),
    ]);
    expect(await textOf({ LDAP_USER_BASE: `ou=robots,${BASE}`, LDAP_GROUP_BASE: `ou=none,${BASE}` })).toEqual([
      `error: ${secureUrl}: LDAP_USER_BASE ou=robots,${BASE} cannot be read`,
      `error: ${secureUrl}: LDAP_GROUP_BASE ou=none,${BASE} cannot be read`,
    ]);
    await ldap.add(`ou=other,${GROUPS}`, { objectClass: 'organizationalUnit', ou: 'other' });
    await ldap.add(`cn=bosses,ou=other,${GROUPS}`, { objectClass: 'groupOfNames', member: [dnOf('nobody')] });
    expect(await textOf({})).toEqual([
      `error: ${secureUrl}: LDAP_GROUPS names "bosses", but several entries have this cn; write the whole DN`,
    ]);
    await ldap.delete(`cn=bosses,ou=other,${GROUPS}`);
    expect(await textOf({ LDAP_ID_ATTRIBUTE: 'objectGUID' })).toEqual([
      `error: ${secureUrl}: ${PEOPLE} has no objectGUID`,
    ]);
    expect(await textOf({ LDAP_URL: 'ldap://127.0.0.1:9' })).toEqual([expect.stringMatching(/^error: .*REFUSED/)]);
  });

  describe('that is not available', () => {
    let silent: Server;

    beforeAll(async () => {
      silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1'); // accepts connections, and says nothing
      await once(silent, 'listening');
    });
    afterAll(async () => new Promise((resolve) => silent.close(resolve)));

    const silentUrl = (): string => `ldap://127.0.0.1:${(silent.address() as AddressInfo).port}`;

    it('is replaced by its next server', async () => {
      const urls = ['ldap://127.0.0.1:9', silentUrl(), ldap.secureUrl].join(', ');
      await withServer({ LDAP_URL: urls }, async (at) => void (await self('ada', at)));
    });

    it('is reported in bounded time, and local accounts still log in', async () => {
      const given = new Given(app);
      const person = await given.person({ username: 'here' });
      const password = await encodePassword(LOCAL_PASSWORD);
      await app.db.query(sql`update app_user set password = ${password} where id = ${person.id}`);
      await withServer({ LDAP_URL: silentUrl() }, async (at) => {
        const { status, body } = await enter('ada', PASSWORD, at);
        expect([status, body.detail]).toEqual([503, expect.stringContaining('The directory')]);
        expect((await enter('here', LOCAL_PASSWORD, at)).status).toBe(200);
      });
      await ldap.stop();
      expect((await enter('ada')).status).toBe(503);
      expect((await app.http.get('/api/users/self').auth('ada', PASSWORD)).status).toBe(503);
      await ldap.start();
      expect((await enter('ada')).status).toBe(200);
    });
  });

  it('leaves no password in the log or the database', async () => {
    expect(log).toContain('the directory refused a login');
    for (const secret of [PASSWORD, READER_PASSWORD]) expect(log).not.toContain(secret);
    const [row] = await app.db.query<{ password: string }>(sql`select password from app_user where username = 'ada'`);
    expect(row?.password.startsWith('!')).toBe(true);
  });
});
