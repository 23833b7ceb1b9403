import { Client } from 'pg';
import { createTestDatabase } from './database.js';

/** Two connections to their own database, to test what one observes of the other. */
export interface TwoClients {
  readonly clients: readonly [Client, Client];
  /** Closes both and drops the database. */
  close(): Promise<void>;
}

/** @param seed statements that the first connection runs */
export async function openTwoClients(seed: string): Promise<TwoClients> {
  const database = await createTestDatabase();
  const open = (): Client => new Client({ connectionString: database.url });
  const clients = [open(), open()] as const;
  await Promise.all(clients.map((client) => client.connect()));
  await clients[0].query(seed);
  return {
    clients,
    close: async () => {
      await Promise.all(clients.map((client) => client.end()));
      await database.drop();
    },
  };
}
