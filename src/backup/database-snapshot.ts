import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Client, ClientBase } from 'pg';
import { to } from 'pg-copy-streams';
import { clientConfig } from '../core/database/client-config.js';
import { DatabaseClient } from '../core/database/database-client.js';
import { type Installation, recordedInstallation } from '../core/database/installation.js';
import { asOptions, POOL_SETTINGS } from '../core/database/session-settings.js';
import { takeRemovalHold } from '../core/media-storage/held-removals.js';
import type { StoragePlaces } from './backup-storage.js';
import {
  BackupError,
  type BackupHeader,
  type BackupPartition,
  type BackupSequence,
  type BackupTable,
} from './backup-format.js';

const compress = promisify(gzip);

/** Rows are stored in parts of about this many bytes. */
const PART_BYTES = 8 * 2 ** 20;
const FASTEST = 1;
const LINE_FEED = 10;

/** A part of a table. */
export interface TablePart {
  readonly content: Buffer;
  readonly rows: number;
}

/** Keys of files that the database refers to. */
export interface Reference {
  /** A file, or with a slash at its end all files of a folder. */
  readonly key: string;
  /** Where the file is instead if it was moved after the snapshot. */
  readonly movedTo?: string;
  /** Whether the file may be missing, since it is removed when its time is over. */
  readonly isOptional: boolean;
}

/**
 * A consistent view of the database of a running installation. Until it is closed, no file is removed that it refers to.
 */
export class DatabaseSnapshot {
  private constructor(
    private readonly client: Client,
    /** Holds the removal of files, without a snapshot that would keep old rows. */
    private readonly holder: Client,
  ) {}

  /** @throws BackupError if another backup runs the database */
  static async open(databaseUrl: string, runsDatabase = false): Promise<DatabaseSnapshot> {
    const holder = await connect(databaseUrl);
    try {
      await holder.query('begin');
      await takeTurn(holder, runsDatabase);
      await takeRemovalHold(holder);
      const client = await connect(databaseUrl);
      await client.query('begin isolation level repeatable read, read only');
      return new DatabaseSnapshot(client, holder);
    } catch (error) {
      await holder.end();
      throw error;
    }
  }

  /** Everything that the header contains of the database. @throws BackupError without a schema */
  async describe(): Promise<Pick<BackupHeader, 'created' | 'migrations' | 'tables' | 'partitions' | 'secretCheck'>> {
    const { rows: found } = await this.client.query<{ there: boolean; created: Date }>(
      `select to_regclass('public.installation') is not null as there, now() as created`,
    );
    if (found[0]?.there !== true) throw new BackupError('The database has no installation of Cairn.');
    const { rows: migrations } = await this.client.query<{ name: string }>(
      'select name from schema_migration order by id',
    );
    return {
      created: new Date(found[0].created).toISOString(),
      migrations: migrations.map(({ name }) => name),
      tables: await tablesOf(this.client),
      partitions: await partitionsOf(this.client),
      secretCheck: (await this.installation()).secret_check,
    };
  }

  /** Reads all rows of a table in parts. The server waits while a part is written. */
  async *parts({ name, columns }: BackupTable): AsyncGenerator<TablePart> {
    const list = columns.map(quoted).join(', ');
    const source = this.client.query(to(`copy (select ${list} from public.${quoted(name)}) to stdout`));
    let pieces: Buffer[] = [];
    let bytes = 0;
    const flush = async (): Promise<TablePart> => {
      const text = Buffer.concat(pieces);
      pieces = [];
      bytes = 0;
      return { content: await compress(text, { level: FASTEST }), rows: count(text) };
    };
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(LINE_FEED) + 1;
      if (end === 0) {
        rest = Buffer.concat([rest, chunk]);
        continue;
      }
      pieces.push(rest, chunk.subarray(0, end));
      bytes += rest.length + end;
      rest = Buffer.from(chunk.subarray(end));
      if (bytes >= PART_BYTES) yield await flush();
    }
    if (bytes > 0) yield await flush();
  }

  /** Sequences change outside of transactions: these are as far as the snapshot, or farther. */
  async sequences(): Promise<BackupSequence[]> {
    const { rows } = await this.client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'S' and relpersistence = 'p'
       and relnamespace = 'public'::regnamespace order by 1`,
    );
    const found: BackupSequence[] = [];
    for (const { name } of rows) {
      const { rows: values } = await this.client.query<{ value: string; is_called: boolean }>(
        `select last_value::text as value, is_called from public.${quoted(name)}`,
      );
      const [value] = values;
      if (value !== undefined) found.push({ name, value: value.value, isCalled: value.is_called });
    }
    return found;
  }

  /** The files that the rows refer to. */
  async references(): Promise<Reference[]> {
    const rows = async <T extends object>(query: string): Promise<T[]> => (await this.client.query<T>(query)).rows;
    const uploads = await rows<{ file_id: string; data_id: number; name: string; complete: boolean }>(
      'select file_id, data_id, name, completed_date is not null as complete from media_upload order by id',
    );
    const data = await rows<{ id: number }>(
      'select distinct data_id as id from task where data_id is not null order by 1',
    );
    const assets = await rows<{ uuid: string }>('select uuid from asset order by uuid');
    const results = await rows<{ file: string }>(
      'select distinct result_file as file from background_request where result_file is not null order by 1',
    );
    return [
      ...uploads.map(({ file_id: id, data_id: dataId, name, complete }) => ({
        key: `uploads/${id}`,
        movedTo: `media/${dataId}/raw/${name}`,
        isOptional: !complete,
      })),
      ...data.map(({ id }) => ({ key: `media/${id}/`, isOptional: true })),
      ...assets.map(({ uuid }) => ({ key: `assets/${uuid}/file`, isOptional: false })),
      ...results.map(({ file }) => ({ key: `exports/${file.split('/').at(-1) ?? ''}`, isOptional: true })),
      { key: 'imports/', isOptional: true },
    ];
  }

  /** What the database records about its files. @throws BackupError if it records nothing */
  async installation(): Promise<Installation> {
    const found = await recordedInstallation(this.client);
    if (found === undefined) throw new BackupError('The installation has not been started yet.');
    return found;
  }

  /** Where the files are now. */
  async places(): Promise<StoragePlaces> {
    const { rows } = await this.holder.query<StoragePlaces>(
      'select media_url as url, media_target as target from installation',
    );
    return rows[0] ?? { url: '', target: null };
  }

  /** Releases the rows, which the database would keep. Files are still held. */
  async release(): Promise<void> {
    await this.client.end();
  }

  /** @throws BackupError if files may have been removed since the snapshot */
  async requireHeld(): Promise<void> {
    try {
      await this.holder.query('select 1');
    } catch (error) {
      const why = 'The connection to the database was lost, so that files may have been removed meanwhile. Try again.';
      throw new BackupError(why, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
    await this.holder.end().catch(() => undefined);
  }
}

/** Arbitrary, but the same in every process. */
const TURN = 7_244_205;

/**
 * A backup that runs the database stops it at its end, which would interrupt others. It waits for those that are already
 * running and refuses later ones.
 */
async function takeTurn(client: Client, runsDatabase: boolean): Promise<void> {
  if (runsDatabase) {
    await client.query('select pg_advisory_xact_lock($1)', [TURN]);
    return;
  }
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_xact_lock_shared($1) as taken', [
    TURN,
  ]);
  if (rows[0]?.taken !== true)
    throw new BackupError('Another backup is running, and stops the database at its end. Wait until it has finished.');
}

/** A connection whose statements may run for hours. */
export async function connect(databaseUrl: string): Promise<Client> {
  const settings = { ...POOL_SETTINGS, statement_timeout: '0', idle_in_transaction_session_timeout: '0' };
  const client = new DatabaseClient({ ...clientConfig(databaseUrl, asOptions(settings)), keepAlive: true });
  await client.connect();
  return client;
}

/** The tables whose content outlives a crash, with their columns. Partitions are part of their table. */
export async function tablesOf(client: ClientBase): Promise<BackupTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relpersistence = 'p' and attnum > 0 and not attisdropped and attgenerated = ''
      and relname <> 'schema_migration'
    group by relname order by relname`);
  return rows;
}

export async function partitionsOf(client: ClientBase): Promise<BackupPartition[]> {
  const { rows } = await client.query<{ parent: string; name: string; bound: string }>(`
    select parent.relname as parent, child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bound
    from pg_inherits join pg_class parent on parent.oid = inhparent join pg_class child on child.oid = inhrelid
    where child.relispartition and parent.relnamespace = 'public'::regnamespace and child.relkind = 'r'
    order by child.relname`);
  return rows;
}

/** A name in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** In COPY's text format each row is a line. */
function count(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}
