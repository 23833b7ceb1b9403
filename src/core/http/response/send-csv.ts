import { Readable } from 'node:stream';
import type { Response } from 'express';
import { contentDisposition } from './content-disposition.js';
import { sendStream } from './send-stream.js';

/**
 * Sends CSV while it is created, as fast as the client reads. An error before the first line becomes a response.
 * @throws ClientGone
 */
export async function sendCsv(response: Response, name: string, lines: AsyncGenerator<string>): Promise<void> {
  const first = await lines.next();
  response.setHeader('Content-Type', 'text/csv; charset=utf-8');
  response.setHeader('Content-Disposition', contentDisposition('attachment', name));
  await sendStream(response, Readable.from(startingWith(first, lines), { highWaterMark: 1 }));
}

async function* startingWith(first: IteratorResult<string>, lines: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done !== true) yield first.value;
  yield* lines;
}
