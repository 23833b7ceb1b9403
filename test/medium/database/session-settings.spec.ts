import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Db, readLongSnapshot, readSnapshot, type Snapshot } from '../../../src/core/database/db.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

let database: TestDataSource;
beforeAll(async () => {
  database = await openTestDataSource();
});
afterAll(() => database.close());

// The embedded server has them in its configuration; Debian's, which these tests also run against, has other defaults.
it.each([
  ['jit', 'off'],
  ['random_page_cost', '1.1'],
  ['TimeZone', 'UTC'],
  ['statement_timeout', '5min'],
])('sessions have %s=%s', async (name, value) => {
  expect(await database.dataSource.query(`select current_setting('${name}') as value`)).toEqual([{ value }]);
});

it('a snapshot for background requests has time for the work with its rows', async () => {
  const db = new Db(database.dataSource);
  const limits = (snapshot: Snapshot): Promise<unknown[]> =>
    snapshot.query(sql`select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle`);
  expect(await readLongSnapshot(db, limits)).toEqual([{ statement: '1d', idle: '1h' }]);
  expect(await readSnapshot(db, limits)).toEqual([{ statement: '5min', idle: '2min' }]);
});
