import { Injectable } from '@nestjs/common';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import type { AttributeChangeDto } from './label.dto.js';
import type { LabelRow } from './label.mapper.js';

/** Who a label belongs to. */
export interface LabelOwner {
  readonly kind: 'project' | 'task';
  readonly id: number;
}

export interface NewLabel {
  readonly name: string;
  readonly color: string;
  readonly type: string;
  readonly parentId: number | null;
}

const attributesOf = (label: Sql): Sql => sql`
  (select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'mutable', a.mutable, 'input_type', a.input_type,
      'default_value', a.default_value, 'values', a.values) order by a.id), '[]')
   from attribute_spec a where a.label_id = ${label})`;

/** Columns of `LabelRow` over the table `label`. */
export const LABEL_COLUMNS = sql`
  label.id, label.name, label.color, label.type, label.project_id, label.task_id, label.parent_id, label.svg,
  ${attributesOf(raw('label.id'))} as attributes,
  (select coalesce(json_agg(json_build_object('id', sub.id, 'name', sub.name, 'color', sub.color, 'type', sub.type,
      'attributes', ${attributesOf(raw('sub.id'))}) order by sub.id), '[]')
   from label sub where sub.parent_id = label.id) as sublabels`;

const ownedBy = (owner: LabelOwner): Sql =>
  owner.kind === 'project' ? sql`label.project_id = ${owner.id}` : sql`label.task_id = ${owner.id}`;

@Injectable()
export class LabelRepository {
  async find(db: Queryable, id: number): Promise<LabelRow | undefined> {
    const [row] = await db.query<LabelRow>(sql`select ${LABEL_COLUMNS} from label where label.id = ${id}`);
    return row;
  }

  /** Top-level labels of one owner, oldest first. */
  ofOwner(db: Queryable, owner: LabelOwner): Promise<LabelRow[]> {
    return db.query<LabelRow>(sql`
      select ${LABEL_COLUMNS} from label where ${ownedBy(owner)} and label.parent_id is null order by label.id`);
  }

  /** Top-level labels of many owners of one kind in one statement. */
  ofOwners(db: Queryable, kind: LabelOwner['kind'], ids: readonly number[]): Promise<LabelRow[]> {
    const column = raw(kind === 'project' ? 'label.project_id' : 'label.task_id');
    return db.query<LabelRow>(sql`
      select ${LABEL_COLUMNS} from label where ${column} = any(${[...ids]}::int[]) and label.parent_id is null order by label.id`);
  }

  /** A label or sublabel of this owner. */
  async ofOwnerById(tx: Tx, owner: LabelOwner, id: number): Promise<LabelRow | undefined> {
    const [row] = await tx.query<LabelRow>(
      sql`select ${LABEL_COLUMNS} from label where label.id = ${id} and ${ownedBy(owner)}`,
    );
    return row;
  }

  async insert(tx: Tx, owner: LabelOwner, label: NewLabel): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`
      insert into label (project_id, task_id, parent_id, name, color, type)
      values (${owner.kind === 'project' ? owner.id : null}, ${owner.kind === 'task' ? owner.id : null}, ${label.parentId},
        ${label.name}, ${label.color}, ${label.type})
      returning id`);
    return row?.id ?? 0;
  }

  async update(
    tx: Tx,
    id: number,
    change: { readonly name: string; readonly color: string; readonly type: string },
  ): Promise<void> {
    await tx.query(
      sql`update label set name = ${change.name}, color = ${change.color}, type = ${change.type} where id = ${id}`,
    );
  }

  async setSvg(tx: Tx, id: number, svg: string): Promise<void> {
    await tx.query(sql`update label set svg = ${svg} where id = ${id}`);
  }

  async delete(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`delete from label where id = ${id}`);
  }

  async insertAttribute(tx: Tx, labelId: number, attribute: AttributeChangeDto): Promise<void> {
    await tx.query(sql`
      insert into attribute_spec (label_id, name, mutable, input_type, default_value, values)
      values (${labelId}, ${attribute.name ?? ''}, ${attribute.mutable ?? false}, ${attribute.input_type ?? 'text'},
        ${attribute.default_value ?? ''}, ${attribute.values ?? []})`);
  }

  async updateAttribute(tx: Tx, id: number, attribute: AttributeChangeDto): Promise<void> {
    await tx.query(sql`
      update attribute_spec set
        name = coalesce(${attribute.name ?? null}, name), mutable = coalesce(${attribute.mutable ?? null}, mutable),
        input_type = coalesce(${attribute.input_type ?? null}, input_type),
        default_value = coalesce(${attribute.default_value ?? null}, default_value),
        values = coalesce(${attribute.values ?? null}, values)
      where id = ${id}`);
  }
}
