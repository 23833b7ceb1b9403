import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { type Sql, raw, sql } from '../../engines/sql/sql.js';
import { type LabelMapping, OnLabelRemapping } from '../tasks/index.js';
import { AnnotatedTaskRepository } from './annotated-task.repository.js';
import { KINDS, REMOVED, TABLES } from './annotation-tables.js';

/** Annotations of a task that moves to the labels of a project go over to them, and their history with them. */
@Injectable()
export class AnnotationRemapping {
  constructor(@Inject(AnnotatedTaskRepository) private readonly tasks: AnnotatedTaskRepository) {}

  @OnLabelRemapping()
  async remap(tx: Tx, taskId: number, { labels, attributes }: LabelMapping): Promise<void> {
    const jobIds = await this.tasks.jobIds(tx, [taskId]);
    await this.tasks.lock(tx, jobIds);
    const jobs = sql`job_id = any(${jobIds}::int[])`;
    for (const kind of KINDS) {
      for (const table of [raw(TABLES[kind]), raw(REMOVED[kind])]) {
        await tx.query(sql`
          update ${table} set attributes = ${mappedAttributes(attributes)} where ${jobs} and attributes <> '[]'`);
        if (kind === 'trackedShape') continue; // has the label of its track
        await tx.query(sql`
          update ${table} set label_id = mapping.new_id from ${pairs(labels)} where ${jobs} and label_id = mapping.old_id`);
      }
    }
  }
}

const pairs = (ids: ReadonlyMap<number, number>): Sql =>
  sql`unnest(${[...ids.keys()]}::int[], ${[...ids.values()]}::int[]) as mapping(old_id, new_id)`;

const mappedAttributes = (ids: ReadonlyMap<number, number>): Sql => sql`(
  select json_agg(json_build_object('spec_id', coalesce(mapping.new_id, (value->>'spec_id')::int), 'value', value->'value')
    order by place)::text
  from json_array_elements(attributes::json) with ordinality as entry(value, place)
  left join ${pairs(ids)} on mapping.old_id = (value->>'spec_id')::int)`;
