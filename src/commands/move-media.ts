import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Config, directUrl } from '../config/config.js';
import { isBucketUrl } from '../config/env.js';
import { clientConfig } from '../core/database/client-config.js';
import { DatabaseClient } from '../core/database/database-client.js';
import { isBucketProblem, requireOwnBucket, withAdvice } from '../core/media-storage/bucket-owner.js';
import { FolderPlace } from '../core/media-storage/folder-place.js';
import { MediaMove, MoveError, type MoveReport } from '../core/media-storage/media-move.js';
import type { MediaPlace } from '../core/media-storage/media-place.js';
import { openBucket, PLACES_VALID_MS } from '../core/media-storage/media-places.js';
import { StartError } from '../start-error.js';
import { withDatabase } from './database.js';

export interface MoveMediaOptions {
  /** `s3://bucket/prefix`, or empty for the data folder. */
  readonly to: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** How long to wait until all processes know a change of the places. */
  readonly settleMs?: number;
}

/** Several times as long as processes rely on what they have read. */
const SETTLE_MS = 5 * PLACES_VALID_MS;
const PROGRESS_EVERY_MS = 5_000;
/** Between two passes, while clients are sending. */
const PASS_EVERY_MS = 2_000;
const LOCK = 'move media';

/** Moves all files of the installation to another place while it serves, and prints the progress. */
export async function moveMediaCommand(to: string): Promise<void> {
  const url = to === 'folder' ? '' : to.replace(/\/+$/, '');
  if ((url === '' && to !== 'folder') || !isBucketUrl(url))
    throw new StartError(`--to must be "folder" or a URL such as s3://bucket/prefix, not "${to}".`);
  const stop = new AbortController();
  const end = (): void => stop.abort(new StartError('Stopped. Run the same command again to continue.'));
  process.once('SIGINT', end).once('SIGTERM', end);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  await withDatabase(({ config }) => moveMedia(config, { to: url, say, signal: stop.signal }));
}

/**
 * Moves all files. Can be interrupted at any time, and continues when it is called again.
 * @param config with the URL of the database in use, which must be migrated
 * @throws StartError with a sentence
 */
export async function moveMedia(config: Config, options: MoveMediaOptions): Promise<void> {
  const database: Client = new DatabaseClient({
    ...clientConfig(directUrl(config)),
    connectionTimeoutMillis: config.databaseConnectTimeoutMs,
  });
  await database.connect();
  try {
    const { rows } = await database.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [LOCK],
    );
    if (rows[0]?.taken !== true) throw new StartError('The files are being moved by another process.');
    await new Mover(config, database, options).run();
  } catch (error) {
    if (isBucketProblem(error))
      throw new StartError(`${withAdvice(error)} Then run the same command again.`, { cause: error });
    if (!(error instanceof MoveError)) throw error;
    throw new StartError(`${error.message} Run the same command again to continue.`, { cause: error });
  } finally {
    await database.end();
  }
}

interface Places {
  /** Of the installation. */
  readonly id: string;
  readonly url: string;
  readonly target: string | null;
}

class Mover {
  private readonly closing: (() => void)[] = [];

  constructor(
    private readonly config: Config,
    private readonly database: Client,
    private readonly options: MoveMediaOptions,
  ) {}

  async run(): Promise<void> {
    const { to, say } = this.options;
    const recorded = await this.read();
    if (recorded.target === null && recorded.url === to) return say(`The files are in ${named(to)} already.`);
    try {
      await checkPlace(this.open(to));
      // A foreign place must not be copied from, or to.
      for (const url of new Set([recorded.url, recorded.target ?? to, to]))
        if (url !== '') await requireOwnBucket(this.open(url), recorded.id);
      say(
        'All servers and workers need the same MEDIA_S3_ settings as this command. Without them, they can neither store files nor read new ones.',
      );
      const from = await this.begin(recorded);
      say(`Moving the files from ${named(from)} to ${named(to)}. The installation can be used meanwhile.`);
      const report = await this.copy(from);
      await this.write({ url: to, target: null }, false);
      await this.database.query('truncate media_moved');
      await this.settle();
      say(`Done: ${reportText(report)}. The files are now in ${named(to)}.`);
      say(
        `Set MEDIA_URL=${to} for all processes. The originals are still in ${named(from)}; delete them after a backup.`,
      );
    } finally {
      for (const close of this.closing) close();
    }
  }

  /** First lets all processes read the new place, then write to it. @returns the URL of the old place */
  private async begin({ url, target }: Omit<Places, 'id'>): Promise<string> {
    const { to } = this.options;
    if (target !== null && target !== to && url !== to)
      throw new StartError(`A move to ${named(target)} is unfinished. Complete it, or go back to ${named(url)} first.`);
    const from = target !== null && url === to ? target : url;
    if (from !== url || target === null) {
      await this.database.query('truncate media_moved'); // it is about another direction
      await this.write({ url: from, target: to }, false);
    }
    await this.settle();
    await this.write({ url: from, target: to }, true);
    await this.settle();
    return from;
  }

  private async copy(from: string): Promise<MoveReport> {
    const { signal, say, to } = this.options;
    let spoken = performance.now();
    const onProgress = (report: MoveReport): void => {
      if (performance.now() - spoken < PROGRESS_EVERY_MS) return;
      spoken = performance.now();
      say(reportText(report));
    };
    const move = new MediaMove({
      from: this.open(from),
      to: this.open(to),
      database: this.database,
      scratch: join(this.config.dataDir, 'work', 'moved'),
      signal,
      onProgress,
    });
    while (!(await move.pass())) await wait(PASS_EVERY_MS, undefined, { signal });
    return move.report;
  }

  private open(url: string): MediaPlace {
    if (url === '') return new FolderPlace(this.config.dataDir);
    const { place, objects } = openBucket(url, this.config);
    this.closing.push(() => objects.close());
    return place;
  }

  private async read(): Promise<Places> {
    const { rows } = await this.database.query<Places>(
      'select folder_id as id, media_url as url, media_target as target from installation',
    );
    const [row] = rows;
    if (row === undefined) throw new StartError('There is no installation yet. Start the server first.');
    return row;
  }

  private async write({ url, target }: Omit<Places, 'id'>, writesTarget: boolean): Promise<void> {
    await this.database.query('update installation set media_url = $1, media_target = $2, media_writes_target = $3', [
      url,
      target,
      writesTarget,
    ]);
  }

  private async settle(): Promise<void> {
    await wait(this.options.settleMs ?? SETTLE_MS, undefined, { signal: this.options.signal }).catch(() =>
      this.options.signal.throwIfAborted(),
    );
  }
}

/** Writes, reads and removes a file. @throws MediaStorageUnavailable, MediaStorageFull, StartError */
export async function checkPlace(place: MediaPlace): Promise<void> {
  const key = `assets/check-${process.pid}-${Date.now()}`;
  await place.put(key, Buffer.from('Cairn'));
  const opened = await place.open(key);
  let text = '';
  for await (const part of (opened?.stream ?? []) as AsyncIterable<Buffer>) text += part.toString();
  await place.remove(key);
  if (text !== 'Cairn') throw new StartError(`${named(place.url)} does not return what was stored.`);
}

const named = (url: string): string => (url === '' ? 'the data folder' : url);

const reportText = ({ files, bytes, skipped }: MoveReport): string =>
  `${files} file(s) copied and compared, ${(bytes / 1e6).toFixed(1)} MB` +
  (skipped === 0 ? '' : `, ${skipped} were there already`);
