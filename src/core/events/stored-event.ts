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

/** Very long parts are repetitive; PostgreSQL stores them compressed by about this factor. */
const COMPRESSION = 8;

interface TextRow {
  readonly id: number;
  readonly name: string;
  readonly object_id: string;
  readonly organization_id: number | null;
  readonly project_id: number | null;
  readonly sender: StoredEvent['sender'];
  readonly before: string | null;
  readonly after: string;
  readonly occurred_at: string;
  readonly context: StoredEvent['context'];
  readonly traceparent: string | null;
  /** Bytes of the very long parts, compressed. */
  readonly stored: number;
}

/**
 * Events in the order of their ids, without their very long parts. Ids without an event are left out.
 * @returns also the number of characters of their JSON, with the very long parts
 */
export async function eventsById(
  db: Queryable,
  ids: readonly number[],
): Promise<{ readonly events: StoredEvent[]; readonly characters: number }> {
  const rows = await db.query<TextRow>(sql`
    select id, name, object_id, organization_id, project_id, sender, before::text as before, after::text as after, occurred_at, context,
      traceparent, coalesce(pg_column_size(extras), 0) as stored
    from outbox_event where id = any(${[...ids]}::bigint[]) order by id`);
  const lengthOf = (row: TextRow): number => row.after.length + (row.before?.length ?? 0) + COMPRESSION * row.stored;
  return { events: toEvents(rows), characters: rows.reduce((sum, row) => sum + lengthOf(row), 0) };
}

/**
 * Objects are parsed on demand, because most events have no listener. Only the objects of the last requested event are
 * kept: those of a whole batch would survive young-generation garbage collection.
 */
function toEvents(rows: readonly TextRow[]): StoredEvent[] {
  let read: { row?: TextRow; before?: Snapshot; after?: Snapshot } = {};
  const readOf = (row: TextRow): typeof read => (read.row === row ? read : (read = { row }));
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    objectId: row.object_id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    sender: row.sender,
    occurredAt: row.occurred_at,
    context: row.context,
    traceparent: row.traceparent,
    json: row,
    get after() {
      return (readOf(row).after ??= JSON.parse(row.after) as Snapshot);
    },
    get before() {
      return row.before === null ? undefined : (readOf(row).before ??= JSON.parse(row.before) as Snapshot);
    },
  }));
}
