import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { Queryable } from '../database/db.js';
import type { ApiVersion } from '../versioning/accept.js';
import { showsExtras, type Snapshot } from '../versioning/representations.js';
import type { StoredEvent } from './event-map.js';

/** A row of a statement that selects `storedColumns`. */
export interface StoredEventRow extends Omit<StoredEvent, 'before'> {
  readonly before: Snapshot | null;
  readonly extras: Snapshot['extras'] | null;
}

/**
 * Columns of `outbox_event event` that `toStoredEvent` needs. Very long parts are read only for versions that show
 * them.
 */
export const storedColumns = (version: ApiVersion): Sql => sql`event.id, event.name, event.object_id as "objectId",
  event.organization_id as "organizationId", event.project_id as "projectId", event.sender, event.before, event.after,
  event.occurred_at as "occurredAt", ${raw(showsExtras(version) ? 'event.extras' : 'null::json')} as extras`;

export function toStoredEvent({ before, extras, ...event }: StoredEventRow): StoredEvent {
  return {
    ...event,
    after: withExtras(event.after, extras),
    ...(before === null ? {} : { before }),
  };
}

/**
 * Snapshots of events including their very long parts, which the relay leaves out. By event id; events without such
 * parts are omitted.
 */
export async function longSnapshots(
  db: Queryable,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<number, Snapshot>> {
  const after = new Map(events.map((event) => [event.id, event.after]));
  const rows = await db.query<{ id: number; extras: Snapshot['extras'] }>(sql`
    select id, extras from outbox_event where id = any(${[...after.keys()]}::bigint[]) and extras is not null`);
  return new Map(rows.map(({ id, extras }) => [id, withExtras(after.get(id) ?? { object: {} }, extras)]));
}

const withExtras = (snapshot: Snapshot, extras: Snapshot['extras'] | null): Snapshot =>
  extras === null || extras === undefined ? snapshot : { ...snapshot, extras: { ...snapshot.extras, ...extras } };
