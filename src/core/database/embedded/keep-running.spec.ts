import { describe, expect, it } from '@jest/globals';
import { deferred } from '../../../../test/support/promises.js';
import { keepRunning } from './keep-running.js';

/** A server that exits when the test says so. */
function fakeServer() {
  const { promise: exited, resolve: exit } = deferred();
  return { version: '18.4', exited, exit, stop: () => Promise.resolve(exit()) };
}

/** Supervises servers that start as `outcomes` says: after the last one, they exit when the test says so. */
function supervise({ failures = 0, exits = 0, ranMs = 0 }) {
  const first = fakeServer();
  const pauses: number[] = [];
  const lines: string[] = [];
  let time = 0;
  const { promise: running, resolve: runs } = deferred();
  const kept = keepRunning(first, {
    start: () => {
      if (pauses.length <= failures) return Promise.reject(new Error('no memory'));
      const server = fakeServer();
      if (pauses.length < failures + exits) server.exit();
      return Promise.resolve(server);
    },
    pause: (milliseconds) => Promise.resolve(pauses.push(milliseconds)),
    now: () => (time += ranMs),
    log: {
      info: (line) => {
        lines.push(line);
        if (pauses.length >= failures + exits) runs();
      },
      warn: (line) => lines.push(line),
      error: (line) => lines.push(line),
    },
    logFile: 'postgres.log',
  });
  return { first, pauses, lines, running, kept };
}

const GROWING = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000];

describe('keepRunning', () => {
  it('starts a server that exits again and again, with growing pauses', async () => {
    const { first, pauses, running, kept } = supervise({ exits: 12 });
    first.exit();
    await running;
    expect(pauses).toEqual(GROWING);
    await kept.stop();
  });

  it('starts a server again until it can be started, and logs each attempt', async () => {
    const { first, pauses, lines, running, kept } = supervise({ failures: 11 });
    first.exit();
    await running;
    await kept.stop();
    expect(pauses).toEqual(GROWING);
    expect(lines.slice(0, 2)).toEqual([
      'The embedded PostgreSQL stopped unexpectedly (its log: postgres.log). It is started again in 0.1 s.',
      'The embedded PostgreSQL could not be started: no memory. It is started again in 0.2 s.',
    ]);
    expect([lines.length, lines.at(-1)]).toEqual([13, 'The embedded PostgreSQL is running again.']);
  });

  it('pauses shortly again after the server has run for a minute', async () => {
    const { first, pauses, running, kept } = supervise({ exits: 4, ranMs: 60_000 });
    first.exit();
    await running;
    expect(pauses).toEqual([100, 100, 100, 100]);
    await kept.stop();
  });

  it('stops a server that was just being started', async () => {
    const [first, second] = [fakeServer(), fakeServer()];
    const [starting, started] = [deferred(), deferred()];
    const kept = keepRunning(first, {
      start: async () => {
        starting.resolve();
        await started.promise;
        return second;
      },
      pause: () => Promise.resolve(),
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      logFile: 'postgres.log',
    });
    first.exit();
    await starting.promise;
    const stopped = kept.stop();
    started.resolve();
    await stopped;
    await second.exited;
  });

  it('stops during a pause', async () => {
    const server = fakeServer();
    const { promise: pausing, resolve: paused } = deferred();
    const lines: string[] = [];
    const kept = keepRunning(server, {
      start: () => Promise.reject(new Error('not expected')),
      pause: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          paused();
        }),
      log: { info: () => undefined, warn: () => undefined, error: (line) => lines.push(line) },
      logFile: 'postgres.log',
    });
    server.exit();
    await pausing;
    await kept.stop();
    expect(lines).toEqual([]);
  });
});
