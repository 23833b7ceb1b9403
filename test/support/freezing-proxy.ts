import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A proxy to a database that can stop responding without closing connections, like a frozen machine. */
export interface FreezingProxy {
  /** URL of the database through the proxy. */
  readonly url: string;
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

export async function freezingProxy(databaseUrl: string): Promise<FreezingProxy> {
  const target = new URL(databaseUrl);
  const host = decodeURIComponent(target.hostname); // or the folder of a Unix socket
  const port = Number(target.port || 5432);
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer((client) => {
    const database = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.on('data', (data) => database.write(data)).on('close', () => database.destroy());
    database.on('data', (data) => client.write(data)).on('close', () => client.destroy());
    if (frozen) for (const socket of [client, database]) socket.pause();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  const url = databaseUrl.replace(/@[^/]+\//, `@127.0.0.1:${ownPort}/`);
  return {
    url,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
