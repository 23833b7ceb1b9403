import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { sql } from '../../../engines/sql/sql.js';
import type { Draft, OpenBatch } from './batches.js';
import { textFor } from './payload.js';

/** Deliveries that wait for more to tell. */
@Injectable()
export class BatchRepository {
  /**
   * Batches whose window has not ended, locked: nobody leases or changes them until the transaction ends.
   *
   * @param webhookIds their batches of these keys
   * @param orderedIds all of theirs
   */
  async open(
    tx: Tx,
    webhookIds: readonly number[],
    keys: readonly string[],
    orderedIds: readonly number[],
    now: Date,
  ): Promise<OpenBatch[]> {
    const batches = await tx.query<OpenBatch>(sql`
      select id, webhook_id, batch_key, payload, changed_fields, merged_events from webhook_delivery
      where batch_key is not null and status = 'pending' and attempts = 0 and next_attempt_at > ${now} and not redelivery
        and ((webhook_id = any(${[...webhookIds]}::int[]) and batch_key = any(${[...keys]}::text[]))
          or webhook_id = any(${[...orderedIds]}::int[]))
      order by id for update`);
    if (batches.length === 0) return [];
    // Asked once they are locked: a worker whose clock is ahead may have taken one meanwhile.
    const leased = await tx.query<{ id: number }>(sql`
      select delivery_id as id from webhook_lease
      where delivery_id = any(${batches.map(({ id }) => id)}::bigint[]) and ends_at > ${now}`);
    const sent = new Set(leased.map(({ id }) => id));
    return batches.filter(({ id }) => !sent.has(id));
  }

  /** Writes what has been merged into waiting batches, and sends those that were released. */
  async write(tx: Tx, drafts: readonly Draft[], now: Date): Promise<void> {
    const payloads = drafts.map(({ webhookId, head }) => textFor(webhookId, head));
    await tx.query(sql`
      update webhook_delivery set payload = fresh.payload, changed_fields = fresh.changed_fields,
        merged_events = fresh.merged::bigint[],
        next_attempt_at = case when fresh.released then ${now} else webhook_delivery.next_attempt_at end
      from unnest(${drafts.map((draft) => draft.id)}::bigint[], ${payloads}::text[],
          ${drafts.map((draft) => draft.changedFields)}::text[], ${drafts.map((draft) => `{${draft.merged.join(',')}}`)}::text[],
          ${drafts.map((draft) => draft.released)}::boolean[]) as fresh(id, payload, changed_fields, merged, released)
      where webhook_delivery.id = fresh.id`);
  }
}
