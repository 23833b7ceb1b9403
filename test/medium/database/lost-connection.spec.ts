import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Db } from '../../../src/core/database/db.js';
import { DatabaseUnavailable } from '../../../src/core/database/database-client.js';
import { copyIn } from '../../../src/core/database/copy.js';
import { raw, sql } from '../../../src/engines/sql/sql.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

describe('a lost connection', () => {
  let database: TestDataSource;
  let db: Db;

  beforeAll(async () => {
    database = await openTestDataSource();
    db = new Db(database.dataSource);
  });
  afterAll(() => database.close());

  it('that is reserved and idle is reported only by the next statement', async () => {
    const errors: unknown[] = [];
    const held = db.withClient(async (client) => {
      client.on('error', (error) => errors.push(error));
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await db.query(sql`select pg_terminate_backend(${rows[0]?.pid}::int)`);
      while (errors.length === 0) await pause(10);
      expect(client.listenerCount('error')).toBeGreaterThan(1); // one that existed before this test's
      await client.query('select 1');
    });
    await expect(held).rejects.toThrow(/not queryable|terminat/i);
    expect(await db.query(raw('select 1 as one'))).toEqual([{ one: 1 }]);
  });

  describe('is distinguished from a failed statement', () => {
    type Client = Parameters<Parameters<Db['withClient']>[0]>[0];
    const cut = async (client: Client): Promise<void> => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));
      await db.query(sql`select pg_terminate_backend(${rows[0]?.pid}::int)`);
      await ended;
    };

    it.each<[string, (client: Client) => Promise<unknown>]>([
      ['a statement', (client) => client.query('select 1')],
      ['a statement with values', (client) => client.query('select $1::int', [1])],
      ['a COPY', (client) => copyIn(client, 'project', ['name'], ['x\n'])],
    ])('by %s after it', async (_, use) => {
      const held = db.withClient(async (client) => {
        await cut(client);
        await use(client);
      });
      await expect(held).rejects.toThrow(DatabaseUnavailable);
    });

    it('by the running statement and those queued behind it', async () => {
      const held = db.withClient(async (client) => {
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
        const waiting = Promise.allSettled([client.query('select pg_sleep(100)'), client.query('select 2')]);
        await db.query(sql`select pg_terminate_backend(${rows[0]?.pid}::int)`);
        return waiting;
      });
      for (const outcome of await held)
        expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailable);
    });

    it('by a prepared statement', async () => {
      const sleeping = db.query(sql`select pg_sleep(${100}::int), 'prepared and cut'`);
      const failed = expect(sleeping).rejects.toThrow(DatabaseUnavailable);
      for (let cut = 0; cut === 0;) {
        const rows = await db.query(
          raw(`
          select pg_terminate_backend(pid) from pg_stat_activity
          where query like '%prepared and cut%' and pid <> pg_backend_pid() and datname = current_database()`),
        );
        cut = rows.length;
      }
      await failed;
    });

    it('which remains unchanged', async () => {
      await expect(db.query(raw('select 1 / 0'))).rejects.toMatchObject({ name: 'error', code: '22012' });
    });
  });
});
