import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Throttles } from '../../../src/core/access/throttles.js';
import { Mailer } from '../../../src/core/mail/mailer.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given } from '../../support/given.js';

const PASSWORD = 'Gold-2026-pass';

describe('limits of two servers on one database', () => {
  let servers: readonly [TestApp, TestApp];
  let emails: number;

  beforeEach(async () => {
    const env = { MAX_LOGIN_FAILURES: '2', ANONYMOUS_PER_MINUTE: '6', EMAIL_VERIFICATION: 'mandatory' };
    const first = await createTestApp({ env });
    const { databaseUrl: url, dataDir } = first.config;
    servers = [first, await createTestApp({ env, dataDir, database: { url, drop: () => Promise.resolve() } })];
    emails = 0;
    for (const { app } of servers) app.get(Mailer).send = () => void (emails += 1);
  });
  afterEach(async () => {
    await servers[1].close();
    await servers[0].close();
  });

  /** Calls the servers in turn. */
  async function inTurn(count: number, call: (server: TestApp) => PromiseLike<{ status: number }>): Promise<number[]> {
    const statuses: number[] = [];
    for (let turn = 0; turn < count; turn += 1)
      statuses.push((await call(turn % 2 === 0 ? servers[0] : servers[1])).status);
    return statuses;
  }
  /** As of a client that has an address of its own, so that the limit of anonymous requests is not reached. */
  const logIn = ({ http }: TestApp, password: string, address: string) =>
    http.post('/api/auth/login').set('X-Forwarded-For', address).send({ username: 'goldie', password });

  it('count anonymous requests together, also after a restart, until the minute ends', async () => {
    const about = ({ http }: TestApp) => http.get('/api/server/about');
    expect(await inTurn(8, about)).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    const { databaseUrl: url, dataDir } = servers[0].config;
    const env = { ANONYMOUS_PER_MINUTE: '6' };
    const restarted = await createTestApp({ env, dataDir, database: { url, drop: () => Promise.resolve() } });
    try {
      expect((await about(restarted)).status).toBe(429);
      const later = new Date(Date.now() + 60_001);
      restarted.clock.now = () => later;
      expect((await about(restarted)).status).toBe(200);
    } finally {
      await restarted.close();
    }
  });

  it('count failed log-ins together, and know addresses from log-ins at the other server', async () => {
    await new Given(servers[0]).person();
    const register = { username: 'goldie', email: 'goldie@example.org', password1: PASSWORD, password2: PASSWORD };
    await servers[0].http.post('/api/auth/register').set('X-Forwarded-For', '192.0.2.1').send(register).expect(201);
    await servers[0].db.query(sql`update app_user set email_verified = true`);
    expect(await inTurn(4, (server) => logIn(server, 'wrong', '192.0.2.2'))).toEqual([400, 400, 429, 429]);
    await logIn(servers[0], PASSWORD, '192.0.2.3').expect(200);
    for (let address = 10; address < 30; address += 1)
      await inTurn(1, (server) => logIn(server, 'wrong', `192.0.2.${address}`));
    await logIn(servers[1], PASSWORD, '192.0.2.4').expect(429); // the account's limit
    await logIn(servers[1], PASSWORD, '192.0.2.3').expect(200);
  });

  it('count e-mails together', async () => {
    const register = { username: 'goldie', email: 'goldie@example.org', password1: PASSWORD, password2: PASSWORD };
    await servers[0].http.post('/api/auth/register').set('X-Forwarded-For', '192.0.2.1').send(register).expect(201);
    await inTurn(6, (server) => logIn(server, PASSWORD, '192.0.2.2'));
    expect(emails).toBe(3);
  });

  it('count repeated invitations together', async () => {
    const owner = await new Given(servers[0]).person();
    const { slug } = await new Given(servers[0]).organization(owner);
    const invited = { email: 'new@example.org', role: 'worker' };
    const { body } = await owner.http.post(`/api/invitations?org=${slug}`).send(invited).expect(201);
    const statuses = await inTurn(7, ({ http }) =>
      http.post(`/api/invitations/${body.key}/resend`).set('Authorization', `Token ${owner.token}`),
    );
    expect(statuses).toEqual([204, 204, 204, 204, 204, 429, 429]);
  });

  it('forget what has expired', async () => {
    await servers[0].http.get('/api/server/about').expect(200);
    const count = () => servers[0].db.query(sql`select 1 from throttle_count`);
    await servers[0].app.get(Throttles).cleanUp();
    expect(await count()).toHaveLength(1);
    const later = new Date(Date.now() + 60_001);
    servers[0].clock.now = () => later;
    await servers[0].app.get(Throttles).cleanUp();
    expect(await count()).toHaveLength(0);
  });
});
