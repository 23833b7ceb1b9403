import { describe, expect, it } from '@jest/globals';
import type { Logger } from '../logging/logger.js';
import { type Email, EmailQueue } from './email-queue.js';

const email: Email = { to: 'a@example.org', subject: 'Hello', link: 'http://h/x' };

/** A queue without pauses whose deliveries fail with these errors in turn, and then succeed. */
function queueThatFails(errors: readonly Error[], retryMs: readonly number[] = [0, 0]) {
  const told: string[] = [];
  const note = (_: unknown, text: string): unknown => told.push(text);
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => (ended = resolve));
  let attempts = 0;
  const queue = new EmailQueue({
    deliver: async () => {
      const error = errors[attempts];
      attempts += 1;
      if (error !== undefined) throw error;
      ended();
    },
    isFinal: (error) => (error as Error).message === 'no such person',
    log: { warn: note, error: (object: unknown, text: string) => (note(object, text), ended()) } as unknown as Logger,
    retryMs,
  });
  return { queue, end, told, attempts: () => attempts };
}

describe('the queue of emails', () => {
  it('retries until the email is sent', async () => {
    const { queue, end, told, attempts } = queueThatFails([new Error('away'), new Error('away')]);
    queue.add(email);
    await end;
    expect(attempts()).toBe(3);
    expect(told).toEqual(Array.from({ length: 2 }, () => '"Hello" could not be sent; trying again in 0 s'));
  });

  it('gives up after the last attempt', async () => {
    const { queue, end, told } = queueThatFails(Array.from({ length: 3 }, () => new Error('away')));
    queue.add(email);
    await end;
    expect(told.at(-1)).toBe('"Hello" was not sent: away');
  });

  it('does not retry permanent failures', async () => {
    const { queue, end, told, attempts } = queueThatFails([new Error('no such person')]);
    queue.add(email);
    await end;
    expect([attempts(), told]).toEqual([1, ['"Hello" was not sent: no such person']]);
  });

  it('logs which emails are lost when the process exits', async () => {
    const { queue, told, attempts } = queueThatFails([new Error('away')], [3_600_000]);
    queue.add(email);
    while (told.length === 0) await new Promise(setImmediate);
    await queue.stop();
    queue.add(email);
    expect(told.slice(1)).toEqual([
      '"Hello" was not sent: the server stopped before the next attempt',
      '"Hello" was not sent: the server is stopping',
    ]);
    expect(attempts()).toBe(1);
  });

  it('keeps a limited number of emails', async () => {
    const told: string[] = [];
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const log = { error: (_: unknown, text: string) => told.push(text) } as unknown as Logger;
    const queue = new EmailQueue({ deliver: () => gate, isFinal: () => true, log });
    for (let n = 0; n < 1001; n += 1) queue.add(email);
    expect(told).toEqual(['"Hello" was not sent: too many e-mails are pending']);
    release();
    await queue.stop();
    expect(told).toHaveLength(1);
  });
});
