import { jest } from '@jest/globals';
import { EarlyResponses } from './early-responses';

let timers: (() => void)[] = [];
beforeEach(() => {
  timers = [];
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void) => timers.push(run)) as never);
});
afterEach(() => jest.restoreAllMocks());

/** Lets the time pass after which responses are discarded. */
async function waitLong(): Promise<void> {
  for (const run of timers) run();
  await Promise.resolve();
}

describe('an early response', () => {
  it('is for the first request of the app', async () => {
    const early = new EarlyResponses();
    const response = new Response('content');
    const promise = Promise.resolve(response);
    early.add('a', promise);
    expect([early.take('b'), early.take('a'), early.take('a')]).toEqual([undefined, promise, undefined]);
    await waitLong();
    expect(response.bodyUsed).toBe(false); // the app reads it
  });

  it('is not needed after the app has sent the request itself', () => {
    const early = new EarlyResponses();
    expect(early.isLate('a')).toBe(false);
    void early.take('a');
    expect(early.isLate('a')).toBe(true);
  });

  it('is read and discarded if the app does not take it, so that its connection ends', async () => {
    const early = new EarlyResponses();
    const response = new Response('content');
    early.add('a', Promise.resolve(response));
    await waitLong();
    expect(response.bodyUsed).toBe(true);
    expect(early.take('a')).toBeUndefined();
  });
});
