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

/** Bytes of the objects of one batch, as stored: compressed if they are long. */
const STORED_BYTES = 2 * 2 ** 20;

/** An event with its objects as JSON, without its very long parts. */
export interface EventText {
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

/** The number of characters of its JSON, with the very long parts. */
export const lengthOf = ({ after, before, stored }: EventText): number =>
  after.length + (before?.length ?? 0) + COMPRESSION * stored;

/**
 * Events in the order of their ids, as many as may be in memory at the same time. Ids without an event are left out.
 * @returns also whether there are more, which were not read
 */
export async function eventTexts(
  db: Queryable,
  ids: readonly number[],
): Promise<{ readonly texts: EventText[]; readonly isCut: boolean }> {
  const rows = await db.query<EventText & { readonly fits: boolean }>(sql`
    select id, name, object_id, organization_id, project_id, sender, occurred_at, context, traceparent, stored, fits,
      case when fits then before::text end as before, case when fits then after::text end as after
    from (
      select *, so_far - bytes = 0 or so_far <= ${STORED_BYTES} as fits
      from (
        select *, sum(bytes) over (order by id) as so_far
        from (
          select id, name, object_id, organization_id, project_id, sender, occurred_at, context, traceparent, before, after,
            coalesce(pg_column_size(extras), 0) as stored,
            pg_column_size(after) + coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(extras), 0) as bytes
          from outbox_event where id = any(${[...ids]}::bigint[])
        ) event
      ) summed
    ) event
    order by id`);
  const texts = rows.filter(({ fits }) => fits);
  return { texts, isCut: texts.length < rows.length };
}

/**
 * Objects are parsed on demand, because most events have no listener. Only the objects of the last requested event are
 * kept: those of a whole batch would survive young-generation garbage collection.
 */
export function toEvents(texts: readonly EventText[]): StoredEvent[] {
  let read: { text?: EventText; before?: Snapshot; after?: Snapshot } = {};
  const readOf = (text: EventText): typeof read => (read.text === text ? read : (read = { text }));
  return texts.map((text) => ({
    id: text.id,
    name: text.name,
    objectId: text.object_id,
    organizationId: text.organization_id,
    projectId: text.project_id,
    sender: text.sender,
    occurredAt: text.occurred_at,
    context: text.context,
    traceparent: text.traceparent,
    json: text,
    get after() {
      return (readOf(text).after ??= JSON.parse(text.after) as Snapshot);
    },
    get before() {
      return text.before === null ? undefined : (readOf(text).before ??= JSON.parse(text.before) as Snapshot);
    },
  }));
}
