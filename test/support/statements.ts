import type { EventEmitter } from 'node:events';
import { expect } from '@jest/globals';
import { Client } from 'pg';

/** Where files are is read again every two seconds, by whatever needs a file then. */
const PERIODIC = /media_target as target[\s\S]* from installation/;

/**
 * The number of statements that all connections of this process send during `run`. Run nothing else at the same time.
 */
export async function countStatements(run: () => Promise<unknown>): Promise<number> {
  const prototype = Client.prototype as unknown as { query: (...parameters: unknown[]) => unknown };
  const original = prototype.query;
  let count = 0;
  prototype.query = function counted(this: unknown, ...parameters: unknown[]): unknown {
    const [query] = parameters as [string | { readonly text?: string }];
    if (!PERIODIC.test(typeof query === 'string' ? query : (query.text ?? ''))) count += 1;
    return original.apply(this, parameters);
  };
  try {
    await run();
  } finally {
    prototype.query = original;
  }
  return count;
}

/** The plan that `explain` returns. */
export const planText = (rows: readonly { readonly 'QUERY PLAN': string }[]): string =>
  rows.map((row) => row['QUERY PLAN']).join('\n');

const FEW = 2;
const MANY = 12;

/**
 * Expects that a request needs the same number of statements for few objects as for many.
 * @param prepare creates the given number of objects, and returns the request
 */
export async function expectConstantStatements(
  prepare: (count: number) => Promise<() => PromiseLike<unknown>>,
): Promise<void> {
  const warmUp = await prepare(1); // the first request of its type may need more
  await warmUp();
  const counts: number[] = [];
  for (const count of [FEW, MANY]) {
    const request = await prepare(count);
    counts.push(await countStatements(async () => await request()));
  }
  expect(counts[0]).toBeGreaterThan(0);
  expect(counts[1]).toBe(counts[0]);
}

/** Members of the driver's client that its published types lack. */
interface Connected {
  readonly connection: EventEmitter;
}

/**
 * The largest statement during `run`: characters of its parameters as JSON, and bytes of its result. Run nothing else
 * at the same time.
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
