import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/env.js';
import { OutboxCleaner } from '../../../src/core/events/outbox.cleaner.js';
import { LiveProcesses } from '../../../src/core/worker/live-processes.js';
import { Backlogs } from '../../../src/core/metrics/backlogs.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { EventSinkQueue, EventSinkUpkeep, EventSinkWorker } from '../../../src/modules/event-sink/index.js';
import { start } from '../../../src/main.js';
import { createLogger } from '../../../src/core/logging/logger.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const DAY_MS = 86_400_000;
/** Nothing listens on this port. */
const NOBODY = 'nats://cairn:secret-1@127.0.0.1:1/cairn';

describe('the queue of the event sink', () => {
  let app: TestApp;
  let other: TestApp;
  let lines: string[];
  const start = new Date('2026-01-01T00:00:00Z');

  beforeAll(async () => {
    lines = [];
    const env = { EVENT_SINK: NOBODY, EVENT_SINK_RETENTION_DAYS: '60', LOG_LEVEL: 'warn' };
    app = await createTestApp({ env, log: { write: (line) => void lines.push(line) } });
    const database = { url: app.config.databaseUrl, drop: () => Promise.resolve() };
    other = await createTestApp({ env, database, dataDir: app.config.dataDir });
  });
  beforeEach(async () => {
    lines.length = 0;
    setClock(0);
    await app.db.query(sql`truncate outbox_event, outbox_pending, event_sink, event_sink_pending`);
  });
  afterAll(async () => {
    await other.close();
    await app.close();
  });

  function setClock(days: number): void {
    const now = new Date(start.getTime() + days * DAY_MS);
    for (const one of [app, other]) one.clock.now = () => now;
  }

  async function relayEvents(count: number): Promise<void> {
    await app.db.query(sql`
      with written as (
        insert into outbox_event (name, object_id, after, occurred_at)
        select 'create:kite', number, '{"object":{"id":1}}', ${app.clock.now()}::timestamptz from generate_series(1, ${count}::int) number
        returning id)
      insert into outbox_pending select id from written`);
    await app.drain();
  }

  const count = async (table: 'outbox_event' | 'event_sink_pending'): Promise<number> => {
    const counted = table === 'outbox_event' ? sql`outbox_event` : sql`event_sink_pending`;
    const [row] = await app.db.query<{ count: number }>(sql`select count(*) as count from ${counted}`);
    return row?.count ?? 0;
  };

  it('keeps events while the broker does not respond', async () => {
    await relayEvents(3);
    await expect(app.app.get(EventSinkWorker).runOnce()).rejects.toThrow(
      /^The event sink does not accept events: (?!.*secret-1)/,
    );
    expect(await count('event_sink_pending')).toBe(3);
    expect(await app.app.get(EventSinkQueue).state()).toMatchObject({
      failing_since: '2026-01-01T00:00:00Z',
      error: expect.not.stringContaining('secret-1'),
    });
    expect((await app.app.get(Backlogs).read()).get('event sink')).toEqual({ waiting: 3, oldestSeconds: 0 });
  });

  it('is used by one process at a time', async () => {
    await relayEvents(1);
    const [one, two] = [app.app.get(EventSinkQueue), other.app.get(EventSinkQueue)];
    const taken = await one.take();
    expect(taken).toMatchObject({ error: null });
    expect(await two.take()).toBeUndefined();
    expect(await one.take()).toEqual(taken);
    await one.release();
    expect(await two.take()).toEqual(taken);
    setClock(1); // the lease has expired
    expect(await one.take()).toEqual(taken);
  });

  it('is free again when the process that used it has died', async () => {
    await relayEvents(1);
    await app.app.get(LiveProcesses).start();
    await app.app.get(LiveProcesses).start(); // the second check knows that the lock is held
    const queue = app.app.get(EventSinkQueue);
    await queue.take();
    const [held] = await app.db.query<{ holder: number }>(sql`select holder from event_sink`);
    expect(held?.holder).toBe(app.app.get(LiveProcesses).holder);
    await queue.releaseLeases(app.db, [held?.holder ?? 0]);
    expect(await other.app.get(EventSinkQueue).take()).toBeDefined();
  });

  it('has no lease while nothing is pending', async () => {
    expect(await app.app.get(EventSinkQueue).take()).toBeUndefined();
  });

  it('forgets events that no longer exist', async () => {
    await relayEvents(2);
    await app.db.query(sql`delete from outbox_event`);
    await app.app
      .get(EventSinkWorker)
      .runOnce()
      .catch(() => undefined);
    expect(await count('event_sink_pending')).toBe(0);
  });

  it('keeps its events longer than the server keeps others, but not for ever', async () => {
    await relayEvents(2);
    const [row] = await app.db.query<{ id: number }>(sql`select max(id) as id from outbox_event`);
    await app.app.get(EventSinkQueue).take();
    await app.app.get(EventSinkQueue).sent([row?.id ?? 0], null);
    setClock(31);
    await app.app.get(OutboxCleaner).cleanOnce();
    expect([await count('outbox_event'), await count('event_sink_pending')]).toEqual([1, 1]);
    setClock(61);
    expect(await app.app.get(EventSinkUpkeep).keepUp()).toBe(true);
    expect(lines.join()).toContain('events are lost');
    await app.app.get(OutboxCleaner).cleanOnce();
    expect([await count('outbox_event'), await count('event_sink_pending')]).toEqual([0, 0]);
  });

  it('warns once while the broker does not accept events', async () => {
    await relayEvents(1);
    await app.app
      .get(EventSinkWorker)
      .runOnce()
      .catch(() => undefined);
    await app.app.get(EventSinkUpkeep).keepUp();
    expect(lines.join()).not.toContain('does not accept events; they are kept');
    setClock(1);
    await app.app.get(EventSinkUpkeep).keepUp();
    await app.app.get(EventSinkUpkeep).keepUp();
    expect(lines.filter((line) => line.includes('does not accept events; they are kept'))).toHaveLength(1);
  });
});

it('has no queue if no event sink is set', async () => {
  const app = await createTestApp();
  try {
    await app.db.query(sql`
      with written as (
        insert into outbox_event (name, object_id, after, occurred_at) values ('create:kite', '1', '{"object":{}}', now()) returning id)
      insert into outbox_pending select id from written`);
    await app.drain();
    expect(await app.db.query(sql`select * from event_sink_pending`)).toEqual([]);
    expect(await app.app.get(EventSinkWorker).runOnce()).toBe(false);
  } finally {
    await app.close();
  }
});

it('does not start with a certificate that cannot be read', async () => {
  const config = readConfig({ EVENT_SINK: 'tls://127.0.0.1:1?ca=/missing/ca.pem' });
  await expect(start(config, createLogger('silent'), 'worker', { kinds: ['events'] })).rejects.toThrow(
    'The file /missing/ca.pem, which ca of EVENT_SINK names, does not exist.',
  );
});
