import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { EmbeddedPostgresError, hasCode, messageOf } from './embedded-postgres.error.js';

const pollMs = 20;

/** The server's version, e.g. `18.4`; throws pg's error when it cannot be asked now. */
async function askVersion(url: string): Promise<string> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // a connection that is cut is told by the query
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? '';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Asks until the server answers, and resolves to its version; undefined when `goOn` says to stop asking.
 * A server that recovers from a crash refuses connections for a while; a wrong password will not get better.
 */
export async function waitUntilReady(url: string, goOn: () => boolean): Promise<string | undefined> {
  while (goOn()) {
    try {
      return await askVersion(url);
    } catch (error) {
      if (hasCode(error, '28P01', '28000', '3D000')) throw refusal(error);
      await delay(pollMs);
    }
  }
  return undefined;
}

function refusal(cause: unknown): EmbeddedPostgresError {
  const reason = messageOf(cause);
  return new EmbeddedPostgresError(
    `The embedded PostgreSQL refuses Cairn's own login (${reason}): put back the "password" file that belongs to this data folder from a backup.`,
    { cause },
  );
}
