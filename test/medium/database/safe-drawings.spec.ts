import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SafeDrawings1795825800000 } from '../../../src/migrations/1795825800000-safe-drawings.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

/** More than the migration reads at once. */
const LABELS = 25;
const HARMLESS = '<circle r="1" cx="1" cy="2" data-label-id="7"></circle>';

let database: TestDataSource;

beforeAll(async () => {
  database = await openTestDataSource();
});
afterAll(() => database.close());

it('cleans all drawings that were stored before', async () => {
  const runner = database.dataSource.createQueryRunner();
  await runner.query(
    `insert into label (name, type, svg)
     select 'body ' || number, 'skeleton', $1 || repeat('<script>alert(1)</script>', number % 2)
     from generate_series(1, ${LABELS}) number`,
    [HARMLESS],
  );
  await runner.query(`insert into label (name, type, svg) values ('car', 'any', null), ('empty', 'skeleton', '')`);
  await new SafeDrawings1795825800000().up(runner);
  const drawings = await runner.query('select svg, count(*)::int from label group by svg order by count(*)');
  await runner.release();
  expect(new Set(drawings)).toEqual(
    new Set([
      { svg: null, count: 1 },
      { svg: '', count: 1 },
      { svg: HARMLESS, count: LABELS },
    ]),
  );
});
