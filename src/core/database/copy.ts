import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import type { ClientBase } from 'pg';
import { from, to } from 'pg-copy-streams';

/**
 * Writes rows with COPY, the fastest way to load a table.
 * @param columns columns of the table, in the order of the fields
 * @param chunks lines in COPY's text format
 */
export async function copyIn(
  client: ClientBase,
  table: string,
  columns: readonly string[],
  chunks: Iterable<string>,
): Promise<void> {
  const target = client.query(from(`copy ${table} (${columns.join(', ')}) from stdin`));
  await pipeline(Readable.from(chunks), target);
}

/**
 * Reads the rows of a query with COPY, the fastest way to read many. The server pauses while the caller does.
 * @param query trusted SQL: COPY takes no parameters
 * @returns lists of lines in COPY's text format, without line breaks
 */
export async function* copyOut(client: ClientBase, query: string): AsyncGenerator<string[]> {
  const source = client.query(to(`copy (${query}) to stdout`));
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + decoder.write(chunk as Buffer)).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines;
  }
}
