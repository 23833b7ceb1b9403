import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { ListCounts } from '../../../src/core/list/list-counts.js';
import { sql, type Sql } from '../../../src/engines/sql/sql.js';
import { column, table } from '../../../src/engines/sql/tables.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const COUNTING = sql`select count(*) as list_count from ${table('project')} where name <> ${'hidden'}`;

describe('cached counts', () => {
  let database: TestDatabase;
  let reader: Client;
  let writer: Client;
  let counts: ListCounts;
  let stampNames: Set<string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    [reader, writer] = [0, 1].map(() => new Client({ connectionString: database.url })) as [Client, Client];
    await Promise.all([reader.connect(), writer.connect()]);
    const { rows } = await reader.query<{ name: string }>('select distinct table_name as name from table_stamp');
    stampNames = new Set(rows.map(({ name }) => name));
  });
  beforeEach(async () => {
    counts = new ListCounts();
    await writer.query('truncate project cascade');
  });
  afterAll(async () => {
    await Promise.all([reader.end(), writer.end()]);
    await database.drop();
  });

  const insert = (client: Client, name = 'p'): Promise<unknown> =>
    client.query('insert into project (name, created_date, updated_date) values ($1, now(), now())', [name]);

  /** The count, and whether the database had to take it. */
  async function count(of: Sql = COUNTING): Promise<{ count: number; counted: boolean }> {
    const guess = counts.guess(() => of);
    const { text, values } = guess.total.compile();
    const plan = await reader.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off) ${text}`,
      values,
    );
    const { rows } = await reader.query<{ list_count: string; list_version: string | null }>(text, values);
    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    counts.learn(guess, { ...row, list_count: Number(row.list_count) });
    const scan = plan.rows.find((line) => /on project\b/.test(line['QUERY PLAN']));
    return { count: Number(row.list_count), counted: scan !== undefined && !/never executed/.test(scan['QUERY PLAN']) };
  }

  it('are not taken again while nothing changes', async () => {
    await insert(writer);
    expect(await count()).toEqual({ count: 1, counted: true });
    expect(await count()).toEqual({ count: 1, counted: false });
  });

  it.each([
    ['insert', "insert into project (name, created_date, updated_date) values ('q', now(), now())", 2],
    ['update', "update project set name = 'hidden'", 0],
    ['delete', 'delete from project', 0],
    ['truncate', 'truncate project cascade', 0],
  ])('are taken again after: %s', async (_, change, expected) => {
    await insert(writer);
    await count();
    await writer.query(change);
    expect(await count()).toEqual({ count: expected, counted: true });
  });

  it('include only committed changes', async () => {
    await insert(writer);
    await count();
    await writer.query('begin');
    await insert(writer);
    expect(await count()).toEqual({ count: 1, counted: false });
    await writer.query('commit');
    expect(await count()).toEqual({ count: 2, counted: true });
  });

  it('remain valid after a rollback', async () => {
    await insert(writer);
    await count();
    await writer.query('begin; savepoint before');
    await insert(writer);
    await writer.query('rollback to savepoint before; rollback');
    expect(await count()).toEqual({ count: 1, counted: false });
  });

  it('change if a savepoint is rolled back and the change repeated', async () => {
    await count();
    await writer.query('begin; savepoint before');
    await insert(writer);
    await writer.query('rollback to savepoint before');
    await insert(writer);
    await writer.query('commit');
    expect(await count()).toEqual({ count: 1, counted: true });
  });

  it('remain valid if other columns change', async () => {
    await insert(writer);
    await count();
    await writer.query('update project set updated_date = now(), status = $1', ['completed']);
    expect(await count()).toEqual({ count: 1, counted: false });
    const completed = sql`select count(*) as list_count from ${table('project')} where ${column('project.status')} = ${'completed'}`;
    await count(completed);
    await writer.query('update project set updated_date = now()');
    expect(await count(completed)).toEqual({ count: 1, counted: false });
    await writer.query('begin; update project set updated_date = now(); update project set status = default; commit');
    expect(await count(completed)).toEqual({ count: 0, counted: true });
  });

  it('cover every column of every table', async () => {
    const columns = await reader.query<{ table: string; named: string[]; all: string[] }>(`
      select relname as table,
        (select array_agg(attname::text order by attname) from pg_attribute
          where attrelid = tgrelid and attnum = any(tgattr::int2[])) as named,
        (select array_agg(attname::text order by attname) from pg_attribute
          where attrelid = tgrelid and attnum > 0 and not attisdropped) as all
      from pg_trigger join pg_class on pg_class.oid = tgrelid where tgname = 'stamp_table' order by relname`);
    const own = await reader.query<{ stamp: string }>(`
      select relname || '.' || attname as stamp from pg_trigger join pg_class on pg_class.oid = tgrelid
        join pg_attribute on attrelid = tgrelid and attnum = any(tgattr::int2[])
      where tgname = 'stamp_' || attname and tgfoid = 'stamp_table'::regproc order by 1`);
    const stamped = [...stampNames].filter((name) => name.includes('.')).toSorted();
    expect(own.rows.map(({ stamp }) => stamp)).toEqual(stamped);
    for (const { table, named, all } of columns.rows) {
      const others = stamped.filter((name) => name.startsWith(`${table}.`)).map((name) => name.slice(table.length + 1));
      expect([table, named]).toEqual([
        table,
        others.length === 0 ? null : all.filter((name) => !others.includes(name)),
      ]);
    }
    const tables = columns.rows.map(({ table }) => table);
    expect(tables).toEqual([...stampNames].filter((name) => !name.includes('.')).toSorted());
    expect(tables).toEqual(expect.arrayContaining(['app_user', 'job', 'project', 'task']));
    expect(stamped).toEqual(
      expect.arrayContaining(['app_user.password', 'job.state', 'project.status', 'task.status']),
    );
  });

  it('do not make writers of one table wait for each other', async () => {
    const [first, second] = [writer, new Client({ connectionString: database.url })];
    await second.connect();
    try {
      await second.query("set lock_timeout = '1s'");
      await first.query('begin');
      await insert(first);
      await second.query('begin');
      await insert(second);
      await first.query('commit');
      expect((await count()).count).toBe(1);
      await second.query('commit');
      expect(await count()).toEqual({ count: 2, counted: true });
    } finally {
      await second.end();
    }
  });

  it('become valid again when the previous contents return', async () => {
    await insert(writer);
    await count();
    const stamps = await writer.query<{ id: number; stamp: string }>('select id, stamp::text from table_stamp');
    await insert(writer, 'later');
    expect(await count()).toEqual({ count: 2, counted: true });
    await writer.query("delete from project where name = 'later'");
    for (const { id, stamp } of stamps.rows)
      await writer.query('update table_stamp set stamp = $1 where id = $2', [stamp, id]);
    expect((await count()).count).toBe(1);
  });

  it('are never used for a table without stamps', async () => {
    await insert(writer);
    const withGuests = sql`select count(*) as list_count from ${table('project')}, (select count(*) from ${table('storage')}) guests`;
    expect(counts.guess(() => withGuests).last).toBeUndefined();
    expect(await count(withGuests)).toEqual({ count: 1, counted: true });
    expect(counts.guess(() => withGuests).last).toBe(1);
    expect(await count(withGuests)).toEqual({ count: 1, counted: true });
  });

  it('depend on their parameters', async () => {
    await insert(writer);
    await count();
    expect(
      counts.guess(() => sql`select count(*) as list_count from ${table('project')} where name <> ${'p'}`).last,
    ).toBeUndefined();
    expect(counts.guess(() => COUNTING).last).toBe(1);
  });
});
