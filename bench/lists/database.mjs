// A server whose database contains the long lists.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { logIn } from '../api.mjs';
import { joinDatabase, startCairn } from '../server.mjs';
import { PEOPLE } from './queries.mjs';

const PASSWORD = 'a-person-of-the-benchmark';

/**
 * Starts a server over the seeded lists, passes it to `use` and stops it.
 *
 * @param {{cli: string, keep: string | undefined, inOneSpace?: boolean, say: (text: string) => void}} options `keep` is a
 *   folder to keep: seeded if it is new, otherwise used as it is. `inOneSpace` seeds all tasks outside of organizations
 * @param {(run: {url: string, database: Client, people: Record<string, Record<string, string>>}) => Promise<void>} use
 *   `people` has the request headers of each user
 */
export async function withLists({ cli, keep, inOneSpace = false, say }, use) {
  if (keep !== undefined) await mkdir(keep, { recursive: true });
  const folder = keep ?? (await mkdtemp(join(tmpdir(), 'cairn-lists-')));
  const seeded = existsSync(join(folder, 'data'));
  const ending = keep === undefined ? [() => rm(folder, { recursive: true, force: true })] : [];
  try {
    const server = await startCairn({ cli, folder });
    ending.push(server.stop);
    const joined = await joinDatabase(cli, folder);
    ending.push(joined.stop);
    const database = new Client({ connectionString: joined.url });
    await database.connect();
    ending.push(() => database.end());
    if (!seeded) await seed(server.url, database, inOneSpace, say);
    const people = Object.fromEntries(
      await Promise.all(Object.keys(PEOPLE).map(async (name) => [name, (await enter(server.url, name)).headers])),
    );
    await use({ url: server.url, database, people });
  } finally {
    for (const end of ending.toReversed()) await end();
  }
}

const enter = (url, name) => logIn(url, name === 'administrator' ? undefined : { username: name, password: PASSWORD });

async function seed(url, database, inOneSpace, say) {
  const api = await logIn(url);
  for (const name of ['maintainer', 'person', 'worker']) {
    const names = { username: name, first_name: name, last_name: name, email: `${name}@example.org` };
    await api.post('/api/auth/register', { ...names, password1: PASSWORD, password2: PASSWORD });
  }
  say('seeding 100,000 tasks and 1,000,000 jobs');
  await database.query('set synchronous_commit = off');
  await database.query(`select set_config('seed.in_one_space', $1, false)`, [inOneSpace ? 'on' : 'off']);
  const script = await readFile(join(import.meta.dirname, 'seed.sql'), 'utf8');
  for (const statement of script.split(';\n').filter((text) => text.trim() !== '')) await database.query(statement);
  await database.query('vacuum analyze');
}
