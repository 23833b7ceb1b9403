import { jest } from '@jest/globals';
import { EarlyResponses } from './early-responses';

const cancelled: string[] = [];
const responseTo = (key: string): Promise<Response> =>
  Promise.resolve(new Response(new ReadableStream({ cancel: () => void cancelled.push(key) })));

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
    const response = responseTo('a');
    early.add('a', response);
    expect([early.take('b'), early.take('a'), early.take('a')]).toEqual([undefined, response, undefined]);
    await waitLong();
    expect(cancelled).toEqual([]); // the app reads it
  });

  it('is not needed after the app has sent the request itself', () => {
    const early = new EarlyResponses();
    expect(early.isLate('a')).toBe(false);
    early.take('a');
    expect(early.isLate('a')).toBe(true);
  });

  it('is discarded with its connection if the app does not take it', async () => {
    const early = new EarlyResponses();
    early.add('a', responseTo('a'));
    await waitLong();
    expect(cancelled).toEqual(['a']);
    expect(early.take('a')).toBeUndefined();
  });
});
