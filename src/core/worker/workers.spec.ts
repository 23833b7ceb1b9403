import { expect, it, jest } from '@jest/globals';
import { Workers } from './workers.js';

it('starts the workers of the kinds that it is told, and stops all', async () => {
  const workers = new Workers();
  const of = () => ({ start: jest.fn<() => void>(), stop: jest.fn(() => Promise.resolve()) });
  const [events, requests, upkeep] = [of(), of(), of()];
  workers.add(events, 'events');
  workers.add(requests, 'requests');
  workers.add(upkeep);
  workers.start(['events', 'upkeep']);
  expect([events, requests, upkeep].map(({ start }) => start.mock.calls.length)).toEqual([1, 0, 1]);
  await workers.beforeApplicationShutdown();
  expect([events, requests, upkeep].map(({ stop }) => stop.mock.calls.length)).toEqual([1, 1, 1]);
});
