import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { AdminBootstrap } from '../../../src/modules/auth/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

describe('the first administrator', () => {
  let database: TestDatabase;
  let dataDir = '';
  let first: TestApp;
  let second: TestApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'cairn-admin-'));
    first = await createTestApp({ database, dataDir });
    second = await createTestApp({ database, dataDir });
  });
  afterAll(async () => {
    await first.close();
    await second.close();
    await database.drop();
    await rm(dataDir, { recursive: true });
  });

  it('is created once if two processes start at once, and can log in', async () => {
    const made = await Promise.all([first, second].map(({ app }) => app.get(AdminBootstrap).ensureAdministrator()));
    expect(made.filter((one) => one === null)).toHaveLength(1);
    const admin = made.find((one) => one !== null);
    expect(admin).toEqual({ username: 'admin', password: expect.stringMatching(/^[A-Za-z0-9]{20}$/) });
    const self = await second.http.get('/api/users/self').auth('admin', admin?.password ?? '');
    expect(self.body).toMatchObject({
      groups: ['admin'],
      is_staff: true,
      is_superuser: true,
      has_analytics_access: true,
    });
    expect(await first.app.get(AdminBootstrap).ensureAdministrator()).toBeNull();
  });

  it('has the configured name and password, which is not printed', async () => {
    await first.db.query(sql`delete from app_user`);
    const env = { ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'a long password' };
    const app = await createTestApp({ database, dataDir, env });
    try {
      expect(await app.app.get(AdminBootstrap).ensureAdministrator()).toEqual({ username: 'root', password: null });
      expect((await app.http.get('/api/users/self').auth('root', 'a long password')).status).toBe(200);
    } finally {
      await app.close();
    }
  });
});
