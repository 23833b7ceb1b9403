import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { readConfig } from '../../../src/config/env.js';
import { Notifier } from '../../../src/core/worker/notifier.js';
import { createLogger } from '../../../src/core/logging/logger.js';
import { type RunningServer, start } from '../../../src/main.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

/** The rest of the body is never sent. */
const HALF_A_REQUEST = [
  'POST /api/auth/login HTTP/1.1',
  'Host: cairn',
  'Content-Type: application/json',
  'Content-Length: 1000',
  '',
  '{',
].join('\r\n');

const ADMIN = { username: 'admin', password: 'stopping-a-server-1' };

const ACCOUNTS = 'select from app_user';
const CONNECTIONS = 'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

async function countOf(rows: string, url: string): Promise<number | null> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(rows);
  await client.end();
  return rowCount;
}

describe('stopping a server', () => {
  let database: TestDatabase;
  let dataDir: string;
  let server: RunningServer;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'cairn-stop-'));
    const config = readConfig({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: '0',
      IMAGE_PROCESS: 'false',
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
    });
    server = await start(config, createLogger('silent'), 'api');
  });

  afterEach(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true });
  });

  const begin = async (text: string): Promise<Socket> => {
    const { hostname, port } = new URL(server.url ?? '');
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.on('error', () => undefined); // the server closes it
    socket.resume(); // unread data would keep it from closing
    socket.write(text);
    return socket;
  };

  const answered = async (path: string): Promise<number> => (await fetch(`${server.url}${path}`)).status;

  it('does not wait for the rest of a body', async () => {
    const socket = await begin(HALF_A_REQUEST);
    const closed = once(socket, 'close');
    expect(await answered('/api/server/about')).toBe(200);
    await server.stop(10);
    await closed;
    await expect(answered('/api/server/about')).rejects.toThrow();
  });

  it('ends event streams, so that their clients see no error', async () => {
    const credentials = Buffer.from(`${ADMIN.username}:${ADMIN.password}`).toString('base64');
    const stream = await fetch(`${server.url}/api/events/stream`, {
      headers: { Authorization: `Basic ${credentials}` },
    });
    expect(stream.status).toBe(200);
    await server.stop(60_000); // longer than a test may take
    expect(await stream.text()).toContain('retry:');
  });

  // Such a connection stays open, so that the database cannot be dropped.
  it('opens no connection for a request that subscribes to notifications after the stop', async () => {
    const notifier = server.app.get(Notifier);
    await server.stop();
    notifier.listen('events', () => undefined);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(countOf(CONNECTIONS, database.url)).resolves.toBe(0);
  });

  // Otherwise nobody would learn its password, because the next start does not create it.
  it('creates no administrator if the port is in use', async () => {
    const other = await createTestDatabase();
    const settings = { DATABASE_URL: other.url, DATA_DIR: join(dataDir, 'other'), IMAGE_PROCESS: 'false' };
    const { port } = new URL(server.url ?? '');
    const second = start(readConfig({ ...settings, PORT: port }), createLogger('silent'), 'api');
    await expect(second).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use.`);
    expect(await countOf(ACCOUNTS, other.url)).toBe(0);
    await server.stop();
    await other.drop();
  });
});
