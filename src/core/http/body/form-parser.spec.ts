import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { ApiError } from '../errors/errors.js';
import { baseName, parseForm } from './form-parser.js';

const LIMITS = { files: 4, fields: 4, fileSize: 20, fieldSize: 20 };
const TYPE = 'multipart/form-data; boundary=x';

interface Parsed {
  readonly fields: Record<string, string>;
  readonly files: Record<string, string>;
}

/** Accepts files named `file` and skips the others. */
async function parse(request: Request): Promise<Parsed> {
  const parsed: Parsed = { fields: {}, files: {} };
  await parseForm(request, LIMITS, {
    onField(name, value) {
      if (name === 'refused') throw new ApiError(400, { detail: 'refused' });
      parsed.fields[name] = value;
    },
    onFile(field, stream, filename = '') {
      if (field === 'refused') throw new ApiError(400, { detail: 'refused' });
      if (field !== 'file') return false;
      parsed.files[filename] = '';
      stream.on('data', (chunk: Buffer) => (parsed.files[filename] += chunk.toString()));
      return true;
    },
  });
  return parsed;
}

/** @param chunks of a body that is complete unless it is broken off */
function requestOf(chunks: Iterable<Buffer>, contentType = TYPE): Request {
  const request = Readable.from(chunks, { objectMode: false });
  return Object.assign(request, { headers: { 'content-type': contentType } }) as unknown as Request;
}

const part = (disposition: string, content = '1', more = ''): string =>
  `--x\r\nContent-Disposition: ${disposition}\r\n${more}\r\n${content}\r\n`;
const field = (name: string, value?: string): string => part(`form-data; name="${name}"`, value);
const file = (name: string, content?: string): string =>
  part(`form-data; name="${name}"; filename="${name}.txt"`, content);
const END = '--x--\r\n';

const BODIES = {
  'fields and files': field('a') + file('file', 'content') + field('b', '2') + END,
  'a skipped file': file('other', 'content') + field('a') + END,
  'a field with an empty name': field('') + field('a') + END,
  'a field without a name': part('form-data') + field('a') + END,
  'a file without a name': part('form-data; filename="f.txt"') + field('a') + END,
  'a file without name and filename': part('form-data', '1', 'Content-Type: application/octet-stream\r\n') + END,
  'an empty part': '--x\r\n\r\n\r\n' + END,
  'another disposition': part('attachment; name="a"') + END,
  'an unknown charset': part('form-data; name="a"', '1', 'Content-Type: text/plain; charset=none\r\n') + END,
  'a broken header': '--x\r\nContent-Disposition\r\n\r\n1\r\n' + file('other') + END,
  'a header with a control character': `--x\r\nContent-\u0001Disposition: form-data\r\n\r\n1\r\n${END}`,
  'a file that is too large': file('file', 'x'.repeat(40)) + file('other', 'x'.repeat(40)) + field('a') + END,
  'a field that is too large': field('a', 'x'.repeat(40)) + END,
  'too many files': file('other').repeat(6) + END,
  'too many fields': field('a').repeat(6) + END,
  'a field that the handler refuses': file('file') + field('refused') + file('other') + END,
  'a file that the handler refuses': file('file') + file('refused') + file('other') + END,
  'an escape that is cut off': part(`form-data; name="a"; filename*=utf-8''%`) + END,
  'text after the end': field('a') + END + file('other'),
  'no part': END,
  nothing: '',
};

describe('parseForm', () => {
  it('skips parts without a name, as in the contract', async () => {
    const body = part('form-data') + field('') + part('form-data; filename="f"') + field('a') + file('file', 'c') + END;
    expect(await parse(requestOf([Buffer.from(body)]))).toEqual({ fields: { a: '1' }, files: { 'file.txt': 'c' } });
  });

  it('names the field with an unknown charset', async () => {
    const body = Buffer.from(BODIES['an unknown charset']);
    await expect(parse(requestOf([body]))).rejects.toThrow('The charset of the field \\"a\\" is unknown.');
  });

  it.each([
    ['files', 413],
    ['fields', 413],
  ] as const)('refuses too many %s', async (kind, status) => {
    const body = Buffer.from(BODIES[`too many ${kind}`]);
    await expect(parse(requestOf([body]))).rejects.toMatchObject({ status, body: { detail: expect.stringContaining(kind) } }); // prettier-ignore
  });

  // An error outside the promise ends the process, here the test.
  it.each(Object.entries(BODIES))('parses or refuses every prefix of %s, whole and byte by byte', async (_, text) => {
    const body = Buffer.from(text);
    for (let length = 0; length <= body.length; length += 1) {
      const prefix = body.subarray(0, length);
      const bytes = [...prefix].map((byte) => Buffer.of(byte));
      const outcomes = await Promise.allSettled([parse(requestOf([prefix])), parse(requestOf(bytes))]);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(ApiError);
      expect(outcomes[0].status).toBe(outcomes[1].status);
      if (length === body.length && body.includes('a"') && outcomes[0].status === 'fulfilled')
        expect(outcomes[1]).toEqual(outcomes[0]);
    }
  });

  it.each(['', 'text/plain', 'multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary'])(
    'refuses the content type "%s"',
    async (type) => {
      await expect(parse(requestOf([Buffer.from(BODIES['fields and files'])], type))).rejects.toThrow(ApiError);
    },
  );
});

describe('parseForm of a client that disconnects', () => {
  let server: Server;
  let outcomes: Promise<unknown>[];

  beforeEach(async () => {
    outcomes = [];
    server = createServer((request, response) => {
      const outcome = parse(request as Request);
      outcomes.push(outcome);
      outcome.then(() => response.end(), () => response.writeHead(400).end()); // prettier-ignore
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterEach(() => {
    server.close();
  });

  it.each(['fields and files', 'a skipped file', 'a field with an empty name'] as const)(
    'refuses %s, at whichever byte',
    async (name) => {
      const body = Buffer.from(BODIES[name]);
      for (let length = 0; length < body.length; length += 1) {
        const { port } = server.address() as AddressInfo;
        const client = connect(port, '127.0.0.1');
        const opened = once(server, 'request') as Promise<[unknown, NodeJS.EventEmitter]>;
        client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`);
        client.write(body.subarray(0, length));
        const [, response] = await opened;
        const closed = once(response, 'close');
        client.destroy();
        await closed;
        await expect(outcomes.at(-1)).rejects.toThrow(ApiError);
      }
    },
  );

  it('refuses a form whose client disconnected before it is read', async () => {
    const request = requestOf([Buffer.from(BODIES['fields and files'])]);
    request.destroy();
    await expect(parse(request)).rejects.toThrow('Unexpected end');
  });
});

describe('names of files in forms', () => {
  it.each([
    [undefined, ''],
    ['a.txt', 'a.txt'],
    ['/b/a.txt', 'a.txt'],
    [String.raw`C:\b/c\a.txt`, 'a.txt'],
    ['b/', ''],
  ])('are the last segment of a path: %s', (path, name) => {
    expect(baseName(path)).toBe(name);
  });

  it('are found in long paths without searching from each character', () => {
    expect(baseName(`${'a'.repeat(1_000_000)}/b`)).toBe('b');
  });
});
