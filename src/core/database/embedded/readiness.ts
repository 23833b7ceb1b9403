import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { EmbeddedPostgresError, hasCode, messageOf } from './embedded-postgres.error.js';

const pollMs = 20;

/** Queries the server's version, e.g. `18.4`. Throws pg's error if the server cannot be reached. */
async function queryVersion(url: string): Promise<string> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // the query reports a broken connection
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? '';
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Polls until the server accepts connections, and resolves to its version, or to undefined once `goOn` returns false. A
 * server refuses connections during crash recovery, so that is retried; a wrong password is not.
 */
export async function waitUntilReady(url: string, shouldContinue: () => boolean): Promise<string | undefined> {
  while (shouldContinue()) {
    try {
      return await queryVersion(url);
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
