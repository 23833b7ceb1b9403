import { afterAll, beforeAll, expect, it } from '@jest/globals';
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
