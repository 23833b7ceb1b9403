import type { ClientBase } from 'pg';
import { InvalidRecords, type Problem } from './cvat-import-error.js';
import type { DumpRecord } from './dump-record.js';
import type { Stage } from './stage.js';

const TABLE = 'cvat_skipped';
const BATCH = 1000;
/** Problems that an error names; others are only counted. */
const NAMED = 20;

/** A row of a stage that cannot be imported. */
export interface StagedProblem extends Problem {
  readonly stage: Stage;
}

interface Row {
  readonly model: string;
  readonly pk: string;
  readonly field: string | null;
  readonly reason: string;
  /** Whether the import stops because of it, unless invalid records are skipped. */
  readonly is_problem: boolean;
  /** Whether it was counted as imported before. */
  readonly was_staged: boolean;
}

/** What is left out of one model after it was staged. */
export interface SkippedCount {
  readonly model: string;
  readonly count: number;
  readonly is_problem: boolean;
}

/** The records of the dump that are not imported, in a temporary table of the import's connection. */
export class SkippedRecords {
  private readonly batch: Row[] = [];

  constructor(private readonly client: ClientBase) {}

  async create(): Promise<void> {
    await this.client.query(`
      create temporary table ${TABLE} (
        position bigint generated always as identity, model text, pk text, field text, reason text,
        is_problem boolean, is_root boolean default true, was_staged boolean, primary key (model, pk))`);
  }

  /** A record that cannot be read. */
  add({ model, pk, field, sentence }: Problem): Promise<void> {
    return this.append({ model, pk, field, reason: sentence, is_problem: true, was_staged: false });
  }

  /** A record that is left out for a reason that is not its fault. */
  omit({ model, pk }: DumpRecord, reason: string): Promise<void> {
    return this.append({ model, pk: String(pk), field: null, reason, is_problem: false, was_staged: false });
  }

  async addStaged({ model, pk, field, sentence }: Problem): Promise<void> {
    await this.append({ model, pk, field, reason: sentence, is_problem: true, was_staged: true });
  }

  /**
   * Removes all rows that refer to a row that is not there, until none is left. Such a row is a problem unless what it
   * refers to was omitted.
   */
  async removeDangling(stages: readonly Stage[], tableOf: (name: string) => string): Promise<void> {
    await this.flush();
    const byName = new Map(stages.map((stage) => [stage.name, stage]));
    let removed: number;
    do {
      removed = 0;
      for (const stage of stages) {
        for (const [column, targetName] of Object.entries(stage.references ?? {})) {
          const target = byName.get(targetName);
          if (target === undefined) throw new Error(`There is no stage ${targetName}`);
          const tables = { from: tableOf(stage.name), to: tableOf(targetName) };
          removed += await this.removeReference(stage, column, target, tables);
        }
      }
    } while (removed > 0);
  }

  private async removeReference(
    stage: Stage,
    column: string,
    target: Stage,
    tables: { readonly from: string; readonly to: string },
  ): Promise<number> {
    const field = stage.fields?.[column] ?? column.replace(/_id$/, '');
    const { rowCount } = await this.client.query(
      `with dangling as (
         delete from ${tables.from} as row
         where ${column} is not null
           and not exists (select from ${tables.to} as target where target.${target.key ?? 'id'} = row.${column})
         returning ${stage.key ?? 'id'}::text as key, ${column}::text as missing
       ), noted as (
         insert into ${TABLE} (model, pk, field, reason, is_problem, is_root, was_staged)
         select $1::text, split_part(key, ' of ', 1), $2::text,
           format('%s %s refers to %s %s (%s), which %s.', $1, key, $3::text, missing, $2,
             case when cause.pk is null then 'the dump does not have' else 'is not imported' end),
           coalesce(cause.is_problem, true), cause.pk is null, $4::boolean
         from dangling left join ${TABLE} as cause on cause.model = $3 and cause.pk = missing
         order by key
         on conflict do nothing
       )
       select from dangling`,
      [stage.model, field, target.model, stage.areParts !== true],
    );
    return rowCount ?? 0;
  }

  async problemCount(): Promise<number> {
    await this.flush();
    const { rows } = await this.client.query<{ count: number }>(
      `select count(*)::int as count from ${TABLE} where is_problem`,
    );
    return rows[0]?.count ?? 0;
  }

  /** @throws InvalidRecords if there are problems */
  async refuse(): Promise<void> {
    await this.flush();
    const { rows } = await this.client.query<{ reason: string; count: number }>(
      `select reason, count(*) over ()::int as count from ${TABLE} where is_problem and is_root
       order by position limit ${NAMED}`,
    );
    const [first] = rows;
    if (first !== undefined)
      throw new InvalidRecords(
        rows.map(({ reason }) => reason),
        first.count,
      );
  }

  /** What was staged and then removed, by model. */
  async counts(): Promise<SkippedCount[]> {
    await this.flush();
    const { rows } = await this.client.query<SkippedCount>(
      `select model, count(*)::int as count, is_problem from ${TABLE} where was_staged group by model, is_problem order by 1`,
    );
    return rows;
  }

  /** Which of these records are skipped because of a problem: field and reason by model and key. */
  async of(records: readonly DumpRecord[]): Promise<ReadonlyMap<string, Pick<Row, 'field' | 'reason'>>> {
    const { rows } = await this.client.query<Row>(
      `select model, pk, field, reason from ${TABLE} where is_problem and (model, pk) in (
         select * from unnest($1::text[], $2::text[]))`,
      [records.map(({ model }) => model), records.map(({ pk }) => String(pk))],
    );
    return new Map(rows.map(({ model, pk, field, reason }) => [`${model} ${pk}`, { field, reason }]));
  }

  private async append(row: Row): Promise<void> {
    this.batch.push(row);
    if (this.batch.length >= BATCH) await this.flush();
  }

  private async flush(): Promise<void> {
    if (this.batch.length === 0) return;
    await this.client.query(
      `insert into ${TABLE} (model, pk, field, reason, is_problem, was_staged)
       select model, pk, field, reason, is_problem, was_staged
       from json_populate_recordset(null::${TABLE}, $1::json) on conflict do nothing`,
      [JSON.stringify(this.batch.splice(0))],
    );
  }
}
