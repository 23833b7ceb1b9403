import { Injectable } from '@nestjs/common';
import { safeDrawing } from '../../engines/annotations/skeleton-drawing.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { columns, from, leftJoin, table } from '../../engines/sql/tables.js';
import type { Queryable } from '../../core/database/db.js';
import { reserveIds, type Tx } from '../../core/database/tx.js';
import { choice, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { drawingByIds, LABEL_TYPES, type LabelRow } from './label.dto.js';
import type { PlannedAttribute, PlannedLabel } from './label-plan.js';

/** The project or task that a label belongs to. */
export interface LabelOwner {
  readonly kind: 'project' | 'task';
  readonly id: number;
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

const LABEL = columns('label', ['project_id', 'task_id', 'parent_id']);
const TASK = columns('task', ['project_id', 'organization_id']);
const PROJECT = columns('project', ['organization_id']);

export const ownedBy = (owner: LabelOwner): Sql =>
  sql`${owner.kind === 'project' ? LABEL.project_id : LABEL.task_id} = ${owner.id}`;

/** Excludes the parts of skeletons. */
export const IS_TOP_LEVEL = sql`${LABEL.parent_id} is null`;

/** What lists of labels can be filtered, sorted and searched by. */
export const labelList: ListSpec = {
  from: from({
    table: table('label'),
    joins: [
      leftJoin(table('label', 'parent'), 'label.parent_id'),
      leftJoin(table('task'), 'label.task_id'),
      leftJoin(table('project'), sql`coalesce(${LABEL.project_id}, ${TASK.project_id})`),
    ],
  }),
  fields: {
    id: integer('label.id'),
    name: text('label.name'),
    parent: text('parent.name'),
    type: choice('label.type', LABEL_TYPES),
    color: text('label.color'),
    parent_id: integer('label.parent_id'),
  },
  search: ['name', 'parent'],
  simple: ['name', 'parent', 'type', 'color', 'parent_id'],
  defaultSort: 'id',
  organization: sql`coalesce(${PROJECT.organization_id}, ${TASK.organization_id})`,
};

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

  /** Top-level labels that tasks or jobs use: those of their project or, without a project, those of their task. */
  usedIn(db: Queryable, kind: 'task' | 'job', ids: readonly number[]): Promise<LabelRow[]> {
    const named = sql`array(select unnest(${[...ids]}::int[]))`;
    const tasks = kind === 'task' ? named : sql`array(select task_id from job where id = any(${named}))`;
    return db.query<LabelRow>(sql`
      select ${LABEL_COLUMNS} from label
      where label.parent_id is null and (label.task_id = any(${tasks})
        or label.project_id = any(array(select project_id from task where id = any(${tasks}))))
      order by label.id`);
  }

  /** Filters the ids for labels and sublabels of the owner. */
  async idsOf(db: Queryable, owner: LabelOwner, ids: readonly number[]): Promise<number[]> {
    const rows = await db.query<{ id: number }>(
      sql`select label.id from label where label.id = any(${[...ids]}::int[]) and ${ownedBy(owner)}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Inserts labels with their attributes. Parents come before their sublabels. Returns their ids. */
  async insert(tx: Tx, owner: LabelOwner, labels: readonly PlannedLabel[]): Promise<ReadonlyMap<PlannedLabel, number>> {
    if (labels.length === 0) return new Map();
    const reserved = await reserveIds(tx, 'label', labels.length);
    const ids = new Map(labels.map((label, index) => [label, reserved[index] ?? 0]));
    const sublabels = sublabelsByParent(ids);
    const column = raw(owner.kind === 'project' ? 'project_id' : 'task_id');
    await tx.query(sql`
      insert into label (id, ${column}, parent_id, name, color, type, svg)
      select id, ${owner.id}::int, parent_id, name, color, type, svg
      from json_to_recordset(${JSON.stringify(labels.map((label) => rowOf(label, ids, sublabels)))}::json)
        as added(id int, parent_id int, name text, color text, type text, svg text)`);
    await this.insertAttributes(tx, labels, ids);
    return ids;
  }

  /** Writes changed labels, their new attributes, and changed attributes. */
  async update(tx: Tx, labels: readonly PlannedLabel[], attributes: readonly PlannedAttribute[]): Promise<void> {
    if (labels.length === 0) return;
    const rows = labels.map(({ id, name, color, type }) => ({ id, name, color, type }));
    if (labels.length > 1) await this.freeNames(tx, raw('label'), labels);
    await tx.query(sql`
      update label set name = change.name, color = change.color, type = change.type
      from json_to_recordset(${JSON.stringify(rows)}::json) as change(id int, name text, color text, type text)
      where label.id = change.id`);
    await this.updateAttributes(tx, attributes);
    await this.insertAttributes(tx, labels, new Map(labels.map((label) => [label, label.id ?? 0])));
  }

  async delete(tx: Tx, ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await tx.query(sql`delete from label where id = any(${[...ids]}::int[])`);
  }

  private async insertAttributes(
    tx: Tx,
    labels: readonly PlannedLabel[],
    ids: ReadonlyMap<PlannedLabel, number>,
  ): Promise<void> {
    const added = labels.flatMap((label) =>
      label.attributes
        .filter(({ id }) => id === undefined)
        .map((attribute) => ({ ...attribute, label_id: ids.get(label) })),
    );
    if (added.length === 0) return;
    const rows = added.map((attribute, index) => ({ ...attribute, index }));
    await tx.query(sql`
      insert into attribute_spec (label_id, name, mutable, input_type, default_value, values)
      select label_id, name, mutable, input_type, default_value, values
      from json_to_recordset(${JSON.stringify(rows)}::json) as added(index int, label_id int, name text, mutable boolean,
        input_type text, default_value text, values text[])
      order by index`);
  }

  /** A label may take the name that another one gives up, so names that change become placeholders first. */
  private async freeNames(
    tx: Tx,
    table: Sql,
    rows: readonly Pick<PlannedLabel | PlannedAttribute, 'id' | 'name'>[],
  ): Promise<void> {
    const names = rows.map(({ id, name }) => ({ id, name }));
    await tx.query(sql`
      update ${table} as present set name = repeat(' ', 65) || present.id
      from json_to_recordset(${JSON.stringify(names)}::json) as change(id int, name text)
      where present.id = change.id and present.name <> change.name`);
  }

  private async updateAttributes(tx: Tx, attributes: readonly PlannedAttribute[]): Promise<void> {
    if (attributes.length === 0) return;
    if (attributes.length > 1) await this.freeNames(tx, raw('attribute_spec'), attributes);
    await tx.query(sql`
      update attribute_spec set name = change.name, mutable = change.mutable, input_type = change.input_type,
        default_value = change.default_value, values = change.values
      from json_to_recordset(${JSON.stringify(attributes)}::json) as change(id int, name text, mutable boolean,
        input_type text, default_value text, values text[])
      where attribute_spec.id = change.id`);
  }
}

/** @param sublabels ids by name, by label */
function rowOf(
  label: PlannedLabel,
  ids: ReadonlyMap<PlannedLabel, number>,
  sublabels: ReadonlyMap<PlannedLabel, ReadonlyMap<string, number>>,
): object {
  const { parent, name, color, type, svg } = label;
  return {
    id: ids.get(label),
    parent_id: parent === null ? null : ids.get(parent),
    name,
    color,
    type,
    svg: svg === undefined ? null : safeDrawing(drawingByIds(svg, sublabels.get(label) ?? new Map())),
  };
}

/** Ids of sublabels by name, by the skeleton that they belong to. */
function sublabelsByParent(ids: ReadonlyMap<PlannedLabel, number>): Map<PlannedLabel, Map<string, number>> {
  const sublabels = new Map<PlannedLabel, Map<string, number>>();
  for (const [{ parent, name }, id] of ids) {
    if (parent === null) continue;
    const known = sublabels.get(parent) ?? new Map<string, number>();
    sublabels.set(parent, known.set(name, id));
  }
  return sublabels;
}
