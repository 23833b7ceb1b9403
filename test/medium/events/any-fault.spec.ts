import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Tx } from '../../../src/core/database/tx.js';
import type { Listener } from '../../../src/core/events/listeners.js';
import { sql } from '../../../src/engines/sql/sql.js';
import type { StoredEvent } from '../../../src/extension.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { listenerOf, RelayProcess } from '../../support/relay-process.js';
import { until } from '../../support/promises.js';
import { Outbox, PEBBLE } from './outbox.js';

/** A listener's transaction may take so long. It must be longer than one takes on a busy machine. */
const TIMEOUT_MS = 1_000;
const OTHER = 'create:shell';

/** What happens when a listener gets an event. */
type Fault =
  'throws' | 'throws a certain error' | 'throws twice' | 'hangs' | 'hangs in the database' | 'is slow' | 'none';

interface Scenario {
  readonly names: readonly string[];
  /** By listener, then by event. */
  readonly faults: readonly (readonly Fault[])[];
  /** How many statements processes survive: two at a time. */
  readonly lives: readonly (readonly [number, number])[];
}

const EVENTS = 8;
const LISTENERS: readonly { readonly name: string; readonly events: readonly string[] | null }[] = [
  { name: 'batches', events: null },
  { name: 'each', events: [PEBBLE] },
  { name: 'healthy batches', events: null },
  { name: 'healthy each', events: [PEBBLE, OTHER] },
];
const LASTING: readonly Fault[] = ['throws', 'throws a certain error', 'hangs', 'hangs in the database'];

const fault = fc.oneof(
  { weight: 24, arbitrary: fc.constant<Fault>('none') },
  { weight: 4, arbitrary: fc.constantFrom<Fault>('throws', 'throws a certain error', 'throws twice', 'is slow') },
  { weight: 1, arbitrary: fc.constantFrom<Fault>('hangs', 'hangs in the database') },
);
const faults = fc.array(fault, { minLength: EVENTS, maxLength: EVENTS });
const life = fc.integer({ min: 1, max: 90 });
const scenario: fc.Arbitrary<Scenario> = fc.record({
  names: fc.array(fc.constantFrom(PEBBLE, OTHER), { minLength: EVENTS, maxLength: EVENTS }),
  faults: fc.tuple(faults, faults),
  lives: fc.array(fc.tuple(life, life), { maxLength: 3 }),
});

let app: TestApp;
let outbox: Outbox;

beforeAll(async () => {
  app = await createTestApp();
  outbox = new Outbox(app);
  await app.db.query(
    sql`create table handled (number bigint generated always as identity, listener text, event_id bigint)`,
  );
});
afterAll(() => app.close());

/** Listeners that store what they have handled in their transactions. */
function listenersOf({ faults: given }: Scenario, ids: readonly number[]): Listener[] {
  const tries = new Map<string, number>();
  return LISTENERS.map(({ name, events }, index) => {
    const handle = async ({ id }: StoredEvent, tx: Tx): Promise<void> => {
      const count = (tries.get(`${name} ${id}`) ?? 0) + 1;
      tries.set(`${name} ${id}`, count);
      await suffer(given[index]?.[ids.indexOf(id)] ?? 'none', count, tx);
      await tx.query(sql`insert into handled (listener, event_id) values (${name}, ${id})`);
    };
    return listenerOf(name, events, async (given, tx) => {
      for (const event of events === null ? (given as readonly StoredEvent[]) : [given as StoredEvent])
        await handle(event, tx);
    });
  });
}

async function suffer(what: Fault, count: number, tx: Tx): Promise<void> {
  if (what === 'throws' || (what === 'throws twice' && count <= 2)) throw new Error('the listener has failed');
  if (what === 'throws a certain error') throw new TypeError('the listener is wrong');
  if (what === 'hangs') await new Promise(() => undefined);
  if (what === 'hangs in the database') await tx.query(sql`select pg_sleep(600)`);
  if (what === 'is slow') await pause(20);
}

async function run(scenario: Scenario): Promise<void> {
  const ids: number[] = [];
  for (const name of scenario.names) ids.push(...(await outbox.add(['1'], name)));
  const listeners = listenersOf(scenario, ids);
  /** @returns whether it has come to the end */
  const start = async (life: number): Promise<boolean> => {
    const process = new RelayProcess(app, listeners, { timeoutMs: TIMEOUT_MS, life });
    const isDone = await process.relay.drain().then(
      () => true,
      () => false,
    );
    await process.close();
    return isDone;
  };
  for (const [one, other] of scenario.lives) await Promise.all([start(one), start(other)]);
  await until(() => start(Infinity)); // it may have to wait for what dead processes have begun
  const rows = await app.db.query<{ listener: string; event_id: number; is_quarantined: boolean }>(sql`
    select listener, event_id, false as is_quarantined, number from handled
    union all select listener, event_id, true, id from outbox_quarantine
    order by is_quarantined, number`);
  for (const [index, { name, events }] of LISTENERS.entries()) {
    const isFor = (id: number): boolean => events === null || events.includes(scenario.names[ids.indexOf(id)] ?? '');
    const lasting = (id: number): boolean => LASTING.includes(scenario.faults[index]?.[ids.indexOf(id)] ?? 'none');
    const of = (isQuarantined: boolean): number[] =>
      rows.filter((row) => row.listener === name && row.is_quarantined === isQuarantined).map((row) => row.event_id);
    expect([name, of(false), of(true).toSorted((a, b) => a - b)]).toEqual([
      name,
      ids.filter((id) => isFor(id) && !lasting(id)),
      ids.filter((id) => isFor(id) && lasting(id)),
    ]);
  }
}

it('whatever a listener does at any event, and whenever processes are killed, each listener handles every other event once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      await outbox.clear();
      await app.db.query(sql`truncate handled`);
      await run(given);
    }),
    { numRuns: Number(process.env['CAIRN_TEST_RUNS'] ?? 8), endOnFailure: true },
  );
}, 600_000);
