import type { ClientBase } from 'pg';
import { isRefusedRow, type Problem } from './cvat-import-error.js';
import type { Row } from './mapping.js';
import type { SkippedRecords, StagedProblem } from './skipped-records.js';
import { type Stage, stageTable } from './stage.js';
import { STAGES } from './stages.js';

/** A batch is sent as one parameter; both limits keep it, and the memory use, small. */
const BATCH_ROWS = 2000;
const BATCH_CHARACTERS = 4_000_000;

interface Batch {
  /** The same for all rows of a stage. */
  readonly columns: string;
  rows: string[];
  characters: number;
}

const UNIQUE_VIOLATION = '23505';

/** The temporary tables of one import, on one connection. They end with the connection. */
export class Staging {
  private readonly stages = new Map(STAGES.map((stage) => [stage.name, stage]));
  private readonly batches = new Map<string, Batch>();
  private sending: Promise<void> = Promise.resolve();

  /** @param skipped receives the rows that cannot be stored */
  constructor(
    private readonly client: ClientBase,
    private readonly skipped: SkippedRecords,
  ) {}

  async create(): Promise<void> {
    for (const stage of STAGES) await this.client.query(createStatement(stage));
  }

  async add(stageName: string, rows: readonly Row[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first).join(', ');
    const batch = this.batches.get(stageName) ?? { columns, rows: [], characters: 0 };
    this.batches.set(stageName, batch);
    for (const row of rows) {
      const text = JSON.stringify(row);
      batch.rows.push(text);
      batch.characters += text.length;
    }
    if (batch.rows.length >= BATCH_ROWS || batch.characters >= BATCH_CHARACTERS) await this.send(stageName, batch);
  }

  /** Finishes staging: all rows are in the tables, which are ready for joins. */
  async complete(): Promise<void> {
    for (const [stageName, batch] of this.batches) await this.send(stageName, batch);
    await this.sending;
    for (const stage of STAGES) {
      const table = stageTable(stage.name);
      for (const column of Object.keys(stage.references ?? {})) {
        await this.client.query(`create index on ${table} (${column})`);
      }
      await this.client.query(`analyze ${table}`);
    }
  }

  /** Removes rows that refer to others that are not there. Call it after `complete`. */
  removeDangling(): Promise<void> {
    return this.skipped.removeDangling(STAGES, stageTable);
  }

  /** The number of rows for the database's tables. */
  async rowCount(): Promise<number> {
    const counts = STAGES.filter(({ table }) => table !== undefined).map(
      ({ name }) => `(select count(*) from ${stageTable(name)})`,
    );
    const { rows } = await this.client.query<{ count: string }>(`select ${counts.join(' + ')} as count`);
    return Number(rows[0]?.count ?? 0);
  }

  /** Removes a row that the database does not accept. */
  async remove({ stage, pk }: StagedProblem): Promise<void> {
    await this.client.query(`delete from ${stageTable(stage.name)} where ${stage.key ?? 'id'}::text = $1`, [pk]);
  }

  /** Waits only for the batch before, so that the dump is read while the database stores a batch. */
  private async send(stageName: string, { columns, rows }: Batch): Promise<void> {
    this.batches.delete(stageName);
    const before = this.sending;
    this.sending = before.then(() => this.insert(this.stage(stageName), columns, rows));
    this.sending.catch(() => undefined); // thrown by the next call, or by `complete`
    await before;
  }

  /** Halves a batch with a row that cannot be stored until only such rows are left, and reports them. */
  private async insert(stage: Stage, columns: string, rows: readonly string[]): Promise<void> {
    const table = stageTable(stage.name);
    try {
      await this.client.query(
        `insert into ${table} (${columns})
         select ${columns} from json_populate_recordset(null::${table}, $1::json)`,
        [`[${rows.join(',')}]`],
      );
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      const [row] = rows;
      if (row === undefined || rows.length === 1) return this.skipped.addStaged(stagingProblem(stage, row, error));
      const middle = Math.floor(rows.length / 2);
      await this.insert(stage, columns, rows.slice(0, middle));
      await this.insert(stage, columns, rows.slice(middle));
    }
  }

  private stage(name: string): Stage {
    const stage = this.stages.get(name);
    if (stage === undefined) throw new Error(`There is no stage ${name}`);
    return stage;
  }
}

/** The stage has the table's columns and defaults except computed ones, plus its own. */
function createStatement(stage: Stage): string {
  const table = stageTable(stage.name);
  const own = [...(stage.own ?? []), `primary key (${stage.key ?? 'id'})`];
  const like = stage.table === undefined ? [] : [`like public.${stage.table} including defaults`];
  const drops = Object.keys(stage.computed ?? {}).map((column) => `alter table ${table} drop column ${column};`);
  return `create temporary table ${table} (${[...like, ...own].join(', ')}); ${drops.join(' ')}`;
}

function stagingProblem(stage: Stage, row: string | undefined, error: unknown): Problem {
  const { code, message } = error as { code?: string; message: string };
  const pk = String((JSON.parse(row ?? '{}') as Row)[stage.key ?? 'id']);
  const sentence =
    code === UNIQUE_VIOLATION
      ? `The dump contains ${stage.model} ${pk} twice.`
      : `${stage.model} ${pk} cannot be stored: ${message}.`;
  return { model: stage.model, pk, field: code === UNIQUE_VIOLATION ? 'pk' : null, sentence };
}
