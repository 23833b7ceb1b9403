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
