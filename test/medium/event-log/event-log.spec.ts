import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventLog } from '../../../src/core/event-log/event-log.js';
import { EventPartitions } from '../../../src/core/event-log/event-partitions.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import type { LoggedEvent } from '../../../src/core/event-log/logged-event.js';
import { raw, sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const row = (scope: string, more: Partial<LoggedEvent> = {}): LoggedEvent => ({
  event_time: '2026-11-25T12:00:00Z',
  source: 'server',
  scope,
  ...more,
});

describe('the event log', () => {
  let database: TestDatabase;
  let app: TestApp;
  let log: EventLog;
  let partitions: EventPartitions;

  const start = async (env: Record<string, string> = {}): Promise<TestApp> => {
    app = await createTestApp({ database, env });
    log = app.app.get(EventLog);
    partitions = app.app.get(EventPartitions);
    return app;
  };
  beforeEach(async () => {
    database = await createTestDatabase();
    await start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await app.close();
    await database.drop();
  });

  const setTime = (time: string): void => void jest.spyOn(app.clock, 'now').mockReturnValue(new Date(time));
  const scopes = async (): Promise<string[]> =>
    (await app.db.query<{ scope: string }>(sql`select scope from logged_event order by id`)).map(({ scope }) => scope);
  const tables = async (): Promise<string[]> => (await partitions.partitions()).map(({ table }) => table);
  const run = (statement: string): Promise<unknown[]> => app.db.query(raw(statement), { dynamic: true });

  it('creates its partitions a month ahead, whoever comes first', async () => {
    setTime('2026-12-31T23:59:59.999Z');
    await Promise.all([partitions.keepUp(), partitions.keepUp(), partitions.ensure(new Date('2026-12-01'))]);
    expect(await tables()).toEqual(['logged_event_2026_12', 'logged_event_2027_01']);
    log.add([row('old')]);
    await log.flush();
    setTime('2027-03-01T00:00:00Z'); // nobody has created this one
    log.add([row('new')]);
    await log.flush();
    expect(await scopes()).toEqual(['old', 'new']);
    expect((await tables()).at(-1)).toBe('logged_event_2027_03');
  });

  it('drops the partitions whose rows are all too old', async () => {
    await app.close();
    await start({ EVENTS_RETENTION_DAYS: '30' });
    for (const month of ['2026-08', '2026-09', '2026-10']) {
      setTime(`${month}-15T00:00:00Z`);
      log.add([row(month)]);
      await log.flush();
    }
    setTime('2026-10-30T23:59:59Z');
    await Promise.all([partitions.dropOld(), partitions.keepUp()]);
    expect(await scopes()).toEqual(['2026-09', '2026-10']);
    setTime('2026-10-31T00:00:00Z');
    expect(await partitions.dropOld()).toEqual(['logged_event_2026_09']);
    expect(await scopes()).toEqual(['2026-10']);
  });

  it('is counted by a tally, whoever writes at the same time', async () => {
    const organizations = [null, 5, 7];
    const expectTallied = async (): Promise<void> => {
      const counted = await run(`
        select org_id, is_audit, count(*)::int as events from logged_event group by 1, 2 order by 1, 2`);
      const tallied = await run(`
        select org_id, is_audit, sum(events)::int as events from logged_event_tally
        group by 1, 2 having sum(events) <> 0 order by 1, 2`);
      expect(tallied).toEqual(counted);
    };
    setTime('2026-09-15T00:00:00Z');
    const some = organizations.flatMap((id) => [row('a', { org_id: id, is_audit: true }), row('b', { org_id: id })]);
    log.add(some);
    await log.flush();
    const work = app.app.get(UnitOfWork);
    await Promise.all([1, 2, 3].map(() => work.run((tx) => log.write(tx, some))));
    const failed = work.run(async (tx) => {
      await log.write(tx, some);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await expectTallied();
    expect(await scopes()).toHaveLength(24);
    setTime('2026-11-15T00:00:00Z');
    log.add(some);
    await log.flush();
    await app.close();
    await start({ EVENTS_RETENTION_DAYS: '30' });
    setTime('2026-12-01T00:00:00Z');
    expect(await partitions.dropOld()).toEqual(['logged_event_2026_09']);
    await expectTallied();
    expect(await scopes()).toHaveLength(6);
  });

  it('is kept for ever with a retention of 0 days', async () => {
    await app.close();
    await start({ EVENTS_RETENTION_DAYS: '0' });
    setTime('2001-01-01T00:00:00Z');
    await partitions.ensure(app.clock.now());
    setTime('2026-01-01T00:00:00Z');
    expect(await partitions.dropOld()).toEqual([]);
    expect(await tables()).toEqual(['logged_event_2001_01']);
  });

  it('keeps rows while the database cannot take them, and writes them in order later', async () => {
    await run('alter table logged_event rename to hidden');
    expect(log.add([row('first')])).toBe(true);
    const written = log.flush();
    expect(log.add([row('second')])).toBe(true);
    await run('alter table hidden rename to logged_event');
    await written;
    await log.flush();
    expect(await scopes()).toEqual(['first', 'second']);
  });

  it('writes again after its partitions were dropped and the database restored', async () => {
    log.add([row('before')]);
    await log.flush();
    for (const table of await tables()) await run(`drop table ${table}`);
    log.add([row('after')]);
    await log.flush();
    expect(await scopes()).toEqual(['after']);
  });

  it('refuses rows when too many are waiting', async () => {
    await run('alter table logged_event rename to hidden');
    const many = Array.from({ length: 25_000 }, () => row('x'));
    expect([log.add(many), log.add(many), log.add([row('y')])]).toEqual([true, true, false]);
    await run('alter table hidden rename to logged_event');
    await log.flush();
    expect(await scopes()).toHaveLength(50_000);
    expect(log.add([row('z')])).toBe(true);
  });

  it('leaves out only the rows that cannot be stored', async () => {
    log.add([row('a'), row('b', { event_time: 'never' }), row('c', { obj_name: 'nul\0 and half \ud800' })]);
    await log.flush();
    expect(await scopes()).toEqual(['a', 'c']);
    const [stored] = await app.db.query(sql`select obj_name from logged_event where scope = 'c'`);
    expect(stored).toEqual({ obj_name: 'nul\ufffd and half \ufffd' });
  });

  it('is complete after an orderly stop', async () => {
    log.add(Array.from({ length: 2500 }, (_, index) => row(String(index))));
    const late = log;
    await app.close();
    await start();
    expect(await scopes()).toHaveLength(2500);
    expect(late).not.toBe(log);
  });
});
