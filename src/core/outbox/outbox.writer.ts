import { EventEmitter } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import type { Tx } from '../database/tx.js';
import { currentTrace } from '../http/trace.js';

/** Writes the events of a transaction in its last statement, and wakes the relay of this process after the commit. */
@Injectable()
export class OutboxWriter {
  private readonly signal = new EventEmitter();

  constructor(@Inject(Clock) private readonly clock: Clock) {}

  async write(tx: Tx): Promise<void> {
    if (tx.events.length === 0) return;
    const rows = tx.events.map((event) => ({
      name: event.name,
      object_id: String(event.objectId),
      organization_id: event.organizationId,
      project_id: event.projectId,
      sender: event.sender,
      before: event.before ?? null,
      after: event.after,
    }));
    await tx.query(sql`
      insert into outbox_event (name, object_id, organization_id, project_id, sender, before, after, occurred_at,
        traceparent)
      select name, object_id, organization_id, project_id, sender, before, after, ${this.clock.now()}, ${currentTrace()}::text
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as event(name text, object_id text, organization_id int, project_id int, sender json, before json, after json)`);
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
