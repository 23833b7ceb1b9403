import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { ApiError } from '../errors/errors.js';
import { readBytes } from './body.js';

describe('readBytes', () => {
  let server: Server;
  afterEach(() => {
    server.close();
  });

  /** @param leaves whether the client disconnects before the body is read */
  async function read(text: string, leaves: boolean): Promise<Buffer> {
    server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const opened = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(text);
    const [request, response] = await opened;
    if (leaves) {
      const closed = new Promise((resolve) => request.socket.once('close', resolve));
      client.destroy();
      await closed;
    }
    const body = readBytes(request as Request, response as Response, 1_000);
    body.catch(() => undefined).finally(() => client.destroy());
    return body;
  }

  it('returns the body, which can be empty', async () => {
    expect((await read('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}', false)).toString()).toBe('{}');
    expect(await read('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n', false)).toHaveLength(0);
    expect(await read('PUT / HTTP/1.1\r\nHost: x\r\n\r\n', false)).toHaveLength(0);
  });

  it.each([
    ['nothing of it', 'Content-Length: 2\r\n\r\n'],
    ['a part of it', 'Content-Length: 20\r\n\r\n{"shapes":'],
    ['a chunk of it', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'],
  ])('does not treat a body as empty if %s has arrived and the client has disconnected', async (_, rest) => {
    await expect(read(`PUT / HTTP/1.1\r\nHost: x\r\n${rest}`, true)).rejects.toThrow(ApiError);
  });
});
