import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { closedFolder } from './account.js';
import { EmbeddedPostgresError, hasCode } from './embedded-postgres.error.js';
import type { ServerLayout } from './server-layout.js';

/** Where the server listens: a folder with a Unix socket, or a loopback address. */
export interface Endpoint {
  host: string;
  port: number;
}

export type Transport = 'socket' | 'tcp';

export const databaseName = 'cairn';
export const roleName = 'cairn';

const socketPort = 5432; // only used in the name of the socket file
// sockaddr_un holds 108 bytes on Linux and 104 on macOS.
const longestSocketPath = 100;

/**
 * Whether the path of a Unix socket in `folder` is short enough and has no character that is special in PostgreSQL's
 * folder list.
 */
export function canHoldSocket(folder: string): boolean {
  return !/[,"@\n]/.test(folder) && Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) <= longestSocketPath;
}

/** A connection URL that pg, TypeORM and libpq accept. A socket folder is percent-encoded as the host. */
export function connectionUrl({ host, port }: Endpoint, password: string): string {
  return `postgres://${roleName}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${databaseName}`;
}

/** PostgreSQL settings that make the server listen at `endpoint` only. */
export function endpointSettings({ host, port }: Endpoint): Record<string, string> {
  return host.startsWith('/')
    ? { listen_addresses: '', unix_socket_directories: host, port: String(port) }
    : { listen_addresses: host, unix_socket_directories: '', port: String(port) };
}

/** Prepares the endpoint for the server of `layout`. The same layout gets the same endpoint if possible. */
export async function prepareEndpoint(layout: ServerLayout, transport: Transport): Promise<Endpoint> {
  return transport === 'socket'
    ? { host: await prepareSocketFolder(layout), port: socketPort }
    : { host: '127.0.0.1', port: await choosePort(join(layout.root, 'port')) };
}

async function prepareSocketFolder(layout: ServerLayout): Promise<string> {
  const inside = join(layout.root, 'socket');
  if (canHoldSocket(inside)) return makePrivateFolder(inside, layout);
  const base = [tmpdir(), '/tmp'].find(
    (folder) => canHoldSocket(shortFolder(folder, layout)) && !(layout.account && closedFolder(folder, layout.account)),
  );
  if (base !== undefined) return makePrivateFolder(shortFolder(base, layout), layout);
  throw new EmbeddedPostgresError(
    `The path ${inside} is too long for a unix socket and there is no usable temporary folder: set DATA_DIR to a folder with a shorter path.`,
  );
}

/** A name that is stable across restarts, so that processes that share the server find it again. */
function shortFolder(base: string, layout: ServerLayout): string {
  return join(base, `cairn-${createHash('sha256').update(layout.root).digest('hex').slice(0, 16)}`);
}

async function makePrivateFolder(folder: string, { account }: ServerLayout): Promise<string> {
  const uid = account?.uid ?? process.getuid?.() ?? 0;
  try {
    await mkdir(folder, { mode: 0o700 });
    if (account) await chown(folder, account.uid, account.gid);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  const found = await lstat(folder);
  // In a shared temporary folder another user could have created this name first, to capture the password.
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== process.getuid?.())) {
    throw new EmbeddedPostgresError(
      `The socket folder ${folder} belongs to another user: remove it, or set DATA_DIR to another folder.`,
    );
  }
  if (account && found.uid !== uid) await chown(folder, account.uid, account.gid);
  if ((found.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
  return folder;
}

/** Removes a socket folder outside the data folder after its server has stopped. */
export async function removeEndpoint({ host }: Endpoint, layout: ServerLayout): Promise<void> {
  if (host.startsWith('/') && dirname(host) !== layout.root) await rmdir(host).catch(() => undefined);
}

/** The previously used port if it is free, else another free port. */
async function choosePort(file: string): Promise<number> {
  const last = Number(await readFile(file, 'utf8').catch(() => ''));
  const port = (last > 0 && last < 65_536 && (await freePort(last))) || (await freePort(0));
  if (!port)
    throw new EmbeddedPostgresError(
      'No free TCP port on 127.0.0.1 for PostgreSQL: stop a program that uses many ports, or set DATABASE_URL.',
    );
  await writeFile(file, String(port));
  return port;
}

/** Resolves to the port (for 0, one that the system picks) if 127.0.0.1 can listen on it, else to undefined. */
function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}
