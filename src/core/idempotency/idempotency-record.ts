import type { Request } from 'express';
import { sql } from '../../engines/sql/sql.js';
import type { Queryable } from '../database/db.js';
import { currentRequest } from '../http/request-context.js';

/** Which named request is being handled. */
export interface IdempotencyRecord {
  readonly userId: number;
  readonly key: string;
}

const records = new WeakMap<Request, IdempotencyRecord>();

export function rememberRecord(request: Request, record: IdempotencyRecord): void {
  records.set(request, record);
}

/** Part of every commit of a named request: after it, the same key never does the work again. */
export async function markCommitted(tx: Queryable): Promise<void> {
  const request = currentRequest();
  const record = request === undefined ? undefined : records.get(request);
  if (record === undefined) return;
  await tx.query(
    sql`update idempotency_key set committed = true where user_id = ${record.userId} and key = ${record.key}`,
  );
}
