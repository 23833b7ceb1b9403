import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { InterimResponses, skipInterimResponsesOfFetch } from './interim-responses.js';

const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nHTTP';

/** Reads a text in pieces of each size from 1 byte on, which must all give the same. */
function read(text: string): string {
  const results = new Set<string>();
  for (const size of [1, 2, 7, 40, text.length]) {
    const responses = new InterimResponses();
    let left = '';
    for (let at = 0; at < text.length; at += size) left += responses.skip(Buffer.from(text.slice(at, at + size))).toString();
    results.add(left);
  }
  expect(results.size).toBe(1);
  return [...results][0] ?? '';
} // prettier-ignore

describe('InterimResponses', () => {
  it.each([
    ['nothing', ''],
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['several', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'],
  ])('skips %s before a response', (_, interim) => {
    expect(read(interim + FINAL)).toBe(FINAL);
  }); // prettier-ignore

  it.each([
    ['101', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['another protocol', 'SSH-2.0-x\r\n'],
    ['a body that looks like a response', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
    ['an interim response without an end', `HTTP/1.1 100 Continue\r\nX: ${'x'.repeat(20_000)}`],
  ])('passes on %s', (_, text) => {
    expect(read(text)).toBe(text);
  });

  it('skips those before the next response on the same connection', () => {
    const responses = new InterimResponses();
    responses.skip(Buffer.from(FINAL));
    responses.expectResponse();
    expect(responses.skip(Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${FINAL}`)).toString()).toBe(FINAL);
  });
});

describe('skipInterimResponsesOfFetch', () => {
  it('makes fetch skip 100 Continue, also on a connection that is used again', async () => {
    const undo = skipInterimResponsesOfFetch();
    const server = createServer((_, response) => {
      response.writeContinue();
      response.end('final');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const texts = [await (await fetch(url)).text(), await (await fetch(url)).text()];
      expect(texts).toEqual(['final', 'final']);
    } finally {
      undo();
      server.closeAllConnections();
      server.close();
    }
  });
});
