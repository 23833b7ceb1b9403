import type { ClientBase } from 'pg';
import { CvatImportError } from './cvat-import-error.js';
import type { Row } from './mapping.js';
import { type Stage, STAGES, stageTable } from './stages.js';

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

  constructor(private readonly client: ClientBase) {}

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

  /** Finishes staging: all rows are in the tables, keys are unique, and references are valid. */
  async complete(): Promise<void> {
    for (const [stageName, batch] of this.batches) await this.send(stageName, batch);
    for (const stage of STAGES) {
      const table = stageTable(stage.name);
      for (const column of Object.keys(stage.references ?? {})) {
        await this.client.query(`create index on ${table} (${column})`);
      }
      await this.client.query(`analyze ${table}`);
    }
    for (const stage of STAGES) await this.requireReferences(stage);
  }

  private async send(stageName: string, batch: Batch): Promise<void> {
    const stage = this.stage(stageName);
    const rows = `[${batch.rows.join(',')}]`;
    this.batches.delete(stageName);
    const table = stageTable(stageName);
    try {
      await this.client.query(
        `insert into ${table} (${batch.columns})
         select ${batch.columns} from json_populate_recordset(null::${table}, $1::json)`,
        [rows],
      );
    } catch (error) {
      throw stagingProblem(stage, error);
    }
  }

  /** @throws CvatImportError that names the first record with a dangling reference */
  private async requireReferences(stage: Stage): Promise<void> {
    for (const [column, targetName] of Object.entries(stage.references ?? {})) {
      const target = this.stage(targetName);
      const { rows } = await this.client.query<{ key: string; missing: string }>(`
        select ${stage.key ?? 'id'}::text as key, ${column}::text as missing from ${stageTable(stage.name)} as row
        where ${column} is not null
          and not exists (select from ${stageTable(targetName)} as target where target.${target.key ?? 'id'} = row.${column})
        order by ${stage.key ?? 'id'} limit 1`);
      const [dangling] = rows;
      if (dangling === undefined) continue;
      throw new CvatImportError(
        `${stage.model} ${dangling.key} refers to ${target.model} ${dangling.missing}, which the dump does not have.`,
      );
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

function stagingProblem(stage: Stage, error: unknown): unknown {
  const { code, detail, message } = error as { code?: string; detail?: string; message: string };
  const key = code === UNIQUE_VIOLATION ? /=\((.*)\) already exists/.exec(detail ?? '')?.[1] : undefined;
  if (key !== undefined) return new CvatImportError(`The dump contains ${stage.model} ${key} twice.`, { cause: error });
  return new CvatImportError(`Records of ${stage.model} cannot be stored: ${message}.`, { cause: error });
}
