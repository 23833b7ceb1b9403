import type { Client } from 'pg';
import { CvatImportError, InvalidRecord } from './cvat-import-error.js';
import { DeferredRecords } from './deferred-records.js';
import type { DumpRecord } from './dump-record.js';
import { fillTables } from './fill-tables.js';
import type { MappingContext, Sealing } from './mapping.js';
import { type FileCounts, MediaTransfer } from './media-transfer.js';
import { mappingOf, reasonOf } from './models.js';
import { NotYetRead, People } from './people.js';
import type { OnProgress } from './progress.js';
import { readDump } from './read-dump.js';
import { Staging } from './staging.js';
import { SkippedRecords, type StagedProblem } from './skipped-records.js';
import { writeSkipped } from './skipped-file.js';
import { type ModelCounts, ImportCounts } from './report.js';
import { analyze, lockImport, lockTables, requireEmpty, setSequences } from './target-database.js';
import { clientConfig } from '../core/database/client-config.js';
import { DatabaseClient } from '../core/database/database-client.js';
import { asOptions, SESSION_SETTINGS, TRACKED_SETTINGS } from '../core/database/session-settings.js';

export interface ImportOptions {
  /** Connection URL of a database with the current schema. */
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Output of CVAT's `manage.py dumpdata`. */
  readonly dump: string;
  /** CVAT's data folder, or an archive of it. */
  readonly data: string;
  /** Do everything except commit and copy files. */
  readonly dryRun: boolean;
  /** Import even if files that frames or guides need are missing. */
  readonly allowMissing?: boolean;
  /** Leave out records that cannot be imported, and what refers to them, and list them in this file. */
  readonly skipInvalidTo?: string | undefined;
  readonly sealing: Sealing;
  readonly onProgress?: OnProgress;
}

export interface ImportResult {
  readonly models: readonly ModelCounts[];
  readonly files: FileCounts;
  /** The invalid records that were left out, and the file that lists them. */
  readonly skipped?: { readonly count: number; readonly path: string };
}

/**
 * Imports a CVAT installation atomically into an empty database, and its media into the data folder. The server may
 * run.
 * @throws CvatImportError that gives the reason; InvalidRecords names all invalid records
 */
export async function importCvat(options: ImportOptions): Promise<ImportResult> {
  const settings = asOptions({ ...SESSION_SETTINGS, ...TRACKED_SETTINGS });
  const client = new DatabaseClient(clientConfig(options.databaseUrl, settings));
  await client.connect();
  const media = new MediaTransfer(client, options.dataDir);
  try {
    await lockImport(client);
    await requireEmpty(client);
    return await new CvatImport(client, media, options).run();
  } finally {
    await client.end();
    await media.discard();
  }
}

class CvatImport {
  private readonly skipped: SkippedRecords;
  private readonly staging: Staging;
  private readonly deferred: DeferredRecords;
  private readonly counts = new ImportCounts();
  private readonly context: MappingContext;
  private readonly onProgress: OnProgress;

  constructor(
    private readonly client: Client,
    private readonly media: MediaTransfer,
    private readonly options: ImportOptions,
  ) {
    this.skipped = new SkippedRecords(client);
    this.staging = new Staging(client, this.skipped);
    this.deferred = new DeferredRecords(client);
    this.context = { people: new People(), sealing: options.sealing };
    this.onProgress = options.onProgress ?? ((): void => undefined);
  }

  async run(): Promise<ImportResult> {
    const { data, dryRun, allowMissing = false, skipInvalidTo } = this.options;
    await this.stageDump();
    if (dryRun || skipInvalidTo !== undefined || (await this.skipped.problemCount()) > 0) await this.checkRules();
    if (skipInvalidTo === undefined) await this.skipped.refuse();
    const skipped = await this.listSkipped();
    const files = await this.media.receive(data, !dryRun, this.onProgress);
    if (!dryRun && !allowMissing) requireFiles(files, data);
    if (!dryRun) await this.write();
    await this.media.place();
    for (const count of await this.skipped.counts()) this.counts.removed(count);
    return { models: this.counts.models, files, ...(skipped === undefined ? {} : { skipped }) };
  }

  /** Reads the dump into temporary tables, which no other session sees and which need no lock. */
  private async stageDump(): Promise<void> {
    const { dump } = this.options;
    for (const part of [this.skipped, this.staging, this.deferred]) await part.create();
    for await (const record of readDump(dump, this.onProgress)) await this.stage(record);
    this.context.people.complete();
    for await (const record of this.deferred.read()) await this.stage(record);
    if (!this.counts.models.some(({ model, imported }) => model === 'auth.user' && imported > 0)) {
      await this.skipped.refuse();
      throw new CvatImportError(
        `The dump ${dump} contains no accounts. Dump all of CVAT, as described in docs/coming-from-cvat.md.`,
      );
    }
    await this.staging.complete();
    await this.staging.removeDangling();
  }

  private async stage(record: DumpRecord): Promise<void> {
    const mapping = mappingOf(record.model);
    if (mapping === undefined) return this.counts.omitted(record, reasonOf(record.model));
    try {
      const mapped = mapping.map(record, this.context);
      if ('reason' in mapped) {
        this.counts.omitted(record, mapped.reason);
        await this.skipped.omit(record, mapped.reason);
        return;
      }
      const parts = mapping.parts?.map(record) ?? [];
      this.counts.imported(record);
      if (mapping.stage !== undefined) await this.staging.add(mapping.stage, mapped);
      if (mapping.parts !== undefined) await this.staging.add(mapping.parts.stage, parts);
    } catch (error) {
      if (error instanceof NotYetRead) return this.deferred.add(record);
      if (!(error instanceof InvalidRecord)) throw error;
      this.counts.skipped(record);
      await this.skipped.add(error.problem);
    }
  }

  /** Writes all rows and takes them back, until the database accepts all that are left. */
  private async checkRules(): Promise<void> {
    for (;;) {
      const problems = await this.fill('rollback', 'check');
      if (problems.length === 0) return;
      await this.removeRows(problems);
    }
  }

  private async removeRows(problems: readonly StagedProblem[]): Promise<void> {
    for (const problem of problems) {
      await this.skipped.addStaged(problem);
      await this.staging.remove(problem);
    }
    await this.staging.removeDangling();
  }

  private async write(): Promise<void> {
    const problems = await this.fill('commit', 'write');
    if (problems.length > 0) {
      await this.removeRows(problems);
      await this.checkRules();
      await this.skipped.refuse();
    }
    await analyze(this.client);
  }

  /** @returns rows that the database does not accept; nothing is committed then */
  private async fill(end: 'commit' | 'rollback', step: 'check' | 'write'): Promise<readonly StagedProblem[]> {
    const { client } = this;
    const total = await this.staging.rowCount();
    let done = 0;
    await client.query('begin');
    try {
      await lockTables(client);
      await requireEmpty(client); // another session may have written while the dump was read
      const problems = await fillTables(client, (count) => {
        done += count;
        this.onProgress({ step, done, total });
      });
      const isComplete = end === 'commit' && problems.length === 0;
      if (isComplete) await setSequences(client);
      await client.query(isComplete ? 'commit' : 'rollback');
      return problems;
    } catch (error) {
      await client.query('rollback').catch(() => undefined); // report the first error
      throw error;
    }
  }

  private async listSkipped(): Promise<ImportResult['skipped']> {
    const { skipInvalidTo: path, dump } = this.options;
    if (path === undefined) return undefined;
    const count = await this.skipped.problemCount();
    if (count > 0) await writeSkipped(this.skipped, dump, path);
    return { count, path };
  }
}

/** A task with unreadable frames is worse than an import that must be repeated. */
function requireFiles({ missing, namesOfMissing }: FileCounts, data: string): void {
  if (missing === 0) return;
  throw new CvatImportError(
    `${missing} files of frames and guides are missing in ${data}, such as ${namesOfMissing[0]}. --dry-run lists more of them, --allow-missing imports without them.`,
  );
}
