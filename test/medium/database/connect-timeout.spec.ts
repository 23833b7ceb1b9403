import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../src/migrate.js';

describe('a database that takes connections and says nothing', () => {
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

  it('is given up by the migration, too, when the time of the setting is over', async () => {
    const { port } = silent.address() as AddressInfo;
    const databaseUrl = `postgres://nobody@127.0.0.1:${port}/none`;
    await expect(migrate({ databaseUrl, databaseConnectTimeoutMs: 100 })).rejects.toThrow('timeout');
  });
});
