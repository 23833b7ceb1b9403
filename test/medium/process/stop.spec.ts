import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/env.js';
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

describe('stopping a server', () => {
  let database: TestDatabase;
  let dataDir: string;
  let server: RunningServer;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'cairn-stop-'));
    const config = readConfig({ DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0', IMAGE_PROCESS: 'false' });
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
});
