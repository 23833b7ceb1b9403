import type { Client } from 'pg';
import { CvatImportError } from './cvat-import-error.js';
import type { MappingContext, Sealing } from './mapping.js';
import { type FileCounts, MediaTransfer } from './media-transfer.js';
import { mappingOf, reasonOf } from './models.js';
import { People } from './people.js';
import { readDump } from './read-dump.js';
import { Staging } from './staging.js';
import { type ModelCounts, ImportCounts } from './report.js';
import { analyze, fillTables, lockImport, lockTables, requireEmpty, setSequences } from './target-database.js';
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
  readonly sealing: Sealing;
}

export interface ImportResult {
  readonly models: readonly ModelCounts[];
  readonly files: FileCounts;
}

/**
 * Imports a CVAT installation atomically into an empty database, and its media into the data folder. The server may
 * run.
 * @throws CvatImportError with one sentence that gives the reason
 */
export async function importCvat(options: ImportOptions): Promise<ImportResult> {
  const settings = asOptions({ ...SESSION_SETTINGS, ...TRACKED_SETTINGS });
  const client = new DatabaseClient(clientConfig(options.databaseUrl, settings));
  await client.connect();
  const media = new MediaTransfer(client, options.dataDir);
  try {
    await lockImport(client);
    await requireEmpty(client);
    const models = await stageDump(client, options);
    const files = await media.receive(options.data, !options.dryRun);
    if (!options.dryRun && options.allowMissing !== true) requireFiles(files, options.data);
    await write(client, options.dryRun);
    await media.place();
    return { models, files };
  } finally {
    await client.end();
    await media.discard();
  }
}

/** A task with unreadable frames is worse than an import that must be repeated. */
function requireFiles({ missing, namesOfMissing }: FileCounts, data: string): void {
  if (missing === 0) return;
  throw new CvatImportError(
    `${missing} files of frames and guides are missing in ${data}, such as ${namesOfMissing[0]}. --dry-run lists more of them, --allow-missing imports without them.`,
  );
}

/** Reads the dump into temporary tables, which no other session sees and which need no lock. */
async function stageDump(client: Client, { dump, sealing }: ImportOptions): Promise<readonly ModelCounts[]> {
  const staging = new Staging(client);
  await staging.create();
  const counts = new ImportCounts();
  const context: MappingContext = { people: new People(), sealing };
  for await (const record of readDump(dump)) {
    const mapping = mappingOf(record.model);
    const mapped = mapping?.map(record, context) ?? { reason: reasonOf(record.model) };
    if ('reason' in mapped) {
      counts.omitted(record, mapped.reason);
      continue;
    }
    counts.imported(record);
    if (mapping?.stage !== undefined) await staging.add(mapping.stage, mapped);
    if (mapping?.parts !== undefined) await staging.add(mapping.parts.stage, mapping.parts.map(record));
  }
  if (!counts.models.some(({ model, imported }) => model === 'auth.user' && imported > 0))
    throw new CvatImportError(
      `The dump ${dump} contains no accounts. Dump all of CVAT, as described in docs/coming-from-cvat.md.`,
    );
  await staging.complete();
  return counts.models;
}

async function write(client: Client, dryRun: boolean): Promise<void> {
  await client.query('begin');
  try {
    await lockTables(client);
    await requireEmpty(client); // another session may have written while the dump was read
    await fillTables(client);
    if (!dryRun) await setSequences(client);
    await client.query(dryRun ? 'rollback' : 'commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // report the first error
    throw error;
  }
  if (!dryRun) await analyze(client);
}
