import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type ClientRequest, createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { ClientGone } from '../errors/errors.js';
import { readAhead, readingPause, streamJson, type WriteText } from './stream-json.js';

describe('streamJson', () => {
  const usual = { pause: readingPause.ms, readAhead: readAhead.bytes, folder: process.env['TMPDIR'] };
  /** More than the operating system buffers for a connection, which is up to 40 MB. */
  const large = Array.from({ length: 100 }, (_, index) => `é${index}`.repeat(2 ** 18));
  let server: Server | undefined;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stream-'));
    process.env['TMPDIR'] = folder;
  });

  afterEach(async () => {
    server?.closeAllConnections();
    server?.close();
    readingPause.ms = usual.pause;
    readAhead.bytes = usual.readAhead;
    if (usual.folder === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual.folder;
    await rm(folder, { recursive: true });
  });

  /** Serves what `produce` writes. `outcome` settles when the response has ended. */
  async function serve(
    produce: (write: WriteText, response: Response) => Promise<void>,
  ): Promise<{ outcome: Promise<unknown>; request: () => ClientRequest; answer: () => Promise<IncomingMessage> }> {
    let settle: (outcome: unknown) => void = () => undefined;
    const outcome = new Promise((resolve) => (settle = resolve));
    server = createServer((_, response) => {
      streamJson(response as Response, (write) => produce(write, response as Response)).then(
        () => settle('sent'),
        (error: unknown) => {
          if (!response.headersSent) response.writeHead(500).end('refused');
          settle(error);
        },
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const request = (): ClientRequest => get({ port, agent: false }).on('error', () => undefined);
    const answer = async (): Promise<IncomingMessage> => ((await once(request(), 'response')) as [IncomingMessage])[0];
    return { outcome, request, answer };
  }

  /** Serves a client that has not read anything when all text is produced. */
  async function serveUnread(): Promise<{ outcome: Promise<unknown>; response: IncomingMessage }> {
    readAhead.bytes = 2 ** 20;
    let produced: (() => void) | undefined;
    const done = new Promise<void>((resolve) => (produced = resolve));
    const { outcome, answer } = await serve(async (write) => {
      for (const piece of large) await write(piece);
      produced?.();
    });
    const response = await answer();
    await done;
    return { outcome, response };
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
    expect(await outcome).toBeInstanceOf(ClientGone);
  });

  it.each(['', 'one', 'one two'])('reports a client that disconnected before "%s" was written', async (words) => {
    let opened: (() => void) | undefined;
    const open = new Promise<void>((resolve) => (opened = resolve));
    const { outcome, request } = await serve(async (write, response) => {
      opened?.();
      await once(response, 'close');
      for (const word of words.split(' ')) {
        await write(word);
        await yieldToEventLoop();
      }
    });
    const sent = request();
    await open;
    sent.destroy();
    expect(await outcome).toBeInstanceOf(ClientGone);
  });

  it('does not wait for a client that does not read, and keeps the text for it', async () => {
    const { outcome, response } = await serveUnread();
    expect(await readdir(folder)).toHaveLength(1);
    expect((await text(response)) === large.join('')).toBe(true);
    expect(await outcome).toBe('sent');
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves no file behind when a client that does not read disconnects', async () => {
    const { outcome, response } = await serveUnread();
    expect(await readdir(folder)).toHaveLength(1);
    response.destroy();
    expect(await outcome).toBeInstanceOf(Error);
    expect(await readdir(folder)).toEqual([]);
  });

  it('disconnects a client that does not read at all', async () => {
    readingPause.ms = 50;
    readAhead.bytes = 2 ** 20;
    const { outcome, answer } = await serve(async (write) => {
      for (const piece of large) await write(piece);
    });
    const response = await answer();
    expect(await outcome).toBeInstanceOf(Error);
    expect(await readdir(folder)).toEqual([]);
    await expect(text(response)).rejects.toThrow();
  });
});
