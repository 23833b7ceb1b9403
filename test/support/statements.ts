import type { EventEmitter } from 'node:events';
import { expect } from '@jest/globals';
import { Client } from 'pg';

/** How many statements all connections of this process sent while `run` ran. Run nothing else beside it. */
export async function countStatements(run: () => Promise<unknown>): Promise<number> {
  const prototype = Client.prototype as unknown as { query: (...parameters: unknown[]) => unknown };
  const original = prototype.query;
  let count = 0;
  prototype.query = function counted(this: unknown, ...parameters: unknown[]): unknown {
    count += 1;
    return original.apply(this, parameters);
  };
  try {
    await run();
  } finally {
    prototype.query = original;
  }
  return count;
}

/** What `explain` has answered. */
export const planText = (rows: readonly { readonly 'QUERY PLAN': string }[]): string =>
  rows.map((row) => row['QUERY PLAN']).join('\n');

const FEW = 2;
const MANY = 12;

/**
 * The same request needs as many statements for little as for much.
 * @param prepare makes as much as it is told, and gives the request
 */
export async function expectConstantStatements(
  prepare: (count: number) => Promise<() => PromiseLike<unknown>>,
): Promise<void> {
  const warmUp = await prepare(1); // the first request of a kind may do more
  await warmUp();
  const counts: number[] = [];
  for (const count of [FEW, MANY]) {
    const request = await prepare(count);
    counts.push(await countStatements(async () => await request()));
  }
  expect(counts[0]).toBeGreaterThan(0);
  expect(counts[1]).toBe(counts[0]);
}

/** What the driver's client has beside its published types. */
interface Connected {
  readonly connection: EventEmitter;
}

/**
 * The most that one statement sent (characters of its parameters as JSON) and was answered (bytes) while `run` ran. Run
 * nothing else beside it.
 */
export async function largestStatement(run: () => Promise<unknown>): Promise<{ sent: number; received: number }> {
  const prototype = Client.prototype as unknown as { query: (...parameters: unknown[]) => unknown };
  const original = prototype.query;
  const largest = { sent: 0, received: 0 };
  const watched = new Map<EventEmitter, () => void>();
  const watch = ({ connection }: Connected): void => {
    let answer = 0;
    const row = ({ length }: { length: number }): void => {
      answer += length;
      largest.received = Math.max(largest.received, answer);
    };
    const ready = (): void => {
      answer = 0;
    };
    connection.on('dataRow', row).on('readyForQuery', ready);
    watched.set(connection, () => connection.off('dataRow', row).off('readyForQuery', ready));
  };
  prototype.query = function measured(this: unknown, ...parameters: unknown[]): unknown {
    const client = this as Connected;
    if (!watched.has(client.connection)) watch(client);
    const [query, values] = parameters as [{ values?: unknown } | null, unknown];
    largest.sent = Math.max(largest.sent, JSON.stringify(query?.values ?? values ?? []).length);
    return original.apply(this, parameters);
  };
  try {
    await run();
  } finally {
    prototype.query = original;
    for (const forget of watched.values()) forget();
  }
  return largest;
}
