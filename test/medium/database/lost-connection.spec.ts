import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Db } from '../../../src/core/database/db.js';
import { raw, sql } from '../../../src/engines/sql/sql.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

describe('a connection that is cut', () => {
  let database: TestDataSource;
  let db: Db;

  beforeAll(async () => {
    database = await openTestDataSource();
    db = new Db(database.dataSource);
  });
  afterAll(() => database.close());

  it('while somebody holds it and asks nothing is told by the next statement alone', async () => {
    const errors: unknown[] = [];
    const held = db.withClient(async (client) => {
      client.on('error', (error) => errors.push(error));
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await db.query(sql`select pg_terminate_backend(${rows[0]?.pid}::int)`);
      while (errors.length === 0) await pause(10);
      expect(client.listenerCount('error')).toBeGreaterThan(1); // one that was there before this test's
      await client.query('select 1');
    });
    await expect(held).rejects.toThrow(/not queryable|terminat/i);
    expect(await db.query(raw('select 1 as one'))).toEqual([{ one: 1 }]);
  });
});
