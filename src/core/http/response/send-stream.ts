import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { ClientGone } from '../errors/errors.js';

/** Sends a stream as fast as the client reads it. @throws ClientGone */
export async function sendStream(response: Response, stream: Readable): Promise<void> {
  try {
    await pipeline(stream, response);
  } catch (error) {
    throw hasLeft(error) ? new ClientGone() : error;
  }
}

/** Whether sending failed because the client closed the connection. */
export const hasLeft = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
