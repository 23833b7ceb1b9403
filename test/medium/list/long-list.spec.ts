import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Db } from '../../../src/core/database/db.js';
import { searchConditions } from '../../../src/core/list/list-search.js';
import { choice, integer, type ListSpec, text, through } from '../../../src/core/list/list-spec.js';
import { tablesFor } from '../../../src/core/list/list-statement.js';
import { ListService } from '../../../src/core/list/list.service.js';
import { join, or, raw, sql } from '../../../src/engines/sql/sql.js';
import { type Column, column, from, innerJoin, leftJoin, table, type Tables } from '../../../src/engines/sql/tables.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';
import { execute } from '../../support/database.js';

const BOOKS: Tables = { table: table('book'), joins: [leftJoin(table('writer'), 'book.writer_id')] };

/** The list without the optimizations for long lists. */
const plain: ListSpec = {
  from: from(BOOKS),
  fields: {
    id: integer('book.id'),
    name: text('book.name'),
    writer: text('writer.name'),
    kind: choice('writer.kind', ['poet', 'novelist']),
  },
  search: ['name', 'writer', 'kind'],
  simple: ['name', 'writer'],
  defaultSort: '-id',
};

const writersWhere = (name: 'name' | 'kind') => ({
  column: column('book.writer_id'),
  ids: (test: (column: Column) => ReturnType<typeof raw>) =>
    sql`select found_writer.id from ${table('writer', 'found_writer')} where ${test(column(`found_writer.${name}`))}`,
});

const long: ListSpec = {
  ...plain,
  rows: BOOKS,
  fields: {
    ...plain.fields,
    writer: through(text('writer.name'), writersWhere('name')),
    kind: through(choice('writer.kind', ['poet', 'novelist']), {
      ...writersWhere('kind'),
      missing: sql`${column('writer.kind')} is null`,
    }),
  },
};

/** Some books by each writer, some by both. */
const SEVERAL_WAYS = or([
  sql`book.writer_id = ${2}`,
  sql`book.id % 2 = ${0}`,
  sql`book.writer_id in (select seen.id from writer seen where seen.kind = ${'poet'})`,
]);

const schema = `
  create table writer (id int primary key, name text not null, kind text);
  create table book (id int primary key, name text not null, writer_id int references writer);
  insert into writer values (1, 'Ann', 'poet'), (2, 'bob', 'novelist'), (3, 'Poeta', null), (4, 'Cy', 'poet');
  insert into book select n, (array['Alpha', 'Beta', 'Ann alone'])[1 + n % 3], nullif(n % 6, 0) from generate_series(1, 40) n
    where n % 6 <> 5;`;

describe('a long list', () => {
  let database: TestDataSource;
  let db: Db;

  beforeAll(async () => {
    database = await openTestDataSource();
    await execute(database.url, schema);
    db = new Db(database.dataSource);
  });
  afterAll(() => database.close());

  const options = {
    select: raw('book.id'),
    visible: sql`book.id <> ${7}`,
    organization: 'any' as const,
    url: 'http://h',
  };
  const map = (row: { id: number }): number => row.id;

  it.each([
    {},
    { sort: 'writer' },
    { sort: '-writer' },
    { sort: 'kind' },
    { sort: '-kind,name' },
    { sort: 'writer,-kind,name' },
    { sort: 'name,writer' },
    { search: 'ann' },
    { search: 'poet' },
    { search: 'novel bob' },
    { search: 'zz' },
    { writer: 'Ann', sort: 'kind' },
    { filter: '{"!":{"var":"writer"}}', sort: 'writer' },
    { filter: '{"or":[{"var":"writer"},{"==":[{"var":"name"},"Alpha"]}]}', sort: '-kind' },
  ])('has the rows and the order of a plain one: %j', async (query) => {
    const lists = new ListService(db); // when a page is requested again, the number of rows is known
    for (const visible of [options.visible, SEVERAL_WAYS]) {
      for (let look = 0; look < 2; look += 1) {
        for (const page of ['1', '2', '5', 'last', 'all']) {
          const size = page === 'all' ? { page_size: 'all' } : { page, page_size: '7' };
          const asked = { ...options, visible, query: { ...query, ...size } };
          const expected = await new ListService(db).page(plain, asked, map).catch((error: Error) => error.message);
          expect(await lists.page(long, asked, map).catch((error: Error) => error.message)).toEqual(expected);
        }
      }
    }
  });

  it.each(['ann', 'poet', 'o', 'alone', 'zz'])('has the same rows in every form of a search: %s', async (term) => {
    const [search] = searchConditions(long, term);
    if (search === undefined) throw new Error('no term');
    const ids = (answers: readonly number[]): Promise<object[]> => {
      const { condition } = search.condition(answers);
      return db.query(sql`select book.id from ${tablesFor(long, [condition])} where ${condition} order by book.id`);
    };
    const probed = await db.query<{ answers: (number | null)[] }>(
      sql`select array[${join(search.probes, ', ')}] as answers`,
    );
    const [rare, ...counts] = (probed[0]?.answers ?? []).map((answer) => answer ?? Infinity);
    expect(rare).toBe(1);
    expect(counts.length).toBeGreaterThan(1);
    const walking = await ids([]);
    expect(await ids([1])).toEqual(walking);
    expect(await ids([0, ...counts])).toEqual(walking);
  });

  it('joins the tables that are named, and those they need', () => {
    const spec: ListSpec = {
      ...long,
      rows: { table: table('a'), joins: [innerJoin(table('b'), 'a.b_id'), innerJoin(table('c'), 'b.c_id')] },
    };
    const isOne = (name: `${string}.x`) => sql`${column(name)} = 1`;
    expect(tablesFor(spec, [isOne('a.x')]).compile().text).toBe('a');
    expect(tablesFor(spec, [sql`${column('found_c.x')} = ${column('a.y')}`]).compile().text).toBe('a');
    expect(tablesFor(spec, [isOne('c.x')]).compile().text).toBe('a join b on b.id = a.b_id join c on c.id = b.c_id');
  });

  describe('a long list of which an actor sees a thousand rows', () => {
    /** The books of the first writers are far from the start of every order that begins with the newest. */
    const seen = { everywhere: sql`book.id % 4 = ${0}`, old: sql`book.id < ${3000}` };

    beforeAll(async () => {
      await execute(
        database.url,
        `insert into book select n, (array['Alpha', 'Beta'])[1 + n % 2], nullif(n % 5, 0) from generate_series(1000, 16000) n;
         create index on book (name, id); analyze book;`,
      );
    });

    it.each(['everywhere', 'old'] as const)('has the same pages: %s', async (where) => {
      const visible = or([seen[where], sql`book.id = ${5000}`]);
      const lists = new ListService(db);
      for (const sort of ['-id', 'id', 'name', '-name', 'writer', '-kind', 'name,writer']) {
        for (const page of ['1', '2', '9', '20', '200']) {
          const asked = { ...options, visible, query: { sort, page } };
          const expected = await new ListService(db).page(plain, asked, map);
          expect(await lists.page(long, asked, map)).toEqual(expected);
          expect(expected.count).toBeGreaterThan(1000);
        }
      }
    });
  });
});
