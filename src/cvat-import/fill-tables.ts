import type { ClientBase } from 'pg';
import { CvatImportError, isRefusedRow, type Problem } from './cvat-import-error.js';
import type { StagedProblem } from './skipped-records.js';
import { type Stage, stageTable } from './stage.js';
import { STAGES } from './stages.js';

/** Rows of one stage that break rules. More of them are a fault of this program or of the dump as a whole. */
const MAX_PROBLEMS = 1000;

/** Rows that are inserted by one statement. */
const PART = 100_000;

/**
 * Removes the first administrator and inserts the staged rows. Requires a transaction and an empty database.
 * @param onRows called with the number of rows that were inserted
 * @returns the rows of the first stage with rows that break a rule of the database; the transaction must then be rolled back
 */
export async function fillTables(client: ClientBase, onRows: (count: number) => void): Promise<StagedProblem[]> {
  await client.query('delete from app_user');
  for (const stage of STAGES) {
    if (stage.table === undefined) continue;
    if (stage.owners !== undefined) await makeWay(client, stage.table, stageTable(stage.name), stage.owners);
    const filling = new Filling(client, stage, await insertion(client, stage, stage.table));
    const problems = await filling.run(onRows);
    if (problems.length > 0) return problems;
  }
  return [];
}

/** Inserts the rows of one stage, and finds those that the database does not accept. */
class Filling {
  private readonly problems: StagedProblem[] = [];
  private readonly table: string;
  private readonly key: string;

  constructor(
    private readonly client: ClientBase,
    private readonly stage: Stage,
    /** Without a condition. */
    private readonly insert: string,
  ) {
    this.table = stageTable(stage.name);
    this.key = stage.key ?? 'id';
  }

  async run(onRows: (count: number) => void): Promise<StagedProblem[]> {
    const error = await this.insertAll(onRows);
    if (error === undefined) return [];
    // Rows that others of the same table refer to come first.
    const own = Object.entries(this.stage.references ?? {}).filter(([, target]) => target === this.stage.name);
    const order = [...own.map(([column]) => `${column} is not null`), this.key].join(', ');
    await this.client.query(`
      create temporary table cvat_order on commit drop as
      select row_number() over (order by ${order})::int as position, ${this.key} as key from ${this.table};
      create unique index on cvat_order (position)`);
    const { rows } = await this.client.query<{ count: number }>('select count(*)::int as count from cvat_order');
    await this.search(1, rows[0]?.count ?? 0, error);
    return this.problems;
  }

  /** In parts, to report progress. @returns the error if the database does not accept a row; then none is inserted */
  private async insertAll(onRows: (count: number) => void): Promise<unknown> {
    const { rows } = await this.client.query<{ key: string }>(`
      select key::text as key from (
        select ${this.key} as key, row_number() over (order by ${this.key}) as position from ${this.table}
      ) as numbered where position % ${PART} = 0 order by position`);
    const ends = rows.map(({ key }) => key);
    await this.client.query('savepoint parts');
    for (const index of [...ends.keys(), ends.length]) {
      const [after, until] = [ends[index - 1], ends[index]];
      const values = [after, until].filter((key) => key !== undefined);
      const conditions = [
        ...(after === undefined ? [] : [`row.${this.key} > $1`]),
        ...(until === undefined ? [] : [`row.${this.key} <= $${values.length}`]),
      ];
      const error = await this.attempt({ conditions, values }, onRows);
      if (error === undefined) continue;
      await this.client.query('rollback to savepoint parts');
      return error;
    }
    return undefined;
  }

  /** Inserts the good rows of a range, so that duplicates of them are found, and notes the others. */
  private async search(first: number, last: number, error: unknown): Promise<void> {
    if (first === last) return this.note(first, error);
    const middle = Math.floor((first + last) / 2);
    for (const [from, to] of [
      [first, middle],
      [middle + 1, last],
    ] as const) {
      const range = `row.${this.key} in (select key from cvat_order where position between $1 and $2)`;
      const failure = await this.attempt({ conditions: [range], values: [from, to] });
      if (failure !== undefined) await this.search(from, to, failure);
    }
  }

  private async note(position: number, error: unknown): Promise<void> {
    const { rows } = await this.client.query<{ key: string }>(
      'select key::text as key from cvat_order where position = $1',
      [position],
    );
    this.problems.push(await ruleProblem(this.client, this.stage, rows[0]?.key ?? '', error));
    if (this.problems.length > MAX_PROBLEMS)
      throw new CvatImportError(
        `More than ${MAX_PROBLEMS} records of ${this.stage.model} cannot be stored, such as this one: ${this.problems[0]?.sentence}`,
      );
  }

  /** @returns the error if the database does not accept one of the rows */
  private async attempt(
    { conditions, values }: { readonly conditions: readonly string[]; readonly values: readonly unknown[] },
    onRows?: (count: number) => void,
  ): Promise<unknown> {
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
    await this.client.query('savepoint rows');
    try {
      const { rowCount } = await this.client.query(`${this.insert} ${where} order by row.${this.key}`, [...values]);
      await this.client.query('release savepoint rows');
      onRows?.(rowCount ?? 0);
      return undefined;
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      await this.client.query('rollback to savepoint rows');
      return error;
    }
  }
}

async function insertion(client: ClientBase, stage: Stage, table: string): Promise<string> {
  const own = new Set((stage.own ?? []).map((column) => column.split(' ', 1)[0]));
  const columns = (await columnsOf(client, stageTable(stage.name))).filter((column) => !own.has(column));
  const computed = Object.entries(stage.computed ?? {});
  const names = [...columns, ...computed.map(([column]) => column)];
  const values = [...columns.map((column) => `row.${column}`), ...computed.map(([, value]) => value)];
  return `insert into public.${table} (${names.join(', ')}) select ${values.join(', ')} from ${stageTable(stage.name)} as row`;
}

/** Deletes the default rows of owners that have an imported one, and moves the others to ids that no imported row has. */
async function makeWay(client: ClientBase, table: string, stage: string, owners: readonly string[]): Promise<void> {
  const same = owners.map((owner) => `made.${owner} = row.${owner}`).join(' or ');
  await client.query(`delete from public.${table} made using ${stage} row where ${same}`);
  await client.query(`
    update public.${table} set id = id + greatest((select max(id) from ${stage}), (select max(id) from public.${table}))
    where exists (select from ${stage})`);
}

async function columnsOf(client: ClientBase, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows.map((row) => row.name);
}

/** The parts of PostgreSQL's error that tell which column is wrong. */
interface RuleError {
  readonly message: string;
  readonly detail?: string;
  readonly column?: string;
  readonly constraint?: string;
}

async function ruleProblem(client: ClientBase, stage: Stage, key: string, error: unknown): Promise<StagedProblem> {
  const rule = error as RuleError;
  const columns = await columnsOfRule(client, stage, rule);
  const field = columns.map((column) => stage.fields?.[column] ?? column.replace(/_id$/, '')).join(', ') || null;
  // The detail of others lists the values of the row, which may be secret.
  const isAboutKey = rule.detail?.startsWith('Key ') === true;
  const reason = (isAboutKey ? rule.detail : rule.message)?.replace(/\.$/, '');
  const problem: Problem = {
    model: stage.model,
    pk: key,
    field,
    sentence: `${stage.model} ${key} breaks a rule of the database${field === null ? '' : ` (${field})`}: ${reason}.`,
  };
  return { ...problem, stage };
}

async function columnsOfRule(client: ClientBase, stage: Stage, rule: RuleError): Promise<string[]> {
  if (rule.column !== undefined) return [rule.column];
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_constraint
     join pg_attribute on attrelid = conrelid and attnum = any(conkey)
     where conname = $1 and conrelid = $2::regclass order by attnum`,
    [rule.constraint ?? '', `public.${stage.table}`],
  );
  if (rows.length > 0) return rows.map((row) => row.name);
  const [, keys = ''] = /^Key \((.*)\)=/.exec(rule.detail ?? '') ?? []; // of a unique index, perhaps over an expression
  return keys.split(', ').flatMap((name) => /(?:lower\()?"?(\w+)"?/.exec(name)?.[1] ?? []);
}
