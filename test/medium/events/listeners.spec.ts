import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseUnavailable } from '../../../src/core/database/database-client.js';
import { isErrorOfListener } from '../../../src/core/events/listener-attempt.js';
import { OutboxCleaner } from '../../../src/core/events/outbox.cleaner.js';
import { OutboxRelay } from '../../../src/core/events/outbox.relay.js';
import { Quarantine } from '../../../src/core/events/quarantine.js';
import { sql } from '../../../src/engines/sql/sql.js';
import type { StoredEvent } from '../../../src/extension.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { LISTENING_EXTENSION, listening } from '../../support/listening-extension.js';
import { deferred } from '../../support/promises.js';
import { listenerOf, RelayProcess } from '../../support/relay-process.js';
import { Outbox, PEBBLE } from './outbox.js';

const ALL = ['batches', 'each pebble', 'event log', 'quality feedback', 'webhooks'];

describe('a listener of events', () => {
  let app: TestApp;
  let outbox: Outbox;
  /** Object ids of the events that the listener of single events has handled. */
  let handled: string[];

  beforeAll(async () => {
    app = await createTestApp({ env: { CAIRN_EXTENSIONS: LISTENING_EXTENSION } });
    outbox = new Outbox(app);
  });
  beforeEach(async () => {
    await outbox.clear();
    handled = [];
    listening.each = ({ objectId }) => handled.push(String(objectId));
    await drain(); // registers the listeners
  });
  afterAll(() => app.close());

  const drain = (): Promise<void> => app.app.get(OutboxRelay).drain();
  const failFor = (broken: readonly string[], fail: () => unknown): void => {
    listening.each = async ({ objectId }) => {
      if (broken.includes(String(objectId))) await fail();
      handled.push(String(objectId));
    };
  };
  const throwing = (error: unknown) => (): never => {
    throw error;
  };

  it('gets the events of its name, in order', async () => {
    await outbox.add(['a', 'b']);
    await outbox.add(['c'], 'create:shell');
    await outbox.add(['d']);
    await drain();
    expect(handled).toEqual(['a', 'b', 'd']);
  });

  it('goes on in order after an event at which it always fails', async () => {
    failFor(['b'], throwing(new Error('I do not like b')));
    await outbox.add(['a', 'b', 'c', 'd']);
    await drain();
    expect(handled.slice(handled.lastIndexOf('a'))).toEqual(['a', 'c', 'd']);
  });

  it('puts an event at which it always fails into quarantine, with the error', async () => {
    failFor(['b'], throwing(new Error('I do not like b')));
    const [, id] = await outbox.add(['a', 'b', 'c']);
    await drain();
    expect(await outbox.quarantine()).toEqual([
      { listener: 'each pebble', event_id: id, error: 'Error: I do not like b', attempts: 5 },
    ]);
  });

  it('puts an event into quarantine if the error cannot be read', async () => {
    const secretive = Object.defineProperty(new Error(), 'message', { get: throwing(new Error('no')) });
    failFor(['a'], throwing(secretive));
    await outbox.add(['a', 'b']);
    await drain();
    expect(await outbox.quarantine()).toMatchObject([
      { error: 'Error: The listener has thrown something that cannot be read' },
    ]);
  });

  it('tries an event fewer times if the error cannot be another one', async () => {
    failFor(['a'], throwing(new TypeError('a is not a function')));
    await outbox.add(['a']);
    await drain();
    expect(await outbox.quarantine()).toMatchObject([{ attempts: 2 }]);
  });

  it('handles an event that succeeds when it is tried again', async () => {
    let failures = 3;
    failFor(['b'], () => {
      if (failures > 0) throw new Error(`failure ${failures--}`);
    });
    await outbox.add(['a', 'b', 'c']);
    await drain();
    expect([handled.slice(-2), await outbox.quarantine()]).toEqual([['b', 'c'], []]);
  });

  it('does not keep other listeners from handling everything', async () => {
    failFor(['b'], throwing(new Error('I do not like b')));
    listening.batch = throwing(new Error('I like nothing'));
    await outbox.add(['a', 'b', 'c']);
    await drain();
    expect(await outbox.done()).toEqual(ALL);
  });

  it('gets a batch that fails as single events', async () => {
    const batches: string[][] = [];
    listening.batch = (events: readonly StoredEvent[]) => {
      const ids = events.map(({ objectId }) => String(objectId));
      if (ids.includes('b')) throw new Error('I do not like b');
      batches.push(ids);
    };
    await outbox.add(['a', 'b', 'c', 'd']);
    await drain();
    expect(batches).toEqual([['a'], ['c'], ['d']]);
  });

  it('leaves nothing of what it has written before it failed', async () => {
    listening.batch = async (events, tx) => {
      for (const { objectId } of events) {
        tx.write(sql`insert into held_removal (key, created_date) values (${objectId}, now())`);
        if (objectId === 'b') throw new Error('I do not like b');
      }
    };
    await outbox.add(['a', 'b', 'c']);
    await drain();
    expect(await app.db.query(sql`delete from held_removal returning key`)).toEqual([{ key: 'a' }, { key: 'c' }]);
  });

  it('does not lose or set aside an event because of the database', async () => {
    let isAway = true;
    failFor(['b'], () => {
      if (isAway) throw new DatabaseUnavailable(new Error('gone'));
    });
    await outbox.add(['a', 'b', 'c']);
    for (let attempt = 0; attempt < 10; attempt += 1) await expect(drain()).rejects.toThrow('gone');
    isAway = false;
    await drain();
    expect([handled.slice(-3), await outbox.quarantine()]).toEqual([['a', 'b', 'c'], []]);
  });

  describe('that takes too long', () => {
    let hasty: RelayProcess;

    beforeEach(() => {
      const listener = listenerOf('each pebble', [PEBBLE], (event, tx, context) =>
        listening.each(event as StoredEvent, tx, context),
      );
      hasty = new RelayProcess(app, [listener], { timeoutMs: 500 });
    });
    afterEach(() => hasty.close());

    it('is interrupted, and its event is put into quarantine', async () => {
      failFor(['b'], () => new Promise(() => undefined));
      await outbox.add(['a', 'b', 'c']);
      await hasty.relay.drain();
      expect(await outbox.quarantine()).toMatchObject([
        { error: 'WorkTimeout: It took longer than 500 ms.', attempts: 3 },
      ]);
    });

    it('is also interrupted while it waits for a statement', async () => {
      listening.each = async ({ objectId }, tx) => {
        if (objectId === 'b') await tx.query(sql`select pg_sleep(300)`);
        handled.push(String(objectId));
      };
      await outbox.add(['a', 'b', 'c']);
      await hasty.relay.drain();
      expect([handled.slice(-2), (await outbox.quarantine()).length]).toEqual([['a', 'c'], 1]);
    });

    it('cannot write any more after it was interrupted', async () => {
      const goOn = deferred();
      const ended: Promise<unknown>[] = [];
      listening.each = (_, tx) => {
        const rest = goOn.promise.then(() => tx.query(sql`insert into held_removal values ('late', now())`));
        ended.push(rest);
        return rest;
      };
      await outbox.add(['a']);
      await hasty.relay.drain();
      goOn.resolve();
      const states = (await Promise.allSettled(ended)).map(({ status }) => status);
      expect(states).toEqual(['rejected', 'rejected', 'rejected']);
    });

    it('is not to blame if it waits for a lock of another transaction', async () => {
      listening.each = (_, tx) => tx.query(sql`lock table held_removal`);
      await outbox.add(['a']);
      const client = await app.db.connect();
      try {
        await client.query('begin; lock table held_removal');
        await expect(hasty.relay.drain()).rejects.toThrow('lock timeout');
      } finally {
        await client.query('rollback');
        client.release();
      }
      await hasty.relay.drain();
      expect(await outbox.quarantine()).toEqual([]);
    });
  });

  describe('whose events were given back', () => {
    const late: boolean[] = [];

    beforeEach(async () => {
      failFor(['b', 'c'], throwing(new TypeError('no')));
      await outbox.add(['a', 'b', 'c', 'd']);
      await drain();
      handled = [];
      late.length = 0;
      listening.each = ({ objectId }, _, { isLate }) => {
        handled.push(String(objectId));
        late.push(isLate);
      };
    });

    it('handles them in order, and knows that they are late', async () => {
      await app.app.get(Quarantine).giveBack({});
      await outbox.add(['e']);
      await drain();
      expect([handled, late, await outbox.quarantine()]).toEqual([['b', 'c', 'e'], [true, true, false], []]);
    });

    it('leaves those in quarantine that were not', async () => {
      const [{ event_id: id } = { event_id: 0 }] = await outbox.quarantine();
      expect(await app.app.get(Quarantine).giveBack({ events: [id], listener: 'each pebble' })).toBe(1);
      await drain();
      expect([handled, (await outbox.quarantine()).length]).toEqual([['b'], 1]);
    });

    it('puts them into quarantine again if it still fails', async () => {
      failFor(['b'], throwing(new Error('never')));
      await app.app.get(Quarantine).giveBack({});
      await drain();
      expect(await outbox.quarantine()).toMatchObject([{ error: 'Error: never', attempts: 3 }]);
    });
  });

  describe('with an error that nobody handles', () => {
    /** What Node does with an error in a timer. */
    const failLater = (turn: Promise<unknown>): Promise<boolean> =>
      turn.then(() => isErrorOfListener(new Error('in a timer')));

    it('handles the event again if its transaction is not committed yet', async () => {
      listening.each = async ({ objectId }, tx) => {
        handled.push(String(objectId));
        await tx.query(sql`select 1`);
        if (objectId === 'b' && !handled.slice(0, -1).includes('b')) void failLater(Promise.resolve());
      };
      await outbox.add(['a', 'b', 'c']);
      await drain();
      const withoutA = handled.filter((object) => object !== 'a'); // handled again only if it shared the transaction
      expect([withoutA, await outbox.quarantine()]).toEqual([['b', 'b', 'c'], []]);
    });

    it('puts the event into quarantine if its transaction is committed', async () => {
      const isReady = deferred();
      let failing: Promise<boolean> | undefined;
      listening.each = ({ objectId }) => {
        if (objectId === 'b') failing = failLater(isReady.promise);
      };
      const [, id] = await outbox.add(['a', 'b', 'c']);
      await drain();
      isReady.resolve();
      await failing;
      await drain();
      expect(await outbox.quarantine()).toEqual([
        { listener: 'each pebble', event_id: id, error: 'Error: in a timer', attempts: 1 },
      ]);
    });

    it('finds the event of a batch that has caused it', async () => {
      listening.batch = async (events) => {
        if (!events.some(({ objectId }) => objectId === 'b')) return;
        void failLater(Promise.resolve());
        await new Promise(() => undefined);
      };
      const [, id] = await outbox.add(['a', 'b', 'c']);
      await drain();
      expect(await outbox.quarantine()).toMatchObject([{ listener: 'batches', event_id: id }]);
    });

    it('is not to blame if it is a listener of the server', async () => {
      let isBlamed: boolean | undefined;
      const call = async (): Promise<void> => {
        isBlamed = await failLater(Promise.resolve());
      };
      const process = new RelayProcess(app, [listenerOf('of the server', [PEBBLE], call)]);
      await process.relay.drain(); // registers the listener
      await outbox.add(['a']);
      await process.relay.drain();
      await process.close();
      expect(isBlamed).toBe(false);
    });
  });

  const processOf = (names: readonly string[]): RelayProcess =>
    new RelayProcess(
      app,
      names.map((name) =>
        listenerOf(name, [PEBBLE], (event) => handled.push(`${name} ${(event as StoredEvent).objectId}`)),
      ),
    );

  it('that is new gets the events from then on', async () => {
    const [before, after] = [processOf(['old']), processOf(['old', 'new'])];
    await before.relay.drain();
    await outbox.add(['a']);
    await before.relay.drain();
    await after.relay.drain();
    await outbox.add(['b']);
    await after.relay.drain();
    await Promise.all([before.close(), after.close()]);
    expect(handled).toEqual(['old a', 'old b', 'new b']);
  });

  it('gets the events that were pending before the first process with listeners', async () => {
    await app.db.query(sql`truncate outbox_listener, outbox_order`);
    await outbox.add(['a', 'b']);
    const first = processOf(['first']);
    await first.relay.drain();
    await first.close();
    expect(handled).toEqual(['first a', 'first b']);
  });

  it('keeps events that it has not handled, whatever their age', async () => {
    await outbox.add(['a'], 'create:shell');
    await drain();
    await outbox.add(['b', 'c']);
    await app.db.query(sql`update outbox_event set occurred_at = now() - interval '1 year'`);
    await app.app.get(OutboxCleaner).cleanOnce();
    expect(await app.db.query(sql`select object_id from outbox_event order by id`)).toEqual([
      { object_id: 'b' },
      { object_id: 'c' },
    ]);
  });

  it('keeps nothing if it no longer exists', async () => {
    await app.db.query(sql`
      insert into outbox_listener (name, position, seen_date) values ('of a removed extension', 0, now() - interval '31 days')`);
    await app.db.query(sql`
      insert into outbox_quarantine (listener, event_id, event, object_id, error, attempts, first_failed_date, last_failed_date)
      values ('of a removed extension', 1, 'x', '1', 'e', 1, now(), now())`);
    await outbox.add(['a', 'b']);
    await drain();
    while (await app.app.get(OutboxCleaner).cleanOnce());
    const left = await app.db.query(sql`
      select (select count(*) from outbox_order) as positions, (select count(*) from outbox_quarantine) as quarantined`);
    expect(left).toEqual([{ positions: 1, quarantined: 0 }]);
  });
});
