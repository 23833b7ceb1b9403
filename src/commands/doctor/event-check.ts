import type { Client } from 'pg';
import type { Sql } from '../../engines/sql/sql.js';
import { listenerStates } from '../../core/events/listener-states.js';
import { inWords, LATE_SECONDS } from '../../core/metrics/health-report.js';
import { oldestUnattended } from '../../modules/webhooks/delivery/due-deliveries.js';
import { type Finding, ok, warning } from './finding.js';

/** A listener that no process has had for longer than the others is one of an extension that was removed. */
const GONE_MS = 3_600_000;

/** What has to be known of a listener. */
export interface WaitingListener {
  readonly name: string;
  /** Age of the oldest event that it has yet to handle. */
  readonly seconds: number | null;
  readonly quarantined: number;
}

/** A row as this client returns it. */
interface Row {
  readonly name: string;
  readonly oldest: Date | string | null;
  readonly quarantined: string | number;
  readonly seen_date: Date | string | null;
}

/** Whether events and deliveries wait for longer than they should. */
export async function checkEvents(client: Client): Promise<Finding[]> {
  const { rows: table } = await client.query<{ there: boolean }>(
    `select to_regclass('outbox_listener') is not null as there`,
  );
  if (table[0]?.there !== true) return [];
  const now = new Date();
  const age = (date: Date | string | null | undefined): number | null =>
    date == null ? null : (now.getTime() - new Date(date).getTime()) / 1000;
  const rows = await selected<Row>(client, listenerStates([]));
  const seen = rows.map((row) => new Date(row.seen_date ?? 0).getTime());
  const listeners = rows.filter((_, index) => (seen[index] ?? 0) > Math.max(...seen) - GONE_MS);
  const [due] = await selected<{ oldest: Date | string | null }>(client, oldestUnattended(now));
  return [
    ...assessListeners(
      listeners.map(({ name, oldest, quarantined }) => ({
        name,
        seconds: age(oldest),
        quarantined: Number(quarantined),
      })),
    ),
    assessDeliveries(age(due?.oldest)),
  ];
}

export function assessListeners(listeners: readonly WaitingListener[]): Finding[] {
  const late = listeners.filter(({ seconds }) => seconds !== null && seconds > LATE_SECONDS);
  const ages = late.map(({ name, seconds }) => `${name} (${inWords(seconds ?? 0)})`).join(', ');
  const failed = listeners.filter(({ quarantined }) => quarantined > 0);
  const counts = failed.map(({ name, quarantined }) => `${name} (${quarantined})`).join(', ');
  const advice = 'Check that a process does the background work, and what its log says about the listener.';
  const retry = 'Run "cairn events quarantine" to see why, and "cairn events retry" when the cause is gone.';
  return [
    late.length === 0
      ? ok('events', 'none waits for more than a minute')
      : warning('events', `waiting for ${ages}`, advice),
    ...(failed.length === 0 ? [] : [warning('quarantine', `events of ${counts}`, retry)]),
  ];
}

/** @param seconds how long a delivery has been due that nobody sends */
export function assessDeliveries(seconds: number | null): Finding {
  if (seconds === null) return ok('deliveries', 'none is more than a minute late without being sent');
  const text = `one has been due for ${inWords(seconds)}, and nobody sends it`;
  return warning('deliveries', text, 'Check that "cairn worker" or a server with background work is running.');
}

async function selected<T extends object>(client: Client, statement: Sql): Promise<T[]> {
  const { text, values } = statement.compile();
  return (await client.query<T>(text, values)).rows;
}
