import { EventEmitter } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import type { Tx } from '../database/tx.js';
import { currentTrace } from '../http/trace.js';
import type { EventRecord } from './event-map.js';

/** Characters of JSON in one statement; a single event may be longer. */
const SLICE = 4 * 2 ** 20;

/** Writes the events of a transaction, mostly in its last statements, and wakes the relay of this process after the commit. */
@Injectable()
export class OutboxWriter {
  private readonly signal = new EventEmitter();

  constructor(@Inject(Clock) private readonly clock: Clock) {}

  /** What was recorded since the last time. As few statements as their bounded size allows: one, unless a great many things were deleted together. */
  async write(tx: Tx): Promise<void> {
    const now = this.clock.now();
    for (const rows of slices(tx.takeEvents())) {
      await tx.query(sql`
        with written as (
          insert into outbox_event (name, object_id, organization_id, project_id, sender, before, after, occurred_at,
            traceparent)
          select name, object_id, organization_id, project_id, sender, before, after, ${now}, ${currentTrace()}::text
          from json_to_recordset(${rows}::json)
            as event(name text, object_id text, organization_id int, project_id int, sender json, before json, after json)
          returning id
        )
        insert into outbox_pending (event_id) select id from written`);
    }
  }

  /** Tells this process's relay that there is something to do. Other processes find it by polling. */
  announce(): void {
    this.signal.emit('committed');
  }

  onCommit(listener: () => void): () => void {
    this.signal.on('committed', listener);
    return () => this.signal.off('committed', listener);
  }
}

/** The rows of events as JSON lists of bounded length, made one at a time. */
export function* slices(events: readonly EventRecord[], length = SLICE): Generator<string> {
  let rows: string[] = [];
  let size = 0;
  for (const event of events) {
    const row = JSON.stringify({
      name: event.name,
      object_id: String(event.objectId),
      organization_id: event.organizationId,
      project_id: event.projectId,
      sender: event.sender,
      before: event.before ?? null,
      after: event.after,
    });
    if (rows.length > 0 && size + row.length > length) {
      yield `[${rows.join()}]`;
      rows = [];
      size = 0;
    }
    rows.push(row);
    size += row.length;
  }
  if (rows.length > 0) yield `[${rows.join()}]`;
}
