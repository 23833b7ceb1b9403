import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { ClientGone } from '../errors/errors.js';
import { sendCsv } from './send-csv.js';

const responseTo = (): Response =>
  Object.assign(new PassThrough({ highWaterMark: 1 }), { setHeader: () => undefined }) as unknown as Response;

describe('sendCsv', () => {
  it('reports an error after the first line', async () => {
    const broken = async function* (): AsyncGenerator<string> {
      yield 'id\n';
      await Promise.reject(new Error('the database is gone'));
    };
    await expect(sendCsv(responseTo(), 'a.csv', broken())).rejects.toThrow('the database is gone');
  });

  it('ends if the client leaves', async () => {
    let ended = false;
    const endless = async function* (): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve('1\n');
      } finally {
        ended = true;
      }
    };
    const response = responseTo();
    const sent = sendCsv(response, 'a.csv', endless());
    await once(response, 'readable');
    response.destroy();
    await expect(sent).rejects.toThrow(ClientGone);
    expect(ended).toBe(true);
  });
});
