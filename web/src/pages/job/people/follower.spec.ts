import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { CairnError } from 'cairn-client';
import type * as FollowerModule from './follower';

const global = globalThis as { addEventListener?: unknown };
const before = global.addEventListener;
let Follower: typeof FollowerModule.Follower;

beforeAll(async () => {
  global.addEventListener = () => undefined;
  ({ Follower } = await import('./follower'));
});

afterAll(() => {
  if (before === undefined) delete global.addEventListener;
  else global.addEventListener = before;
});

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Lets the follower run until it waits for a long time. */
async function settle(): Promise<void> {
  for (let times = 0; times < 20; times += 1) {
    await Promise.resolve();
    jest.advanceTimersByTime(1_000);
  }
}

it('tries again after an error, and while a save has no response yet', async () => {
  const outcomes = [() => Promise.reject(new Error('no server')), () => Promise.resolve(false)];
  const asked: number[] = [];
  const follower = new Follower((revision) => {
    asked.push(revision);
    return outcomes.shift()?.() ?? Promise.resolve(true);
  });
  follower.follow(5);
  for (let times = 0; times < 5; times += 1) await settle();
  expect(asked).toEqual([5, 5, 5]);
});

it('does not try again if the user can no longer view the job', async () => {
  const asked: number[] = [];
  const follower = new Follower((revision) => {
    asked.push(revision);
    return Promise.reject(new CairnError(new Response('', { status: 403 }), 'Forbidden'));
  });
  follower.follow(5);
  for (let times = 0; times < 5; times += 1) await settle();
  expect(asked).toEqual([5]);
});
