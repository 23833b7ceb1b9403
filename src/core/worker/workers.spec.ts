import { expect, it, jest } from '@jest/globals';
import type { Discovery } from '../discovery/discovery.js';
import type { Logger } from '../logging/logger.js';
import { Workers } from './workers.js';

it('starts the workers of the requested kinds, and stops all workers', async () => {
  const of = () => ({ start: jest.fn<() => void>(), stop: jest.fn(() => Promise.resolve()) });
  const [events, requests, upkeep] = [of(), of(), of()];
  const classes = () => [
    { data: 'events', found: events },
    { data: 'requests', found: requests },
    { data: 'upkeep', found: upkeep },
  ];
  const workers = new Workers({ classes, methods: () => [] } as unknown as Discovery, {} as Logger);
  workers.start(['events', 'upkeep']);
  expect([events, requests, upkeep].map(({ start }) => start.mock.calls.length)).toEqual([1, 0, 1]);
  await workers.beforeApplicationShutdown();
  expect([events, requests, upkeep].map(({ stop }) => stop.mock.calls.length)).toEqual([1, 1, 1]);
});
