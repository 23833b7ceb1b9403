import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OutboxPending1795312800000 } from '../../../src/migrations/1795312800000-outbox-pending.js';
import { openTestDataSource, type TestDataSource } from '../../support/data-source.js';

let database: TestDataSource;

beforeAll(async () => {
  database = await openTestDataSource();
});
afterAll(() => database.close());

const pending = () =>
  database.dataSource.query(
    `select name from outbox_event join outbox_pending on outbox_pending.event_id = outbox_event.id order by id`,
  );

it('upgrade and downgrade keep pending events', async () => {
  const runner = database.dataSource.createQueryRunner();
  const migration = new OutboxPending1795312800000();
  await migration.down(runner);
  await runner.query(`
    insert into outbox_event (name, object_id, after, occurred_at, relayed_at)
    values ('told', '1', '{}', now(), now()), ('first', '1', '{}', now(), null), ('second', '1', '{}', now(), null)`);
  await migration.up(runner);
  expect(await pending()).toEqual([{ name: 'first' }, { name: 'second' }]);
  await migration.down(runner);
  expect(await runner.query(`select name from outbox_event where relayed_at is null order by id`)).toEqual([
    { name: 'first' },
    { name: 'second' },
  ]);
  await migration.up(runner);
  await runner.release();
  expect(await pending()).toHaveLength(2);
});
