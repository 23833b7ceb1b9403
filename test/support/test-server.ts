import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../src/core/database/embedded/start-embedded.js';
import { copyVariable, execute, serverVariable, templateVariable, withDatabase } from './database.js';
import { migrateTemplate } from './migrate-template.js';

const quiet = { info: () => undefined, warn: console.warn, error: console.error };

interface TestServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Uses the server of TEST_DATABASE_URL (its role must be allowed to create databases) or starts a throwaway one,
 * creates the migrated template there, and passes both to the test processes in environment variables.
 */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL'];
  const server = given ? { url: given, stop: () => Promise.resolve() } : await startThrowaway();
  const template = `cairn_template_${randomBytes(6).toString('hex')}`;
  const stop = async () => {
    if (given) await execute(server.url, `DROP DATABASE IF EXISTS ${template}`);
    await server.stop();
  };
  try {
    await execute(server.url, `CREATE DATABASE ${template}`);
    await migrateTemplate(withDatabase(server.url, template));
  } catch (error) {
    await stop();
    throw error;
  }
  const [facts] = await execute<{ number: number }>(
    server.url,
    `select current_setting('server_version_num')::int as number`,
  );
  process.env[copyVariable] = (facts?.number ?? 0) < 150_000 ? '' : 'STRATEGY FILE_COPY';
  process.env[serverVariable] = server.url;
  process.env[templateVariable] = template;
  return { url: server.url, stop };
}

async function startThrowaway(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cairn-test-'));
  await chmod(dataDir, 0o711); // if started by root, the server runs as another user
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const server = await startEmbedded({ dataDir, log: quiet, settings });
    return {
      url: server.url,
      async stop() {
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
