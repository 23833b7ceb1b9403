import { type Sql, sql } from '../../engines/sql/sql.js';

/** Events that a listener is going to handle, without those in quarantine, as a column `event_id`. */
export const pendingFor = (listener: string): Sql => sql`
  select event_id from outbox_pending
  union all
  select event_id from outbox_order
  where position > coalesce((select position from outbox_listener where name = ${listener}), 0)`;

/** Events that a listener has not handled yet, as a column `event_id`. */
export const unhandledBy = (listener: string): Sql => sql`
  ${pendingFor(listener)} union all select event_id from outbox_quarantine where listener = ${listener}`;
