import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { sql } from '../../../engines/sql/sql.js';

/** A sign that a function has an agent. */
export interface AgentSign {
  readonly functionId: number;
  /** The id of an agent that asks for work, or of a stream. */
  readonly key: string;
}

/** After this time without a sign, an agent counts as gone. */
export const SEEN_MS = 120_000;
/** Signs are stored again only after this time, because agents ask for work often. */
const AGAIN_MS = 30_000;

/** Which functions have agents. */
@Injectable()
export class AgentRepository {
  /** Stores signs, unless they are known to be recent. */
  async seen(db: Queryable, signs: readonly AgentSign[], now: Date): Promise<void> {
    const sorted = signs.toSorted((a, b) => a.functionId - b.functionId || (a.key < b.key ? -1 : 1));
    await db.query(sql`
      insert into function_agent (function_id, key, expiry_date)
      select function_id, key, ${new Date(now.getTime() + SEEN_MS)}
      from unnest(${sorted.map(({ functionId }) => functionId)}::int[], ${sorted.map(({ key }) => key)}::text[])
        as seen(function_id, key)
      on conflict (function_id, key) do update set expiry_date = excluded.expiry_date
      where function_agent.expiry_date < ${new Date(now.getTime() + SEEN_MS - AGAIN_MS)}`);
  }

  async gone(db: Queryable, { functionId, key }: AgentSign): Promise<void> {
    await db.query(sql`delete from function_agent where function_id = ${functionId} and key = ${key}`);
  }

  async deleteExpired(db: Queryable, now: Date): Promise<void> {
    await db.query(sql`
      delete from function_agent where (function_id, key) in (
        select function_id, key from function_agent where expiry_date <= ${now} for update skip locked)`);
  }
}
