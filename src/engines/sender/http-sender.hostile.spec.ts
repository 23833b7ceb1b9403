import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AddressGuard } from './address-guard.js';
import { failureOf } from './failure.js';
import { createSender } from './http-sender.js';
import type { Sender, SenderOptions } from './http-sender.js';

// A self-signed certificate for hooks.test and 127.0.0.1, valid until 2126. Its key is used nowhere else.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZOdGkuuIxCDHcULY
kBfH83vhib+NwHgpeYYCoQ6/xxGhRANCAATamEG2kkYl+kRwi0r5YqjkkfdvFknx
TJahGRr3gVjYauGm6aPibBvchs5+8VvaatyMAvnLPy5V62OiHod9tYFV
-----END PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBnzCCAUSgAwIBAgIULrC4TRWG77guNjI+x/m6I/BUdegwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKaG9va3MudGVzdDAgFw0yNjExMjEwOTM0MDJaGA8yMTI2MTAy
ODA5MzQwMlowFTETMBEGA1UEAwwKaG9va3MudGVzdDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABNqYQbaSRiX6RHCLSvliqOSR928WSfFMlqEZGveBWNhq4abpo+Js
G9yGzn7xW9pq3IwC+cs/LlXrY6Ieh321gVWjcDBuMB0GA1UdDgQWBBQGdNuUbV13
jvNtvW0ckAPOsa8duDAfBgNVHSMEGDAWgBQGdNuUbV13jvNtvW0ckAPOsa8duDAP
BgNVHRMBAf8EBTADAQH/MBsGA1UdEQQUMBKCCmhvb2tzLnRlc3SHBH8AAAEwCgYI
KoZIzj0EAwIDSQAwRgIhAPvcIeUEemoPwsGXxZWkRvj877jHi+67DAj0DUULU6t7
AiEA8YJXbKKagg3T8mddCgKt8qIZn48q4A+lw4ahpa72Ras=
-----END CERTIFICATE-----
`;
// The same for hooks.test, valid only in January 2020.
const expired = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgK3rFbOIzM3zyf6eS
X1A/jKBbzvIK2x2QvhGj/5cM0wShRANCAATwGAPCwrU0EOVXTPzmZt1CmckR9OyP
z/PkEatfEihf97GvrbQaTj6GyzRHJF8ElNhAcZg0jXq5cg60eHYNWziK
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBUDCB96ADAgECAgEBMAoGCCqGSM49BAMCMBUxEzARBgNVBAMMCmhvb2tzLnRl
c3QwHhcNMjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAVMRMwEQYDVQQDDApo
b29rcy50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8BgDwsK1NBDlV0z8
5mbdQpnJEfTsj8/z5BGrXxIoX/exr620Gk4+hss0RyRfBJTYQHGYNI16uXIOtHh2
DVs4iqM4MDYwFQYDVR0RBA4wDIIKaG9va3MudGVzdDAdBgNVHQ4EFgQU1SrbjUlr
N+fn5nSqDWzlvDdHY5swCgYIKoZIzj0EAwIDSAAwRQIgDUVXhwveNnkkCAoKsdqG
2MzaCINIY/ECmlZe0Ed6t4gCIQD+V/jQwSQD/vzP4CKt50babHD6b4qQFF/4fFai
onPkDA==
-----END CERTIFICATE-----
`,
};

const lab = new AddressGuard({ allow: [], allowPrivate: true });
const strict = new AddressGuard({ allow: [], allowPrivate: false });
const body = Buffer.alloc(2000, 'x');
const cleanup: (() => unknown)[] = [];

afterEach(async () => {
  for (const undo of cleanup.splice(0).reverse()) await undo();
});

function sender(options: Partial<SenderOptions> = {}): Sender {
  const made = createSender({ guard: lab, ...options });
  cleanup.push(() => made.close());
  return made;
}

interface Peer {
  port: number;
  url: string;
  sockets: Socket[];
}

/** A server of raw bytes. `behave` receives each connection once the client has sent something. */
async function peer(behave: (socket: Socket) => void, secure = false, options: TlsOptions = {}): Promise<Peer> {
  const sockets: Socket[] = [];
  const onSocket = (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => behave(socket));
  };
  const server = secure ? createTlsServer({ key, cert, ...options }, onSocket) : createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http${secure ? 's' : ''}://127.0.0.1:${port}/`, sockets };
}

const post = (url: string) => ({ url, headers: {}, body, verifyTls: true });
const HEAD = 'HTTP/1.1 200 OK\r\n';

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}

/** Resolves when every connection to the peer is closed. */
async function allClosed({ sockets }: Peer): Promise<void> {
  await Promise.all(sockets.map(closed));
}

/** Writes `piece` repeatedly, as fast as the other side reads it, until the connection is closed. */
function flood(socket: Socket, piece: string | Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece)) continue;
  };
  socket.on('drain', more);
  more();
}

describe('sender and slow receivers', () => {
  it('times out when no response begins', async () => {
    const silent = await peer(() => undefined);
    const result = await sender({ limits: { firstByteMs: 50 } }).send(post(silent.url));
    expect(result).toMatchObject({ statusCode: 504, response: '', error: { kind: 'first-byte-timeout' } });
    expect(result.timings.firstByte).toBeNull();
    await allClosed(silent);
  });

  it('does not extend the timeout for informational responses', async () => {
    const endless = await peer((socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'));
    const result = await sender({ limits: { firstByteMs: 50 } }).send(post(endless.url));
    expect(result).toMatchObject({ statusCode: 504, error: { kind: 'first-byte-timeout' } });
    await allClosed(endless);
  });

  it('times out when the body stops halfway', async () => {
    const stuck = await peer((socket) => socket.write(`${HEAD}Content-Length: 10\r\n\r\nabc`));
    const result = await sender({ limits: { bodyMs: 50 } }).send(post(stuck.url));
    expect(result).toMatchObject({ statusCode: 504, response: '', error: { kind: 'body-timeout' } });
    expect(result.error?.sentence).toContain('responded with 200, but');
    await allClosed(stuck);
  });

  it('times out on a body that arrives too slowly', async () => {
    const dripping = await peer((socket) => {
      socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`);
      const drip = setInterval(() => socket.write('.'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const result = await sender({ limits: { totalMs: 100 } }).send(post(dripping.url));
    expect(result).toMatchObject({ statusCode: 504, error: { kind: 'total-timeout' } });
    await allClosed(dripping);
  });

  it('counts the wait for a free connection, and does not block other endpoints', async () => {
    const silent = await peer(() => undefined);
    const one = sender({ pool: { connections: 1 } });
    const hanging = one.send({ ...post(silent.url), endpoint: 'a' });
    const waiting = one.send({ ...post(silent.url), endpoint: 'a', limits: { totalMs: 50 } });
    const other = one.send({ ...post(silent.url), endpoint: 'b', limits: { firstByteMs: 50 } });
    expect(await waiting).toMatchObject({ statusCode: 504, error: { kind: 'total-timeout' }, addresses: [] });
    expect(await other).toMatchObject({ error: { kind: 'first-byte-timeout' } });
    await one.close();
    expect(await hanging).toMatchObject({ error: { kind: 'stopped' } });
  });

  it('accepts limits for one request', async () => {
    const silent = await peer(() => undefined);
    const result = await sender().send({ ...post(silent.url), limits: { firstByteMs: 30 } });
    expect(result.error?.sentence).toContain('within 30 ms');
  });

  it('times out on a lookup and on a handshake that never end', async () => {
    const silent = await peer(() => undefined);
    const one = sender({ connectMs: 50, resolve: () => new Promise(() => undefined) });
    const lookup = await one.send(post('http://hooks.test/'));
    expect(lookup).toMatchObject({ statusCode: 502, error: { kind: 'connect-timeout' }, addresses: [] });
    const handshake = await one.send(post(silent.url.replace('http:', 'https:')));
    expect(handshake).toMatchObject({ statusCode: 504, error: { kind: 'tls-timeout' }, addresses: ['127.0.0.1'] });
    await allClosed(silent);
  });

  it('stops immediately when it is closed, and sends nothing afterwards', async () => {
    const arrivals = new EventEmitter();
    const seen = once(arrivals, 'request');
    const silent = await peer(() => arrivals.emit('request'));
    const one = sender({ resolve: () => new Promise(() => undefined), pool: { connections: 1 } });
    const urls = [silent.url, silent.url, 'http://hooks.test/'];
    const results = urls.map((url) => one.send(post(url)));
    await seen;
    await one.close();
    const after = await one.send(post(silent.url));
    for (const result of [...(await Promise.all(results)), after]) {
      expect(result).toMatchObject({ statusCode: null, error: { kind: 'stopped' } });
    }
    await allClosed(silent);
  });
});

describe('sender and invalid responses', () => {
  it('stops reading an endless body', async () => {
    const endless = await peer((socket) => {
      socket.write(`${HEAD}\r\n`);
      flood(socket, Buffer.alloc(65_536, 'x'));
    });
    const result = await sender().send(post(endless.url));
    expect(result).toMatchObject({ statusCode: 200, response: '', omitted: 'too-large', error: null });
    await allClosed(endless);
    // The limit, plus the buffers of two sockets.
    expect(endless.sockets[0]?.bytesWritten).toBeLessThan(32 * 1024 * 1024);
  });

  it('does not start reading when ten gigabytes are announced', async () => {
    const large = await peer((socket) => socket.write(`${HEAD}Content-Length: 10000000000\r\n\r\n`));
    expect(await sender().send(post(large.url))).toMatchObject({ statusCode: 200, omitted: 'too-large' });
    await allClosed(large);
  });

  it('does not decompress a bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const head = `${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
    const bomber = await peer((socket) => socket.write(Buffer.concat([Buffer.from(head), bomb])));
    expect(await sender().send(post(bomber.url))).toMatchObject({
      statusCode: 200,
      response: '',
      omitted: 'too-large',
    });
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'bad-response'],
    ['bytes', Buffer.alloc(1000, 0xff), 'bad-response'],
    ['a bad status', 'HTTP/1.1 999999 X\r\n\r\n', 'bad-response'],
    ['no status', 'HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n', 'bad-response'],
    ['a bad header', `${HEAD}no colon\r\n\r\n`, 'bad-response'],
    ['a bad length', `${HEAD}Content-Length: -1\r\n\r\n`, 'bad-response'],
    ['a bad chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 'bad-response'],
    ['two lengths', `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, 'bad-response'],
    ['an upgrade', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 'bad-response'],
    ['large headers', `${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n`, 'bad-response'],
    ['nothing', '', 'closed'],
    ['half a head', 'HTTP/1.1 200 O', 'closed'],
    ['half a body', `${HEAD}Content-Length: 10\r\n\r\nabc`, 'closed'],
    ['half a chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\nff\r\nabc`, 'closed'],
  ])('reports %s', async (_name, bytes, kind) => {
    const odd = await peer((socket) => socket.end(bytes));
    expect(await sender().send(post(odd.url))).toMatchObject({ statusCode: 502, response: '', error: { kind } });
    expect(odd.sockets).toHaveLength(1);
    await allClosed(odd);
  });

  it('reports whether the response had begun when the connection was closed', async () => {
    const half = await peer((socket) => socket.end(`${HEAD}Content-Length: 10\r\n\r\nabc`));
    const none = await peer((socket) => socket.end());
    const sentences = [await sender().send(post(half.url)), await sender().send(post(none.url))];
    expect(sentences.map(({ error }) => error?.sentence)).toEqual([
      expect.stringMatching(/closed the connection before its response with status 200 was complete; see its log/),
      expect.stringMatching(/closed the connection before it responded; see its log.* of the URL$/),
    ]);
  });

  it('stops reading endless headers', async () => {
    const endless = await peer((socket) => {
      socket.write(HEAD);
      flood(socket, 'X-Header: value\r\n');
    });
    const result = await sender().send(post(endless.url));
    expect(result).toMatchObject({ statusCode: 502, error: { kind: 'bad-response' } });
    expect(result.error?.sentence).toContain('headers');
    await allClosed(endless);
  });

  it('ignores bytes that follow a response', async () => {
    const extra = `${HEAD}Content-Length: 1\r\n\r\nAHTTP/1.1 500 Injected\r\nContent-Length: 1\r\n\r\nB`;
    const smuggler = await peer((socket) => socket.write(extra));
    const one = sender();
    expect(await one.send(post(smuggler.url))).toMatchObject({ statusCode: 200, response: 'A' });
    expect(await one.send(post(smuggler.url))).toMatchObject({ statusCode: 200, response: 'A', reused: false });
  });
});

const ok = (socket: Socket) => socket.write(`${HEAD}Content-Length: 2\r\n\r\nok`);
const resolve = () => Promise.resolve(['127.0.0.1']);

describe('sender and TLS', () => {
  it('verifies certificates by default', async () => {
    const secure = await peer(ok, true);
    const one = sender({ resolve });
    const url = `https://hooks.test:${secure.port}/`;
    const refused = await one.send(post(url));
    expect(refused).toMatchObject({ statusCode: 502, response: '', error: { kind: 'tls' } });
    expect(refused.error?.sentence).toMatch(/self-signed.*enable_ssl/);
    expect(await one.send({ ...post(url), verifyTls: false })).toMatchObject({ statusCode: 200, response: 'ok' });
    // A connection opened without verification is not reused for requests with it.
    expect(await one.send(post(url))).toMatchObject({ error: { kind: 'tls' } });
  });

  it('accepts a trusted certificate for its names only', async () => {
    const secure = await peer(ok, true);
    const one = sender({ resolve, ca: cert });
    const good = await one.send(post(`https://hooks.test:${secure.port}/`));
    expect(good).toMatchObject({ statusCode: 200, addresses: ['127.0.0.1'] });
    for (const time of [good.timings.dns, good.timings.connect, good.timings.tls]) expect(time).not.toBeNull();
    expect(await one.send(post(secure.url))).toMatchObject({ statusCode: 200 });
    const wrong = await one.send(post(`https://other.test:${secure.port}/`));
    expect(wrong.error).toMatchObject({ kind: 'tls' });
    expect(wrong.error?.sentence).toContain('for another host name');
  });

  it('reports that the other side does not speak TLS', async () => {
    const plain = await peer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const result = await sender().send(post(plain.url.replace('http:', 'https:')));
    expect(result).toMatchObject({ statusCode: 502, error: { kind: 'tls' } });
    expect(result.error?.sentence).toContain('serves HTTPS');
  });

  it('refuses an expired certificate', async () => {
    const secure = await peer(ok, true, expired);
    const old = await sender({ resolve, ca: expired.cert }).send(post(`https://hooks.test:${secure.port}/`));
    expect(old.error).toMatchObject({ kind: 'tls' });
    expect(old.error?.sentence).toMatch(/its certificate has expired.*enable_ssl/);
  });

  it.each([
    ['supports TLS 1.2', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ['requires no client certificate', { requestCert: true, maxVersion: 'TLSv1.2' }],
  ] as const)('suggests: check that it %s', async (question, options) => {
    const secure = await peer(ok, true, options);
    const result = await sender().send({ ...post(secure.url), verifyTls: false });
    expect(result.error).toMatchObject({ kind: 'tls', sentence: expect.stringContaining(question) });
  });

  it('reports a request for a client certificate after the handshake', () => {
    const error = Object.assign(new Error('alert number 116'), { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' });
    expect(failureOf(error, 'hooks.test:443')).toMatchObject({
      kind: 'tls',
      sentence: expect.stringContaining('TLS with hooks.test:443 failed: it requires a client certificate'),
    });
  });
});

describe('sender and addresses', () => {
  it.each(['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::ffff:127.0.0.1]', '[::1]', '127.0.0.1.'])(
    'does not connect to %s',
    async (host) => {
      const inner = await peer(() => undefined);
      const result = await sender({ guard: strict }).send(post(`http://${host}:${inner.port}/`));
      expect(result).toMatchObject({ statusCode: 502, error: { kind: 'blocked' }, addresses: [] });
      expect(result.error?.sentence).toMatch(/^refused: .* is a loopback address; allow it with WEBHOOK_ALLOW=/);
      expect(inner.sockets).toHaveLength(0);
    },
  );

  it('does not connect to a name that resolves to a private address', async () => {
    const result = await sender({ guard: strict, resolve: () => Promise.resolve(['192.168.0.17', '::1']) }).send(
      post('http://hooks.test/'),
    );
    expect(result.error?.sentence).toBe(
      'refused: hooks.test resolves to a private address; allow it with WEBHOOK_ALLOW=hooks.test',
    );
  });

  it('connects only to the address that it checked, even if the name server responds differently next', async () => {
    const inner = await peer((socket) => socket.end(`${HEAD}\r\n`));
    const answers = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], ['127.0.0.2'], ['::ffff:127.0.0.1']];
    const guard = new AddressGuard({ allow: ['127.0.0.2'], allowPrivate: false });
    const one = sender({ guard, resolve: () => Promise.resolve(answers.shift() ?? []), connectMs: 1000 });
    const seen: unknown[] = [];
    for (let i = answers.length; i > 0; i--) {
      const { error, addresses } = await one.send(post(`http://hooks.test:${inner.port}/`));
      seen.push([error?.kind, addresses]);
    }
    const tried = ['connect', ['127.0.0.2']];
    expect(seen).toEqual([tried, ['blocked', []], tried, tried, ['blocked', []]]);
    expect(inner.sockets).toHaveLength(0);
  });

  it('tries the addresses of a name in order', async () => {
    const inner = await peer((socket) => socket.end(`${HEAD}\r\n`));
    const one = sender({ resolve: () => Promise.resolve(['::1', '127.0.0.1']) });
    const result = await one.send(post(`http://hooks.test:${inner.port}/`));
    expect(result).toMatchObject({ statusCode: 200, addresses: ['::1', '127.0.0.1'] });
  });

  it('reports a refused connection and a name without an address', async () => {
    const gone = await peer(() => undefined);
    for (const undo of cleanup.splice(0)) await undo();
    const refused = await sender().send(post(gone.url));
    expect(refused).toMatchObject({ statusCode: 502, error: { kind: 'connect' }, addresses: ['127.0.0.1'] });
    expect(refused.error?.sentence).toMatch(/refused the connection; check that it runs/);

    const unknown = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    const nowhere = await sender({ resolve: () => Promise.reject(unknown) }).send(post('http://hooks.test/'));
    expect(nowhere).toMatchObject({ statusCode: 502, error: { kind: 'dns' } });
    expect(nowhere.error?.sentence).toContain('unknown host');
    const empty = await sender({ resolve: () => Promise.resolve([]) }).send(post('http://hooks.test/'));
    expect(empty).toMatchObject({ statusCode: 502, error: { kind: 'dns' } });
  });
});
