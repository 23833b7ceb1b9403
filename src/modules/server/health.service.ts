import { access, constants, mkdir } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Backlogs } from '../../core/metrics/backlogs.js';
import { Db } from '../../core/database/db.js';
import { sql } from '../../engines/sql/sql.js';

/** What a check found: `working`, or a sentence. */
export type Health = Readonly<Record<string, string>>;

/** By queue: how many wait, and for how long the oldest does. */
export type HealthDetails = Readonly<
  Record<string, { readonly waiting: number; readonly oldest_seconds: number | null }>
>;

const TIMEOUT_MS = 3_000;

/** Whether the parts that every request needs are there. */
@Injectable()
export class HealthService {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Backlogs) private readonly backlogs: Backlogs,
  ) {}

  async check(): Promise<Health> {
    const [Database, Storage] = await Promise.all([
      attempt(() => this.db.query(sql`select 1`), 'The database does not answer.'),
      attempt(() => this.dataDirIsWritable(), 'The data folder cannot be written to.'),
    ]);
    return { Database, Storage };
  }

  /** What waits, by queue; null while the database does not answer. */
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
  }
}

export const isHealthy = (health: Health): boolean => Object.values(health).every((state) => state === 'working');

async function attempt(check: () => Promise<unknown>, sentence: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), late]);
    return 'working';
  } catch {
    return sentence;
  } finally {
    clearTimeout(timer);
  }
}
