import { Injectable } from '@nestjs/common';
import { sql } from '../../engines/sql/sql.js';
import type { Tx } from '../database/tx.js';
import { ListenerTransactions } from './listener-transactions.js';
import type { OrderedEvent } from './outbox.reader.js';

/** Maximum number of events that get positions at once. */
export const MOST_AT_ONCE = 2000;
/** Advisory lock: one process at a time gives positions. Earlier versions handled events under it. */
const RELAY_LOCK = 0x52_45_4c_41;
/** The database disconnects a process that hangs in the transaction after this time, so that another one can take over. */
const IDLE_TIMEOUT = '30s';

/** Events that have got positions. */
export interface Sequenced {
  readonly events: readonly OrderedEvent[];
  /** The newest position before them. */
  readonly after: number;
}

interface Moved extends OrderedEvent {
  readonly after: number;
}

/**
 * Gives committed events, oldest first, positions in the order in which listeners handle them. Ids do not do: a
 * transaction with lower ids may commit after one with higher ids. Positions are committed in ascending order, because
 * only one process at a time gives them.
 */
@Injectable()
export class OutboxSequencer {
  constructor(private readonly transactions: ListenerTransactions) {}

  /** Takes one round trip. */
  async sequence(): Promise<Sequenced> {
    let moving: Promise<Moved[]> = Promise.resolve([]);
    const change = (tx: Tx): Promise<void> => {
      moving = this.lockAndMove(tx); // the commit does not wait for it
      return Promise.resolve();
    };
    try {
      await this.transactions.run(change);
    } catch (error) {
      await moving; // its error says more
      throw error;
    }
    const events = await moving;
    return { events, after: events[0]?.after ?? 0 };
  }

  /**
   * Two statements, so that the second one sees what the process that held the lock before has committed. A commit that
   * is lost in a crash of the database leaves the events as they were, and what depends on it is lost, too.
   */
  private lockAndMove(tx: Tx): Promise<Moved[]> {
    tx.write(sql`
      select pg_advisory_xact_lock(${RELAY_LOCK}::bigint), set_config('cairn.gives_positions', 'on', true),
        set_config('idle_in_transaction_session_timeout', ${IDLE_TIMEOUT}, true), set_config('synchronous_commit', 'off', true)`);
    // Uses arrays: with a join, the database scans all events whenever it estimates the batch to be a large part of
    // them.
    return tx.query(sql`
      with taken as (
        delete from outbox_pending where event_id = any(array(
          select event_id from outbox_pending order by event_id limit ${MOST_AT_ONCE} for update skip locked))
        returning event_id
      )
      insert into outbox_order (event_id, name)
      select id, name from outbox_event where id = any(array(select event_id from taken)) order by id
      returning position, event_id, name, (select coalesce(max(position), 0) from outbox_order) as after`);
  }
}
