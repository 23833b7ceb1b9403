import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Response } from 'express';

/** How far a producer may be ahead of a slow client, so that it can release what it holds (a connection) early. */
const READ_AHEAD_BYTES = 32 * 2 ** 20;
/** Length of text after which other requests get a turn. */
const TURN_LENGTH = 2 ** 20;

/** Writes the next piece of a response. The promise resolves when there is room for more. */
export type WriteText = (text: string) => Promise<void>;

/**
 * Streams JSON text piece by piece. An error before the first piece is rendered as an error response. After that, the
 * connection is closed, so that no client mistakes a partial response for a complete one.
 */
export async function streamJson(response: Response, produce: (write: WriteText) => Promise<void>): Promise<void> {
  const buffer = new PassThrough({ highWaterMark: READ_AHEAD_BYTES });
  let sent: Promise<void> | undefined;
  let length = 0;
  const write: WriteText = async (text) => {
    if (sent === undefined) {
      sent = pipeline(buffer, response);
      sent.catch(() => undefined); // awaited below; until then `destroyed` shows a disconnected client
    }
    if (buffer.destroyed) throw new Error('the client is gone');
    if (!buffer.write(text)) await once(buffer, 'drain');
    length += text.length;
    if (length < TURN_LENGTH) return;
    length = 0;
    await yieldToEventLoop();
  };
  try {
    await produce(write);
  } catch (error) {
    buffer.destroy();
    throw error;
  }
  buffer.end();
  await sent;
}
