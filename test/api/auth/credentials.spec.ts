import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodePassword } from '../../../src/engines/password/encoded-password.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { AccountsRepository } from '../../../src/modules/auth/accounts/accounts.repository.js';
import { ApiTokens } from '../../../src/modules/auth/tokens/api-tokens.js';
import { createTestApp, type TestApp, type TestAppOptions } from '../../support/app.js';
import { createTestDatabase } from '../../support/database.js';
import { Given, type Person } from '../../support/given.js';
import { countStatements } from '../../support/statements.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('credentials in headers', () => {
  let app: TestApp;
  let person: Person;

  beforeAll(async () => {
    app = await createTestApp();
    person = await new Given(app).person({ username: 'anna' });
    await app.db.query(sql`update app_user set password = ${await encodePassword('Grüße:1')} where id = ${person.id}`);
  });
  afterAll(() => app.close());

  const self = (authorization: string) => app.http.get('/api/users/self').set('Authorization', authorization);

  it.each([
    ['Token', 'Invalid token header. No credentials provided.'],
    ['Token a b', 'Invalid token header. Token string should not contain spaces.'],
    ['Token nope', 'Invalid token.'],
    ['Basic', 'Invalid basic header. No credentials provided.'],
    ['Basic a b', 'Invalid basic header. Credentials string should not contain spaces.'],
    ['Basic a', 'Invalid basic header. Credentials not correctly base64 encoded.'],
    [`Basic ${base64('anna:wrong')}`, 'Invalid username/password.'],
    [`Basic ${base64('nobody:x')}`, 'Invalid username/password.'],
    [`Basic ${base64('a\0b:x')}`, 'Invalid username/password.'],
    ['Bearer nope', 'Invalid token.'],
    ['Negotiate abc', 'Authentication credentials were not provided.'],
    ['', 'Authentication credentials were not provided.'],
  ])('%j is refused', async (header, detail) => {
    const answer = await self(header);
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ detail });
    expect(answer.get('WWW-Authenticate')).toBe('Token');
  });

  it.each(['anna:Grüße:1', 'ANNA:Grüße:1', 'anna@EXAMPLE.org:Grüße:1'])(
    'Basic with %s is Anna',
    async (credentials) => {
      expect((await self(`basic ${base64(credentials)}`)).body.username).toBe('anna');
    },
  );

  it('a changed password invalidates the remembered one', async () => {
    expect((await self(`Basic ${base64('anna:Grüße:1')}`)).status).toBe(200);
    await app.db.query(sql`update app_user set password = ${await encodePassword('other')} where id = ${person.id}`);
    expect((await self(`Basic ${base64('anna:Grüße:1')}`)).status).toBe(401);
    expect((await self(`Basic ${base64('anna:other')}`)).status).toBe(200);
  });

  it('a wrong credential is refused on public routes too', async () => {
    expect((await app.http.post('/api/auth/logout').set('Authorization', 'Token nope')).status).toBe(401);
  });
});

describe('a login token', () => {
  it('survives a restart, but not a change of the server’s secret', async () => {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'cairn-token-'));
    const status = async (token: string, options: TestAppOptions): Promise<[number, string]> => {
      const app = await createTestApp({ database, ...options });
      const answer = await app.http.get('/api/users/self').set('Authorization', `Token ${token}`);
      const key = await app.app.get(ApiTokens).keyOf(app.db, 1);
      await app.close();
      return [answer.status, key];
    };
    try {
      const first = await createTestApp({ database, dataDir });
      const { token } = await new Given(first).person();
      await first.close();
      expect(await status(token, { dataDir })).toEqual([200, token]);
      expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
      const [, renewed] = await status(token, { dataDir, env: { SECRET_KEY: 'another secret of 32 characters!' } });
      expect(renewed).not.toBe(token);
      expect((await status(token, { dataDir }))[0]).toBe(401);
    } finally {
      await database.drop();
      await rm(dataDir, { recursive: true });
    }
  });
});

describe('credentials of one turn of the event loop', () => {
  it('are looked up in one statement, and each gets its own account or none', async () => {
    const app = await createTestApp();
    try {
      const given = new Given(app);
      const [anna, ben] = [await given.person(), await given.person()];
      const accounts = app.app.get(AccountsRepository);
      const tokens = [anna.token, ben.token, 'nope', anna.token];
      let found: unknown;
      const statements = await countStatements(async () => {
        found = await Promise.all(tokens.map(async (token) => (await accounts.byToken(token))?.id));
      });
      expect(found).toEqual([anna.id, ben.id, undefined, anna.id]);
      expect(statements).toBe(1);
      await app.db.query(sql`delete from api_token where user_id = ${ben.id}`);
      expect(await accounts.byToken(ben.token)).toBeUndefined();
    } finally {
      await app.close();
    }
  });
});
