import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Response } from 'express';
import { ClientGone } from '../errors/errors.js';
import { Spool } from '../../../engines/files/spool.js';
import { temporaryPath } from '../../../engines/media/temporary.js';
import { hasLeft } from './send-stream.js';

/** How much text for a slow client is kept in memory. What follows is kept in a temporary file. */
export const readAhead = { bytes: 32 * 2 ** 20 };
/** A client that reads nothing for this long, or up to twice as long, counts as gone. */
export const readingPause = { ms: 60_000 };
/** Length of text after which other requests get a turn. */
const TURN_LENGTH = 2 ** 20;

/** Responses that are stored for repetitions of their requests. They are completed even if the client has gone. */
export const storedResponses = new WeakSet<Response>();

/** Writes the next piece of a response. The promise resolves when there is room for more. */
export type WriteText = (text: string) => Promise<void>;

/**
 * Streams JSON text piece by piece. An error before the first piece is rendered as an error response. After that, the
 * connection is closed, so that no client mistakes a partial response for a complete one. The producer never waits for a
 * slow client, because it holds a connection to the database.
 */
export async function streamJson(response: Response, produce: (write: WriteText) => Promise<void>): Promise<void> {
  if (storedResponses.has(response)) return sendWhole(response, produce);
  const buffer = new PassThrough({ highWaterMark: readAhead.bytes });
  let sent: Promise<void> | undefined;
  let rest: Spool | undefined;
  const takeTurns = turns();
  const write: WriteText = async (text) => {
    if (sent === undefined) {
      closeAfterPause(response);
      sent = pipeline(buffer, response);
      sent.catch(() => undefined); // awaited below; until then `destroyed` shows a disconnected client
    }
    if (buffer.destroyed) throw new ClientGone();
    if (rest === undefined && buffer.writableNeedDrain) rest = await Spool.open(temporaryPath());
    if (rest === undefined) buffer.write(text);
    else await rest.add(text);
    await takeTurns(text);
  };
  try {
    await produce(write);
    if (rest !== undefined) await sendRest(rest, buffer);
    buffer.end();
    await sent;
  } catch (error) {
    buffer.destroy();
    throw hasLeft(error) ? new ClientGone() : error;
  } finally {
    await rest?.close();
  }
}

async function sendRest(rest: Spool, buffer: PassThrough): Promise<void> {
  for await (const text of rest.read()) {
    if (buffer.destroyed) throw new ClientGone();
    if (!buffer.write(text)) await once(buffer, 'drain');
  }
}

/** The timer of a socket starts again with each progress. */
function closeAfterPause(response: Response): void {
  response.setTimeout(readingPause.ms, () => {
    if (response.writableLength > 0) response.destroy(); // otherwise the server is slow
  });
}

async function sendWhole(response: Response, produce: (write: WriteText) => Promise<void>): Promise<void> {
  const pieces: Buffer[] = [];
  const takeTurns = turns();
  await produce((text) => {
    pieces.push(Buffer.from(text));
    return takeTurns(text);
  });
  response.end(Buffer.concat(pieces));
}

/** @returns a function that gives other requests a turn whenever enough text has been produced */
function turns(): WriteText {
  let length = 0;
  return async (text) => {
    length += text.length;
    if (length < TURN_LENGTH) return;
    length = 0;
    await yieldToEventLoop();
  };
}
