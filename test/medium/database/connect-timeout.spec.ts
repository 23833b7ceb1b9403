import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../src/migrate.js';

describe('a database that accepts connections and never responds', () => {
  let silent: Server;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });

  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('makes the migration time out, too', async () => {
    const { port } = silent.address() as AddressInfo;
    const databaseUrl = `postgres://nobody@127.0.0.1:${port}/none`;
    await expect(migrate({ databaseUrl, databaseConnectTimeoutMs: 100 })).rejects.toThrow('timeout');
  });
});
