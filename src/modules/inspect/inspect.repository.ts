import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { sql } from '../../engines/sql/sql.js';
import type { InspectArrivalDto } from './inspect.service.js';

export interface BoxRow {
  readonly id: string;
  readonly owner_id: number;
  readonly secret: string | null;
  readonly created_date: string;
  readonly expiry_date: string;
}

export type Arrival = Omit<InspectArrivalDto, 'id' | 'received_date'>;

@Injectable()
export class InspectRepository {
  /** Also deletes expired boxes. @returns the number of the user's boxes */
  async count(tx: Tx, ownerId: number, now: Date): Promise<number> {
    await tx.query(sql`delete from inspect_box where expiry_date <= ${now}`);
    await tx.query(sql`select 1 from app_user where id = ${ownerId} for no key update`);
    const [row] = await tx.query<{ count: number }>(
      sql`select count(*) as count from inspect_box where owner_id = ${ownerId}`,
    );
    return row?.count ?? 0;
  }

  async insert(
    tx: Tx,
    box: { id: string; ownerId: number; secret: string | null; now: Date; expiry: Date },
  ): Promise<BoxRow> {
    const [row] = await tx.query<BoxRow>(sql`
      insert into inspect_box (id, owner_id, secret, created_date, expiry_date)
      values (${box.id}, ${box.ownerId}, ${box.secret}, ${box.now}, ${box.expiry})
      returning id, owner_id, secret, created_date, expiry_date`);
    if (row === undefined) throw new Error('The box could not be created');
    return row;
  }

  async find(db: Queryable, id: string, now: Date): Promise<BoxRow | undefined> {
    const [row] = await db.query<BoxRow>(sql`
      select id, owner_id, secret, created_date, expiry_date from inspect_box
      where id = ${id} and expiry_date > ${now}`);
    return row;
  }

  listOf(db: Queryable, ownerId: number, now: Date): Promise<BoxRow[]> {
    return db.query<BoxRow>(sql`
      select id, owner_id, secret, created_date, expiry_date from inspect_box
      where owner_id = ${ownerId} and expiry_date > ${now} order by created_date desc, id`);
  }

  async remove(tx: Tx, id: string): Promise<void> {
    await tx.query(sql`delete from inspect_box where id = ${id}`);
  }

  /** Deletes the oldest beyond `kept`. */
  async add(tx: Tx, boxId: string, arrival: Arrival, now: Date, kept: number): Promise<void> {
    await tx.query(sql`select 1 from inspect_box where id = ${boxId} for no key update`);
    await tx.query(sql`
      insert into inspect_arrival (box_id, received_date, headers, body, size, signatures)
      values (${boxId}, ${now}, ${JSON.stringify(arrival.headers)}::json, ${arrival.body}, ${arrival.size},
        ${arrival.signatures === null ? null : JSON.stringify(arrival.signatures)}::json)`);
    await tx.query(sql`
      delete from inspect_arrival where box_id = ${boxId} and id <= (
        select id from inspect_arrival where box_id = ${boxId} order by id desc offset ${kept} limit 1)`);
  }

  /** Requests after an id, oldest first. */
  arrivals(db: Queryable, boxId: string, after = 0): Promise<InspectArrivalDto[]> {
    return db.query<InspectArrivalDto>(sql`
      select id, received_date, headers, body, size, signatures from inspect_arrival
      where box_id = ${boxId} and id > ${after} order by id`);
  }
}
