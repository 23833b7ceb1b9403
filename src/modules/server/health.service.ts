import type { StatsFs } from 'node:fs';
import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Backlogs } from '../../core/metrics/backlogs.js';
import { Db } from '../../core/database/db.js';
import { Discovery } from '../../core/discovery/discovery.js';
import { ReportsHealth, WORKING } from '../../core/metrics/health-report.js';
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

/** Checks what every request needs, the database and the data folder, and how far background work has come. */
@Injectable()
export class HealthService {
  constructor(
    private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
    private readonly backlogs: Backlogs,
    private readonly discovery: Discovery,
  ) {}

  async check(): Promise<Health> {
    const checks: readonly Promise<readonly [string, string]>[] = [
      named('Database', () => this.db.query(sql`select 1`), 'The database does not respond.'),
      named('Storage', () => this.dataDirIsWritable(), 'The data folder cannot be written to.'),
      ...this.discovery
        .methods(ReportsHealth)
        .map(({ data: name, found }) => named(name, () => requireWorking(found()), 'The state is not known.')),
    ];
    return Object.fromEntries(await Promise.all(checks));
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

/** What every request needs. Problems of background work are shown, but no other server could do better. */
const NEEDED = ['Database', 'Storage'];

/** Whether requests can be processed. */
export const isHealthy = (health: Health): boolean => NEEDED.every((name) => health[name] === WORKING);

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

const named = async (
  name: string,
  check: () => Promise<unknown>,
  sentence: string,
): Promise<readonly [string, string]> => [name, await attempt(check, sentence)];

/** @throws Problem */
async function requireWorking(state: Promise<string>): Promise<void> {
  const found = await state;
  if (found !== WORKING) throw new Problem(found);
}

async function attempt(check: () => Promise<unknown>, sentence: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), late]);
    return WORKING;
  } catch (error) {
    return error instanceof Problem ? error.message : sentence;
  } finally {
    clearTimeout(timer);
  }
}
