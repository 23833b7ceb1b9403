import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export const serverVariable = 'CAIRN_TEST_SERVER_URL';
export const templateVariable = 'CAIRN_TEST_TEMPLATE';
/** How databases are copied: by files, which needs to be said since PostgreSQL 15 and cannot be said before. */
export const copyVariable = 'CAIRN_TEST_COPY';

/** A database for one test file, with the current schema and no rows. */
export interface TestDatabase {
  url: string;
  /** Drops it. Fails if a connection to it is still open. */
  drop(): Promise<void>;
}

/** Clones the migrated template. Only for projects whose Jest configuration uses `global-setup.js`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = variable(serverVariable);
  const name = `cairn_test_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${variable(templateVariable)} ${variable(copyVariable)}`);
  return { url: withDatabase(server, name), drop: async () => void (await execute(server, `DROP DATABASE ${name}`)) };
}

/** The URL of another database on the same server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Runs one statement on a connection of its own. @returns its rows */
export async function execute<T extends object = object>(url: string, statement: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: this Jest project does not use test/support/global-setup.js`);
  return value;
}
