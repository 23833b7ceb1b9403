import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { streamJson, type WriteText } from './stream-json.js';

describe('streamJson', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Serves what `produce` writes. `outcome` settles when the response has ended. */
  async function serve(
    produce: (write: WriteText) => Promise<void>,
  ): Promise<{ outcome: Promise<unknown>; answer: () => Promise<IncomingMessage> }> {
    let settle: (outcome: unknown) => void = () => undefined;
    const outcome = new Promise((resolve) => (settle = resolve));
    server = createServer((_, response) => {
      streamJson(response as Response, produce).then(
        () => settle('sent'),
        (error: unknown) => {
          if (!response.headersSent) response.writeHead(500).end('refused');
          settle(error);
        },
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = async (): Promise<IncomingMessage> =>
      ((await once(get({ port, agent: false }), 'response')) as [IncomingMessage])[0];
    return { outcome, answer };
  }

  it('sends all pieces in order', async () => {
    const pieces = Array.from({ length: 500 }, (_, index) => `${index},`.repeat(2000));
    const { outcome, answer } = await serve(async (write) => {
      for (const piece of pieces) await write(piece);
    });
    expect((await text(await answer())) === pieces.join('')).toBe(true);
    expect(await outcome).toBe('sent');
  });

  it('renders an error before the first piece as an error response', async () => {
    const { outcome, answer } = await serve(() => Promise.reject(new Error('no such thing')));
    const response = await answer();
    expect([response.statusCode, await text(response)]).toEqual([500, 'refused']);
    expect(await outcome).toEqual(new Error('no such thing'));
  });

  it('closes the connection if the response cannot be completed', async () => {
    const { outcome, answer } = await serve(async (write) => {
      await write('{"shapes":['.repeat(100_000));
      throw new Error('gone');
    });
    await expect(answer().then(text)).rejects.toThrow();
    expect(await outcome).toEqual(new Error('gone'));
  });

  it('stops when the client disconnects', async () => {
    const { outcome, answer } = await serve(async (write) => {
      for (;;) await write('x'.repeat(2 ** 20));
    });
    (await answer()).destroy();
    expect(await outcome).toBeInstanceOf(Error);
  });

  it('waits for a client that does not read', async () => {
    let written = 0;
    const { outcome, answer } = await serve(async (write) => {
      for (; written < 100; written += 1) await write('x'.repeat(2 ** 20));
    });
    const response = await answer();
    for (let turn = 0; turn < 5000; turn += 1) await yieldToEventLoop();
    expect(written).toBeLessThan(100);
    expect((await text(response)).length).toBe(100 * 2 ** 20);
    expect(await outcome).toBe('sent');
  });
});
