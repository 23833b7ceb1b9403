import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as breath } from 'node:timers/promises';
import type { Response } from 'express';

/** How far a producer may be ahead of a slow client; it can then give back what it holds (a connection). */
const READ_AHEAD_BYTES = 32 * 2 ** 20;
/** Other requests get their turn after so much text. */
const TURN_LENGTH = 2 ** 20;

/** Takes the next piece of an answer; the promise is fulfilled when there is room for more. */
export type WriteText = (text: string) => Promise<void>;

/**
 * Answers with JSON text that is made piece by piece. What fails before the first piece is answered as an error; later
 * the connection is cut, so that nobody takes a part for the whole.
 */
export async function streamJson(response: Response, produce: (write: WriteText) => Promise<void>): Promise<void> {
  const buffer = new PassThrough({ highWaterMark: READ_AHEAD_BYTES });
  let sent: Promise<void> | undefined;
  let length = 0;
  const write: WriteText = async (text) => {
    if (sent === undefined) {
      sent = pipeline(buffer, response);
      sent.catch(() => undefined); // awaited below; until then a client that is gone shows in `destroyed`
    }
    if (buffer.destroyed) throw new Error('the client is gone');
    if (!buffer.write(text)) await once(buffer, 'drain');
    length += text.length;
    if (length < TURN_LENGTH) return;
    length = 0;
    await breath();
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
