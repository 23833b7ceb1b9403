import type { StatsFs } from 'node:fs';
import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Backlogs } from '../../core/metrics/backlogs.js';
import { Db } from '../../core/database/db.js';
import { sql } from '../../engines/sql/sql.js';

/** The result of each check: `working`, or a sentence. */
export type Health = Readonly<Record<string, string>>;

/** The backlog of each queue. */
export type HealthDetails = Readonly<
  Record<string, { readonly waiting: number; readonly oldest_seconds: number | null }>
>;

const TIMEOUT_MS = 3_000;
/** With less than this the next upload, save or commit may fail. */
const MIN_FREE_BYTES = 32 * 2 ** 20;

/** A sentence for the health page. */
class Problem extends Error {}

/** Checks what every request needs: the database and the data folder. */
@Injectable()
export class HealthService {
  constructor(
    private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
    private readonly backlogs: Backlogs,
  ) {}

  async check(): Promise<Health> {
    const [Database, Storage] = await Promise.all([
      attempt(() => this.db.query(sql`select 1`), 'The database does not respond.'),
      attempt(() => this.dataDirIsWritable(), 'The data folder cannot be written to.'),
    ]);
    return { Database, Storage };
  }

  /** The backlog of each queue; null while the database does not respond. */
  async waiting(): Promise<HealthDetails | null> {
    try {
      const entries = [...(await this.backlogs.read())].map(
        ([queue, { waiting, oldestSeconds }]) => [queue, { waiting, oldest_seconds: oldestSeconds }] as const,
      );
      return Object.fromEntries(entries);
    } catch {
      return null;
    }
  }

  private async dataDirIsWritable(): Promise<void> {
    await mkdir(this.config.dataDir, { recursive: true });
    await access(this.config.dataDir, constants.W_OK);
    const problem = spaceProblem(await statfs(this.config.dataDir));
    if (problem !== undefined) throw new Problem(problem);
  }
}

export const isHealthy = (health: Health): boolean => Object.values(health).every((state) => state === 'working');

/** Describes a lack of free space. Some file systems do not report their size. */
export function spaceProblem({
  blocks,
  bavail,
  bsize,
  files,
  ffree,
}: Omit<StatsFs, 'type' | 'bfree'>): string | undefined {
  if (blocks > 0 && bavail * bsize < MIN_FREE_BYTES)
    return `The disk of the data folder is full: ${Math.floor((bavail * bsize) / 1024)} kB are free.`;
  if (files > 0 && ffree === 0) return 'The disk of the data folder is full: it has no room for another file.';
  return undefined;
}

async function attempt(check: () => Promise<unknown>, sentence: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), late]);
    return 'working';
  } catch (error) {
    return error instanceof Problem ? error.message : sentence;
  } finally {
    clearTimeout(timer);
  }
}
