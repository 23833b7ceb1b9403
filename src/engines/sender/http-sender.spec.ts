import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync, brotliCompressSync, deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AddressGuard } from './address-guard.js';
import { createSender } from './http-sender.js';
import type { Sender, SenderOptions } from './http-sender.js';

const guard = new AddressGuard({ allow: [], allowPrivate: true });
const body = Buffer.from('{"event": "ping"}');
const cleanup: (() => unknown)[] = [];

afterEach(async () => {
  for (const undo of cleanup.splice(0).reverse()) await undo();
});

function sender(options: Partial<SenderOptions> = {}): Sender {
  const made = createSender({ guard, ...options });
  cleanup.push(() => made.close());
  return made;
}

/** A receiver on a free loopback port; `sockets` are the connections it has accepted. */
async function receiver(listener: RequestListener): Promise<{ url: string; sockets: Socket[] }> {
  const server = createServer(listener);
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`, sockets };
}

const post = (url: string, headers: Record<string, string> = {}) => ({ url, headers, body, verifyTls: true });

async function read(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString();
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}

/** A listener with a fixed response. */
const answers =
  (status: number, headers: Record<string, string> = {}, text: string | Buffer = ''): RequestListener =>
  (request, response: ServerResponse) => {
    request.resume();
    response.writeHead(status, headers).end(text);
  };

describe('sender', () => {
  it('also passes to `refuse` the addresses that the guard allows, after the DNS lookup', async () => {
    const { url, sockets } = await receiver(answers(204));
    const asked: unknown[] = [];
    const refusing = sender({
      resolve: () => Promise.resolve(['127.0.0.1']),
      refuse: (address, { hostname, port, path }) => {
        asked.push([address, hostname, String(port), path]);
        return 'refused: this server itself';
      },
    });
    const named = new URL(url);
    named.hostname = 'alias.example';
    const result = await refusing.send(post(named.href));
    expect(result.error).toEqual({ kind: 'blocked', sentence: 'refused: this server itself' });
    expect(asked).toEqual([['127.0.0.1', 'alias.example', named.port, '/hook']]);
    expect(sockets).toEqual([]);
  });

  it('posts the bytes and headers as given and reports the result', async () => {
    const seen: unknown[] = [];
    const { url } = await receiver((request, response) => {
      void read(request).then((text) => {
        seen.push([request.method, request.url, text, request.headers]);
        response.writeHead(201, { 'X-Answer': 'yes' }).end('thanks');
      });
    });
    const result = await sender().send(
      post(url, { 'content-type': 'application/json', 'X-Signature-256': 'sha256=00' }),
    );
    expect(result).toMatchObject({ statusCode: 201, response: 'thanks', omitted: null, error: null, reused: false });
    expect(result).toMatchObject({ headers: { 'x-answer': 'yes' }, addresses: ['127.0.0.1'] });
    expect(result.timings).toMatchObject({ dns: null, tls: null });
    expect(result.timings.firstByte).toBeLessThanOrEqual(result.timings.total);
    expect(result.timings.connect).toBeLessThanOrEqual(result.timings.total);
    const headers = {
      host: new URL(url).host,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(body.length),
      'x-signature-256': 'sha256=00',
    };
    expect(seen).toEqual([['POST', '/hook?a=1', body.toString(), headers]]);
  });

  it('reuses connections, and reports connection timings only for the request that opened one', async () => {
    const { url, sockets } = await receiver(answers(200));
    const one = sender();
    await one.send(post(url));
    const second = await one.send(post(url));
    expect(second).toMatchObject({
      statusCode: 200,
      reused: true,
      timings: { connect: null },
      addresses: ['127.0.0.1'],
    });
    expect(sockets).toHaveLength(1);
  });

  it('opens a new connection after a response with Connection: close', async () => {
    const { url, sockets } = await receiver(answers(200, { connection: 'close' }, 'bye'));
    const one = sender({ pool: { connections: 1 } });
    const results = await Promise.all([1, 2, 3].map(() => one.send(post(url))));
    for (const result of results) expect(result).toMatchObject({ response: 'bye', reused: false });
    expect(sockets).toHaveLength(3);
  });

  it('sends at most as many requests at a time as connections are allowed', async () => {
    let now = 0;
    let most = 0;
    const { url, sockets } = await receiver((request, response) => {
      most = Math.max(most, ++now);
      void read(request).then(() => {
        now--;
        response.end();
      });
    });
    const one = sender({ pool: { connections: 2 } });
    const results = await Promise.all(Array.from({ length: 20 }, () => one.send(post(url))));
    expect(results.every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect(most).toBeLessThanOrEqual(2);
    expect(sockets).toHaveLength(2);
  });

  it('repeats once when a reused connection turns out to be closed', async () => {
    let requests = 0;
    const { url, sockets } = await receiver((request, response) => {
      if (++requests === 2) request.socket.destroy();
      else response.end(String(requests));
    });
    const one = sender();
    await one.send(post(url));
    expect(await one.send(post(url))).toMatchObject({ statusCode: 200, response: '3', reused: false });
    expect(sockets).toHaveLength(2);
  });

  it('does not repeat twice, nor on a connection that never worked', async () => {
    let requests = 0;
    const { url } = await receiver((request, response) => {
      if (++requests === 1) response.end();
      else request.socket.destroy();
    });
    const one = sender();
    await one.send(post(url));
    expect(await one.send(post(url))).toMatchObject({ statusCode: 502, error: { kind: 'closed' } });
    expect(requests).toBe(3);
    expect(await one.send(post(url))).toMatchObject({ statusCode: 502, error: { kind: 'closed' } });
    expect(requests).toBe(4);
  });

  it('forgets the endpoints that have been idle longest, with their connections', async () => {
    const { url, sockets } = await receiver(answers(200));
    const one = sender({ idleEndpoints: 2 });
    const urls = ['a', 'b', 'c', 'd', 'e'].map((name) => `${url}&endpoint=${name}`);
    for (const each of urls) await one.send(post(each));
    await Promise.all(sockets.slice(0, 3).map(closed));
    expect(sockets.map((socket) => socket.destroyed)).toEqual([true, true, true, false, false]);
    expect(await one.send(post(urls[4] ?? ''))).toMatchObject({ reused: true });
    expect(await one.send(post(urls[0] ?? ''))).toMatchObject({ statusCode: 200, reused: false });
  });

  describe('responses', () => {
    it.each([204, 299])('counts %s as delivered', async (status) => {
      const { url } = await receiver(answers(status));
      expect(await sender().send(post(url))).toMatchObject({ statusCode: status, error: null, response: '' });
    });

    it.each([
      [400, '; see its log for the cause'],
      [404, '; check the path of target_url'],
      [410, ''],
      [429, '; lower rate_limit or max_concurrency'],
      [503, '; see its log for the cause'],
    ])('reports %s with headers, body and advice', async (status, advice) => {
      const { url } = await receiver(answers(status, { 'retry-after': '7' }, 'no'));
      expect(await sender().send(post(url))).toMatchObject({
        statusCode: status,
        response: 'no',
        headers: { 'retry-after': '7' },
        error: { kind: 'status', sentence: `the receiver responded with ${status}${advice}` },
      });
    });

    it.each([301, 302, 303, 307, 308])('does not follow %s', async (status) => {
      let hits = 0;
      const { url } = await receiver((request, response) => {
        hits++;
        answers(status, { location: '/elsewhere' })(request, response);
      });
      const result = await sender().send(post(url));
      expect(result).toMatchObject({ statusCode: status, error: { kind: 'redirect' } });
      expect(result.error?.sentence).toContain('to /elsewhere;');
      expect(hits).toBe(1);
    });

    it('skips informational responses', async () => {
      const { url } = await receiver((_request, response) => {
        response.writeEarlyHints({ link: '</a>; rel=preload' });
        response.end('final');
      });
      expect(await sender().send(post(url))).toMatchObject({ statusCode: 200, response: 'final' });
    });

    it('skips 100 Continue, also on a connection that is used again', async () => {
      const { url } = await receiver((_request, response) => {
        response.writeContinue();
        response.writeProcessing();
        response.end('final');
      });
      const own = sender();
      const results = [await own.send(post(url)), await own.send(post(url))];
      expect(results).toMatchObject([
        { statusCode: 200, response: 'final', reused: false },
        { statusCode: 200, response: 'final', reused: true },
      ]);
    });

    it('replaces invalid UTF-8', async () => {
      const { url } = await receiver(answers(200, {}, Buffer.from([0x61, 0xff, 0xc3, 0xa9])));
      expect((await sender().send(post(url))).response).toBe('a\ufffdé');
    });

    it.each([
      ['gzip', gzipSync('text')],
      ['X-GZIP', gzipSync('text')],
      ['deflate', deflateSync('text')],
      ['br', brotliCompressSync('text')],
      ['identity', 'text'],
    ])('decodes %s', async (encoding, bytes) => {
      const { url } = await receiver(answers(200, { 'content-encoding': encoding }, bytes));
      expect(await sender().send(post(url))).toMatchObject({ response: 'text', omitted: null, statusCode: 200 });
    });

    it.each(['gzip', 'zstd', 'gzip, br'])(
      'keeps the status of an answer that is not the %s it says',
      async (encoding) => {
        const { url } = await receiver(answers(200, { 'content-encoding': encoding }, 'text'));
        const result = await sender().send(post(url));
        expect(result).toMatchObject({ response: '', omitted: 'undecodable', statusCode: 200, error: null });
      },
    );

    it('keeps a body of exactly the limit, however it is split, and no larger one', async () => {
      const { url } = await receiver((request, response) => {
        const size = Number(new URL(request.url ?? '', 'http://x').searchParams.get('size'));
        for (let i = 0; i < size; i++) response.write(String(i % 10));
        response.end();
      });
      const one = sender({ limits: { responseBytes: 3000 } });
      const whole = await one.send(post(`${url}&size=3000`));
      expect(whole).toMatchObject({ response: '0123456789'.repeat(300), omitted: null });
      const larger = await one.send(post(`${url}&size=3001`));
      expect(larger).toMatchObject({ statusCode: 200, response: '', omitted: 'too-large', error: null });
    });
  });

  describe('bad requests', () => {
    it.each(['', 'nonsense', 'ftp://example.org/', 'file:///etc/passwd', 'javascript:1'])('refuses %j', async (url) => {
      const result = await sender().send(post(url));
      expect(result).toMatchObject({ statusCode: 502, error: { kind: 'invalid-request' } });
      expect(result.error?.sentence).toMatch(/http or https/);
    });

    it('refuses credentials in the URL', async () => {
      const result = await sender().send(post('http://me:secret@127.0.0.1/'));
      expect(result.error).toMatchObject({ kind: 'invalid-request' });
      expect(result.error?.sentence).not.toContain('secret');
    });

    it('refuses a header with a line break, and sends the next request', async () => {
      const { url } = await receiver(answers(200));
      const one = sender();
      expect(await one.send(post(url, { 'x-a': 'b\r\nc: d' }))).toMatchObject({ error: { kind: 'invalid-request' } });
      expect(await one.send(post(url))).toMatchObject({ statusCode: 200 });
    });

    it('rejects invalid limits', async () => {
      expect(() => createSender({ guard, connectMs: Infinity })).toThrow('connectMs must be a whole number');
      expect(() => createSender({ guard, pool: { connections: 0 } })).toThrow(/connections/);
      await expect(sender().send({ ...post('http://x/'), limits: { totalMs: 0.5 } })).rejects.toThrow(/totalMs/);
    });
  });
});
