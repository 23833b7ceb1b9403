import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { importCvat, type ImportOptions, type ImportResult } from '../../../src/cvat-import/import-cvat.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import type { DumpObject } from './small-dump.js';

/** A database and data folder to import dumps into, without media. */
export class ImportTarget {
  private constructor(
    readonly database: TestDatabase,
    readonly folder: string,
    private readonly client: Client,
  ) {}

  static async create(): Promise<ImportTarget> {
    const database = await createTestDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'cairn-cvat-'));
    await mkdir(join(folder, 'to'));
    await mkdir(join(folder, 'cvat'));
    const client = new Client({ connectionString: database.url });
    await client.connect();
    return new ImportTarget(database, folder, client);
  }

  async discard(): Promise<void> {
    await this.client.end();
    await this.database.drop();
    await rm(this.folder, { recursive: true });
  }

  async import(dump: readonly DumpObject[], options: Partial<ImportOptions> = {}): Promise<ImportResult> {
    const file = join(this.folder, 'dump.json');
    await writeFile(file, JSON.stringify(dump));
    return importCvat({
      databaseUrl: this.database.url,
      dataDir: join(this.folder, 'to'),
      dump: file,
      data: join(this.folder, 'cvat'),
      dryRun: false,
      allowMissing: true,
      sealing: { webhookSecret: () => null, cloudCredentials: () => '' },
      ...options,
    });
  }

  /** The values of the column `value`. */
  async column(query: string): Promise<unknown[]> {
    const { rows } = await this.client.query<{ value: unknown }>(query);
    return rows.map((row) => row.value);
  }
}

/** The dump with other fields in the records of a model. */
export const changed = (
  dump: readonly DumpObject[],
  model: string,
  fields: Record<string, unknown>,
  pk?: number,
): DumpObject[] =>
  dump.map((object) =>
    object.model === model && (pk === undefined || object.pk === pk)
      ? { ...object, fields: { ...object.fields, ...fields } }
      : object,
  );

/** More records like the one of a model, with other keys and fields. */
export function another(
  dump: readonly DumpObject[],
  model: string,
  pk: number | string,
  fields: Record<string, unknown> = {},
): DumpObject {
  const found = dump.find((object) => object.model === model);
  if (found === undefined) throw new Error(`The dump has no ${model}`);
  return { ...found, pk, fields: { ...found.fields, ...fields } };
}
