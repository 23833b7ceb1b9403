import { readFile } from 'node:fs/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { Client } from 'ldapts';
import { bareHost } from '../sender/address-guard.js';

/** How to connect to the servers of a directory. */
export interface ConnectionSettings {
  /** Whether connections to ldap:// URLs are encrypted before anything is sent. */
  readonly startTls: boolean;
  /** The path of a file in PEM format; empty: the certificate authorities that Node.js knows. */
  readonly ca: string;
}

/** The directory cannot be used: no server responds, or the settings do not fit it. Contains no passwords. */
export class DirectoryError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DirectoryError';
  }
}

const CONNECT_MS = 3_000;
/** For everything that is requested from one server. */
const SERVER_MS = 6_000;

/** The result code (RFC 4511, appendix A); null for an error that is not a response of the server. */
export function resultCode(error: unknown): number | null {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : null;
}

/** The message. Directories often send none with a result, so that its name is added. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  return resultCode(error) === null ? message : `${name.replace(/Error$/, '')} (${message.trim()})`;
}

/**
 * Opens a connection, closes it after use, and limits the time for both.
 * @param limit ends the use earlier
 */
export async function withConnection<T>(
  settings: ConnectionSettings,
  url: string,
  limit: AbortSignal,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { Client } = await import('ldapts');
  const tls = await tlsOptions(settings, url);
  const socket = new OnlySocket();
  const isSecure = url.startsWith('ldaps:');
  const client = new Client({
    url,
    connectTimeout: CONNECT_MS,
    createConnection: socket.open,
    createSecureConnection: socket.openSecure,
    ...(isSecure ? { tlsOptions: tls } : {}),
  });
  const run = async (): Promise<T> => {
    if (settings.startTls && !isSecure) await client.startTLS(tls);
    const result = await use(client);
    await client.unbind();
    return result;
  };
  try {
    return await beforeAbort(AbortSignal.any([limit, AbortSignal.timeout(SERVER_MS)]), run());
  } finally {
    socket.destroy();
  }
}

async function tlsOptions({ ca }: ConnectionSettings, url: string): Promise<ConnectionOptions> {
  const host = bareHost(new URL(url).hostname);
  const authorities = ca === '' ? {} : { ca: await readFile(ca) };
  return { host, ...(isIP(host) === 0 ? { servername: host } : {}), ...authorities };
}

function beforeAbort<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new Error('it took too long'));
    if (limit.aborted) stop();
    else limit.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, aborted]);
}

/**
 * The client connects again whenever a connection is lost, and then without STARTTLS and without the earlier bind. So only
 * one connection may be opened.
 */
class OnlySocket {
  private socket: Socket | undefined;

  readonly open = ((port: number, host: string) => this.first(() => connect(port, host))) as typeof connect;

  /** Called with a port for ldaps://, and with the existing socket for STARTTLS. */
  readonly openSecure = ((...[first, ...rest]: [number | ConnectionOptions, string, ConnectionOptions]) => {
    if (typeof first === 'number') return this.first(() => connectTls(first, ...rest));
    return connectTls(first);
  }) as typeof connectTls;

  destroy(): void {
    this.socket?.destroy();
  }

  private first<S extends Socket>(open: () => S): S {
    if (this.socket !== undefined) throw new Error('the connection was closed');
    const socket = open();
    this.socket = socket;
    return socket;
  }
}
