// A temporary folder and the servers that run on it. Everything is removed afterwards, even after Ctrl-C.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseOnServer, joinDatabase, startCairn } from './server.mjs';

/**
 * @template T
 * @param {string} cli path of the server's command line
 * @param {(place: {folder: string, start: (args?: string[], settings?: object) => ReturnType<typeof startCairn>, database: () => ReturnType<typeof joinDatabase>}) => Promise<T>} use
 *   `start` runs a server on the folder, `database` joins the running one's database
 * @returns {Promise<T>}
 */
export async function withTestDatabase(cli, use) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-'));
  const given = await databaseOnServer();
  const running = given === null ? [] : [given];
  const clean = async () => {
    // Stop in reverse order: the database belongs to the first server, or existed before it.
    for (const { stop } of running.reverse()) await stop();
    await rm(folder, { recursive: true, force: true });
  };
  const interrupted = () => void clean().finally(() => process.exit(130));
  const keep = (started) => {
    running.push(started);
    return started;
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await use({
      folder,
      start: async (args, settings) =>
        keep(await startCairn({ cli, folder, args, settings: { DATABASE_URL: given?.url ?? '', ...settings } })),
      // A server that uses another's database may leave it behind, so it is removed at the end.
      database: async () =>
        given === null ? keep(await joinDatabase(cli, folder)) : { url: given.url, stop: () => Promise.resolve() },
    });
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await clean();
  }
}
