import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request as requestTo, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { ApiError } from '../errors/errors.js';
import { inPieces, readMultipart, type SentForm } from './multipart.js';

const MAX_FILE_BYTES = 3 * 2 ** 20;
const FORM = 'multipart/form-data; boundary=x';

const file = (name: string, content: string): string =>
  `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${content}\r\n`;
const END = '--x--\r\n';

describe('readMultipart', () => {
  let folder: string;
  let server: Server;
  let outcomes: Promise<SentForm>[];
  let stored: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'multipart-'));
    [outcomes, stored] = [[], []];
    let ids = 0;
    server = createServer((request, response) => {
      const outcome = readMultipart(request as Request, {
        folder,
        newId: () => String((ids += 1)),
        isFile: (field) => field === 'file',
        onFile: ({ name }) => stored.push(name),
        maxFileBytes: MAX_FILE_BYTES,
        maxFieldBytes: 1000,
      });
      outcomes.push(outcome);
      outcome.then(() => response.end(), () => response.writeHead(400).end()); // prettier-ignore
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterEach(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  function open() {
    const { port } = server.address() as AddressInfo;
    const sent = requestTo({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Type': FORM } });
    sent.on('error', () => undefined); // some tests close it early
    return sent;
  }

  async function send(body: string): Promise<SentForm> {
    open().end(body);
    await once(server, 'request');
    const [outcome] = outcomes;
    if (outcome === undefined) throw new Error('nothing was read');
    return outcome;
  }

  it('keeps many files in order, whatever their size', async () => {
    const contents = Array.from({ length: 100 }, (_, at) =>
      String(at % 10).repeat(at % 7 === 0 ? 1_200_000 : at * 100),
    );
    const { files } = await send(contents.map((content, at) => file(`${at}.jpg`, content)).join('') + END);
    expect(files.map(({ name, bytes }) => [name, bytes])).toEqual(
      contents.map((content, at) => [`${at}.jpg`, content.length]),
    );
    expect(stored.toSorted()).toEqual(files.map(({ name }) => name).toSorted());
    for (const [at, { fileId }] of files.entries())
      expect(Buffer.compare(await readFile(join(folder, fileId)), Buffer.from(contents[at] ?? ''))).toBe(0);
  });

  it('leaves no files of a form that breaks off', async () => {
    const sent = open();
    sent.write(Array.from({ length: 40 }, (_, at) => file(`${at}.jpg`, 'x'.repeat(70_000))).join(''));
    await once(server, 'request');
    sent.write(file('last.jpg', 'x'.repeat(2_000_000)).slice(0, -1000));
    while ((await readdir(folder)).length < 10) await new Promise(setImmediate);
    sent.destroy();
    await expect(outcomes[0]).rejects.toThrow(ApiError);
    expect(await readdir(folder)).toEqual([]);
  });

  it('names files after the last slash, even if the name is dots', async () => {
    const names = ['a.jpg', 'x/b.jpg', String.raw`C:\\x\\c.jpg`, '..', 'x/..'];
    const { files } = await send(names.map((name) => file(name, 'x')).join('') + END);
    expect(files.map(({ name }) => name)).toEqual(['a.jpg', 'b.jpg', 'c.jpg', '..', '..']);
  });

  it('refuses a file that is too large, and leaves none', async () => {
    const body =
      file('small.jpg', 'x') + file('large.jpg', 'x'.repeat(MAX_FILE_BYTES + 1)) + file('next.jpg', 'x') + END;
    await expect(send(body)).rejects.toThrow(`File size exceeds max limit of ${MAX_FILE_BYTES} bytes`);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('inPieces', () => {
  const countsOf = async (parts: readonly Buffer[]): Promise<number[]> => {
    const counts: number[] = [];
    for await (const piece of inPieces(Readable.from(parts))) counts.push(piece.parts.length);
    return counts;
  };

  it('groups parts up to a megabyte, or up to a thousand', async () => {
    const megabytes = (count: number): Buffer => Buffer.alloc(count * 2 ** 20);
    expect(await countsOf([megabytes(0.5), megabytes(0.5), megabytes(2), megabytes(0.1)])).toEqual([2, 1, 1]);
    expect(await countsOf(Array.from({ length: 2500 }, () => Buffer.of(7)))).toEqual([1024, 1024, 452]);
    expect(await countsOf([])).toEqual([0]);
  });
});
