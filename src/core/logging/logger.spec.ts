import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';

/** @returns the line that was logged */
function logged(fields: object): Record<string, unknown> {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  createLogger('info', destination).warn(fields, 'failed');
  return JSON.parse(lines.join('')) as Record<string, unknown>;
}

describe('createLogger', () => {
  it('logs errors with their cause, without the request that an HTTP client attaches', () => {
    const error = Object.assign(new Error('refused', { cause: new Error('no such host') }), {
      code: 'ECONNREFUSED',
      config: { headers: { Authorization: 'Basic c2VjcmV0' }, data: 'an image' },
      request: { path: '/secret' },
      response: { data: 'a body' },
    });
    const { err } = logged({ err: error });
    expect(err).toMatchObject({ message: 'refused: no such host', code: 'ECONNREFUSED' });
    expect(Object.keys(err as object).toSorted()).toEqual(['code', 'message', 'stack', 'type']);
  });

  it('logs what was thrown if it is not an error', () => {
    expect(logged({ err: 'a text' })['err']).toBe('a text');
  });

  it('hides passwords and tokens', () => {
    expect(logged({ password: 'x', user: { token: 'y' } })).toMatchObject({
      password: '[hidden]',
      user: { token: '[hidden]' },
    });
  });
});
