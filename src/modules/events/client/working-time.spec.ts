import { describe, expect, it } from '@jest/globals';
import { isoTime, microseconds } from '../../../core/wire-time.js';
import { type TimedEvent, workingTimes } from './working-time.js';

const event = (seconds: number, job: number | null, more: Partial<TimedEvent> = {}): TimedEvent => ({
  scope: 'draw:object',
  time: Math.round(seconds * 1_000_000),
  duration: 0,
  job_id: job,
  task_id: null,
  project_id: null,
  ...more,
});
const change = (seconds: number, job: number | null, duration: number): TimedEvent =>
  event(seconds, job, { scope: 'change:frame', duration });
const shown = (events: TimedEvent[], previous: TimedEvent | null = null): unknown[] =>
  workingTimes(events, previous).map(({ job_id: job, duration, time }) => [job, duration, time / 1_000_000]);

describe('the working time of a message', () => {
  it('belongs to the event before, and breaks do not count', () => {
    const events = [
      event(-300, 1),
      event(-290, 1),
      event(-189.5, 1),
      event(-89.6, 2),
      change(-80, 2, 5000),
      event(-77, 2),
      event(-70, null, { scope: 'user:activity' }),
      event(-60, null),
    ];
    expect(shown(events)).toEqual([
      [1, 109_900, -300],
      [2, 19_600, -80],
      [null, 10_000, -60],
    ]);
  });

  it('continues after the previous message', () => {
    expect(shown([event(-45, 3)], change(-50, 1, 2000))).toEqual([[1, 3000, -45]]);
  });

  it.each([
    ['no events', []],
    ['one event', [event(1, 1)]],
    ['a break of exactly 100 s', [event(0, 1), event(100, 1)]],
    ['events that go back in time', [event(10, 1), event(5, 1), event(-5, 1)]],
    ['a negative duration', [change(0, 1, -5000), change(0, 1, -1)]],
  ])('is nothing for %s', (_, events) => expect(shown(events)).toEqual([]));

  it('counts frames that are changed during others once', () => {
    expect(shown([change(0, 1, 5000), change(3, 1, 5000), event(4, 1)])).toEqual([[1, 8000, 0]]);
  });

  it('is cut to whole milliseconds', () => {
    expect(shown([event(0, 1), event(0.001_999, 1)])).toEqual([[1, 1, 0]]);
  });
});

describe('times of events', () => {
  it.each([
    ['2026-11-23T22:03:58.672081Z', '2026-11-23T22:03:58.672081Z'],
    ['2026-11-23T22:03:58.672081999Z', '2026-11-23T22:03:58.672081Z'],
    ['2026-11-23T22:03:58.5+02:00', '2026-11-23T20:03:58.500000Z'],
    ['2026-11-23T22:03:58Z', '2026-11-23T22:03:58Z'],
    ['1969-12-31T23:59:59.000001Z', '1969-12-31T23:59:59.000001Z'],
  ])('%s', (text, same) => expect(isoTime(microseconds(text))).toBe(same));
});
