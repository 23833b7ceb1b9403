import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountAdministration } from '../../../src/modules/auth/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const PASSWORD = 'Correct-horse-7';

describe('accounts from the command line', () => {
  let app: TestApp;
  let accounts: AccountAdministration;

  beforeAll(async () => {
    app = await createTestApp();
    accounts = app.app.get(AccountAdministration);
  });
  afterAll(() => app.close());

  const logIn = async (username: string, password: string): Promise<number> =>
    (await app.http.post('/api/auth/login').send({ username, password })).status;
  const self = async (username: string, password: string): Promise<unknown> =>
    (await app.http.get('/api/users/self').auth(username, password)).body;

  it('creates users and administrators who can log in', async () => {
    await accounts.create({ username: 'boss', email: 'boss@example.org', admin: true }, PASSWORD);
    await accounts.create({ username: 'anna', email: '', admin: false }, PASSWORD);
    await accounts.create({ username: 'berta', email: '', admin: false }, PASSWORD);
    expect(await self('boss', PASSWORD)).toMatchObject({ is_superuser: true, groups: ['admin'] });
    expect(await self('anna', PASSWORD)).toMatchObject({ is_superuser: false, groups: ['user'], email: '' });
  });

  it.each([
    [{ username: 'a b', email: 'nowhere' }, PASSWORD, ['username', 'email']],
    [{ username: 'ANNA', email: '' }, PASSWORD, ['username']],
    [{ username: 'boss2', email: 'Boss@example.org' }, PASSWORD, ['email']],
    [{ username: 'carla', email: '' }, 'short', ['password']],
    [{ username: 'carla-long', email: '' }, 'carla-long1', ['password']],
  ])('refuses %j with %s for %j', async (account, password, fields) => {
    const refused = accounts.create({ ...account, admin: false }, password);
    await expect(refused).rejects.toMatchObject({ status: 400 });
    const problem = await refused.catch((error: unknown) => error as { body: object });
    expect(Object.keys((problem as { body: object }).body)).toEqual(fields);
  });

  it('sets a password by the name in any letter case, and ends sessions', async () => {
    const session = await app.http.post('/api/auth/login').send({ username: 'anna', password: PASSWORD });
    const cookies = (session.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
    expect((await app.http.get('/api/users/self').set('Cookie', cookies)).status).toBe(200);
    expect(await accounts.setPassword('Anna', 'Battery-staple-8')).toBe(true);
    expect((await app.http.get('/api/users/self').set('Cookie', cookies)).status).toBe(401);
    expect(await logIn('anna', PASSWORD)).toBe(400);
    expect(await logIn('anna', 'Battery-staple-8')).toBe(200);
  });

  it('sets no password for an unknown user name', async () => {
    expect(await accounts.setPassword('nobody', PASSWORD)).toBe(false);
    expect(await accounts.setPassword('boss@example.org', PASSWORD)).toBe(false);
  });
});
