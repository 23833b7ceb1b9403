import { Injectable } from '@nestjs/common';
import { jsonLines, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import type { Tx } from '../database/tx.js';
import { currentTrace } from '../http/request/trace.js';
import { Notifier } from '../worker/notifier.js';
import type { Representation } from '../versioning/representations.js';
import { resourceOf } from './event-declaration.js';
import type { EventRecord } from './event-map.js';

/** Characters of JSON in one statement; a single event may be longer. */
const SLICE = 2 ** 20;

/** Data that the database adds to the events of a resource. */
export interface LongExtras {
  readonly resource: string;
  readonly select: NonNullable<Representation['longExtras']>;
}

/** Writes the events of a transaction, usually with its last statements. */
@Injectable()
export class OutboxWriter {
  private readonly recorded = new WeakMap<Tx, EventRecord[]>();

  constructor(
    private readonly clock: Clock,
    private readonly notifier: Notifier,
  ) {}

  /** Holds an event until it is written with the last statements of the transaction. */
  add(tx: Tx, event: EventRecord): void {
    const held = this.recorded.get(tx);
    if (held !== undefined) return void held.push(event);
    this.recorded.set(tx, [event]);
    tx.beforeCommit(() => this.write(tx));
    // A turn later, so that the response is sent before the relay starts.
    tx.afterCommit(() => setImmediate(() => this.notifier.notify('events')));
  }

  /** Events that are recorded but not yet written. */
  held(tx: Tx): readonly EventRecord[] {
    return this.recorded.get(tx) ?? [];
  }

  /**
   * Writes the held events, the last of them without waiting for it.
   * @param long very long extras, which are written as the database knows them now
   */
  async write(tx: Tx, long?: LongExtras): Promise<void> {
    let last: Sql | undefined;
    for (const statement of this.statements(tx, long)) {
      if (last !== undefined) await tx.query(last);
      last = statement;
    }
    if (last !== undefined) tx.write(last);
  }

  /** As few statements as the size limit allows: one, unless a great many objects were deleted together. */
  private *statements(tx: Tx, long?: LongExtras): Generator<Sql> {
    const now = this.clock.now();
    for (const rows of slices(this.recorded.get(tx)?.splice(0) ?? [])) {
      const { join, column } = extrasOf(rows, long);
      yield sql`
        with written as (
          insert into outbox_event (name, object_id, organization_id, project_id, sender, before, after, extras, occurred_at,
            traceparent, context)
          select name, event.object_id, organization_id, project_id, nullif(sender, '')::json, nullif(before, '')::json,
            after::json, ${column}, ${now}, ${currentTrace()}::text, nullif(context, '')::json
          from unnest(${rows.map(({ event }) => event.name)}::text[], ${rows.map(({ event }) => String(event.objectId))}::text[],
              ${rows.map(({ event }) => event.organizationId)}::int[], ${rows.map(({ event }) => event.projectId)}::int[],
              ${jsonLines(rows.map(({ sender }) => sender))}, ${jsonLines(rows.map(({ before }) => before))},
              ${jsonLines(rows.map(({ after }) => after))}, ${jsonLines(rows.map(({ context }) => context))})
            with ordinality as event(name, object_id, organization_id, project_id, sender, before, after, context, index)
          ${join}
          order by event.index
          returning id
        )
        insert into outbox_pending (event_id) select id from written`;
    }
  }
}

/** An event with its JSON; an empty text means none. */
interface Row {
  readonly event: EventRecord;
  readonly sender: string;
  readonly before: string;
  readonly after: string;
  readonly context: string;
}

/** Splits the rows of events into lists of bounded JSON length, lazily. */
export function* slices(events: readonly EventRecord[], length = SLICE): Generator<Row[]> {
  let rows: Row[] = [];
  let size = 0;
  for (const event of events) {
    const row = {
      event,
      sender: event.sender === null ? '' : JSON.stringify(event.sender),
      before: event.before === undefined ? '' : JSON.stringify(event.before),
      after: JSON.stringify(event.after),
      context: event.context == null ? '' : JSON.stringify(event.context),
    };
    const added = row.sender.length + row.before.length + row.after.length;
    if (rows.length > 0 && size + added > length) {
      yield rows;
      rows = [];
      size = 0;
    }
    rows.push(row);
    size += added;
  }
  if (rows.length > 0) yield rows;
}

/** The part of the statement that adds the very long extras. */
function extrasOf(rows: readonly Row[], long: LongExtras | undefined): { join: Sql; column: Sql } {
  const events = rows.map(({ event }) => event).filter(({ name }) => resourceOf(name) === long?.resource);
  if (long === undefined || events.length === 0) return { join: raw(''), column: raw('null::json') };
  return {
    join: sql`left join (${long.select(events.map(({ after }) => after.object))}) long
      on long.object_id = event.object_id and event.name = any(${[...new Set(events.map(({ name }) => name))]}::text[])`,
    column: raw('long.extras'),
  };
}
