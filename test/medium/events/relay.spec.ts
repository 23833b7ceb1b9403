import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Listener } from '../../../src/core/events/listeners.js';
import { NOT_URGENT } from '../../../src/core/events/on-event.js';
import { sql } from '../../../src/engines/sql/sql.js';
import type { StoredEvent } from '../../../src/extension.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { deferred, until } from '../../support/promises.js';
import { listenerOf, RelayProcess } from '../../support/relay-process.js';
import { Outbox, PEBBLE } from './outbox.js';

describe('the relay of events', () => {
  let app: TestApp;
  let outbox: Outbox;
  let processes: RelayProcess[];
  /** Ids of the events that a listener has got, by name of the listener. */
  let got: Map<string, number[]>;

  beforeAll(async () => {
    app = await createTestApp();
    outbox = new Outbox(app);
  });
  beforeEach(async () => {
    await outbox.clear();
    processes = [];
    got = new Map();
  });
  afterEach(() => Promise.all(processes.map((process) => process.close())));
  afterAll(() => app.close());

  const gotBy = (name: string): number[] => got.get(name) ?? [];
  const recording = (name: string, before: () => unknown = () => undefined): Listener =>
    listenerOf(name, null, async (events) => {
      await before();
      got.set(name, [...gotBy(name), ...(events as StoredEvent[]).map(({ id }) => id)]);
      return NOT_URGENT;
    });
  const process = (...listeners: Listener[]): RelayProcess => {
    const made = new RelayProcess(app, listeners);
    processes.push(made);
    return made;
  };
  const hasGot = (name: string, ids: readonly number[]) => (): Promise<boolean> =>
    Promise.resolve(ids.every((id) => gotBy(name).includes(id)));

  it('goes on with other listeners while one hangs', async () => {
    process(
      recording('hanging', () => new Promise(() => undefined)),
      recording('healthy'),
    ).relay.start();
    const first = await outbox.add(['a']);
    await until(hasGot('healthy', first));
    const later = await outbox.add(['b', 'c']);
    await until(hasGot('healthy', later));
    expect([gotBy('healthy'), gotBy('hanging')]).toEqual([[...first, ...later], []]);
    processes[0]?.kill();
  });

  it('goes on in another process when one dies in the middle', async () => {
    const hangs = deferred();
    const dying = process(
      recording('a', () => {
        hangs.resolve();
        return new Promise(() => undefined);
      }),
    );
    dying.relay.start();
    const ids = await outbox.add(['a', 'b']);
    await hangs.promise;
    process(recording('a')).relay.start();
    dying.kill();
    await until(hasGot('a', ids));
    expect(gotBy('a')).toEqual(ids);
  });

  it('gives each event to one process only', async () => {
    process(recording('a')).relay.start();
    process(recording('a')).relay.start();
    const ids: number[] = [];
    for (let round = 0; round < 20; round += 1) ids.push(...(await outbox.add(['a', 'b'])));
    await until(hasGot('a', ids));
    expect(gotBy('a')).toEqual(ids);
  });

  it('runs listeners that only one of several processes has', async () => {
    process(recording('a'), recording('of one')).relay.start();
    process(recording('a'), recording('of the other')).relay.start();
    await until(async () => (await app.db.query(sql`select from outbox_listener`)).length === 3);
    const ids = await outbox.add(['a', 'b']);
    await until(hasGot('of one', ids));
    await until(hasGot('of the other', ids));
    expect([gotBy('of one'), gotBy('of the other')]).toEqual([ids, ids]);
  });

  it('does not change the database for events of others', async () => {
    const { relay } = process(
      recording('all'),
      listenerOf('few', [PEBBLE], () => undefined),
    );
    await outbox.add(['a']);
    await relay.drain();
    const version = async () => (await app.db.query(sql`select xmin::text from outbox_listener where name = 'few'`))[0];
    const before = await version();
    await outbox.add(['b', 'c'], 'create:shell');
    await relay.drain();
    expect(await version()).toEqual(before);
  });

  it('reads more events than fit into memory in parts', async () => {
    await app.db.query(sql`
      with written as (
        insert into outbox_event (name, object_id, after, occurred_at)
        select ${PEBBLE}, number, json_build_object('object', json_build_object('text', (
          select string_agg(md5(number::text || part), '') from generate_series(1, 30000) part))), now()
        from generate_series(1, 8) number returning id
      )
      insert into outbox_pending select id from written`);
    const sizes: number[] = [];
    const listener = listenerOf('a', null, (events) => sizes.push((events as StoredEvent[]).length));
    await process(listener).relay.drain();
    expect([sizes.length > 1, sizes.reduce((sum, size) => sum + size, 0)]).toEqual([true, 8]);
  });

  it('follows a database that was replaced by an older backup', async () => {
    const { relay } = process(recording('a'));
    const old = await outbox.add(['a', 'b', 'c']);
    await relay.drain();
    await app.db.query(sql`update outbox_listener set position = (select min(position) from outbox_order)`);
    await app.db.query(sql`delete from outbox_order where position > (select min(position) from outbox_order)`);
    const later = await outbox.add(['d', 'e']);
    await relay.drain();
    expect(gotBy('a')).toEqual([...old, ...later]);
  });

  describe('beside a process of the version before', () => {
    /** What it does, in short: takes the oldest events and handles them. */
    const takenByOld = async (): Promise<number[]> => {
      const rows = await app.db.query<{ event_id: number }>(sql`
        delete from outbox_pending where event_id = any(array(
          select event_id from outbox_pending order by event_id limit 500 for update skip locked))
        returning event_id`);
      return rows.map(({ event_id: id }) => id);
    };

    it('leaves it the events while no listener has any before them', async () => {
      await process(recording('a')).relay.drain();
      const ids = await outbox.add(['a', 'b']);
      expect(await takenByOld()).toEqual(ids);
    });

    it('does not let it overtake a listener that is running', async () => {
      const { relay } = process(recording('a'));
      await relay.drain();
      await outbox.add(['a']);
      await app.db.query(sql`insert into outbox_order (event_id, name) select event_id, ${PEBBLE} from outbox_pending`);
      expect(await takenByOld()).toEqual([]);
    });

    it('lets it go on when the processes of the new version are gone', async () => {
      await process(recording('a')).relay.drain();
      const ids = await outbox.add(['a']);
      await app.db.query(sql`insert into outbox_order (event_id, name) select event_id, ${PEBBLE} from outbox_pending`);
      await app.db.query(sql`update outbox_listener set seen_date = now() - interval '2 minutes'`);
      expect(await takenByOld()).toEqual(ids);
    });

    describe('that removes webhooks of deleted projects', () => {
      /** What its clean-up does, in short. */
      const removedByOld = async (): Promise<number> =>
        (
          await app.db.query(sql`
            update webhook set deleted_date = now(), is_active = false
            where deleted_date is null and not exists (select from project where project.id = webhook.project_id)
              and not exists (select from outbox_pending)
            returning id`)
        ).length;

      beforeEach(() =>
        app.db.query(sql`
          insert into webhook (target_url, type, project_id, active_since, api_version, events, created_date, updated_date)
          values ('http://example.com', 'project', 4711, now(), '2.1', '{delete:project}', now(), now())`),
      );

      it('keeps one while the event of the deletion has no delivery', async () => {
        await process(recording('webhooks')).relay.drain();
        await outbox.add(['a']);
        await app.db.query(sql`
          with moved as (delete from outbox_pending returning event_id)
          insert into outbox_order (event_id, name) select event_id, ${PEBBLE} from moved`);
        expect(await removedByOld()).toBe(0);
      });

      it('lets it remove one when everything was dispatched', async () => {
        const { relay } = process(recording('webhooks'));
        await relay.drain();
        await outbox.add(['a']);
        await relay.drain();
        expect(await removedByOld()).toBe(1);
      });
    });
  });
});
