import { describe, expect, it } from '@jest/globals';
import { causeOfEnd, type Condition, excess, PATIENCE } from './limits.js';

const LIMITS = { ...PATIENCE, memory: 1_000, timeMs: 3_600_000, frozenMs: 300_000 };
const FINE: Condition = { memory: 1_000, runningMs: 3_600_000, silentMs: 300_000 };

describe('the limits of a request', () => {
  it.each<[string, Partial<Condition>, string | undefined]>([
    ['nothing', {}, undefined],
    ['memory', { memory: 1_001 }, 'memory'],
    ['time', { runningMs: 3_600_001 }, 'time'],
    ['standing still', { silentMs: 300_001 }, 'frozen'],
    ['a cancellation that it undoes', { silentMs: 0, abort: { reason: 'cancelled', ageMs: 59_000 } }, undefined],
    ['a cancellation that takes too long', { silentMs: 0, abort: { reason: 'cancelled', ageMs: 61_000 } }, 'cancelled'],
    [
      'a cancellation that it does not notice',
      { silentMs: 9_000, abort: { reason: 'cancelled', ageMs: 6_000 } },
      'cancelled',
    ],
    ['a cancellation a moment ago', { silentMs: 9_000, abort: { reason: 'cancelled', ageMs: 1_000 } }, undefined],
    ['a stop', { silentMs: 0, abort: { reason: 'stopping', ageMs: 2_000 } }, undefined],
    ['a stop that takes too long', { silentMs: 0, abort: { reason: 'stopping', ageMs: 4_000 } }, 'stopping'],
    ['a stop after its claimer', { silentMs: 0, abort: { reason: 'orphaned', ageMs: 4_000 } }, 'stopping'],
  ])('are exceeded by %s: %j', (_, condition, expected) => {
    expect(excess(LIMITS, { ...FINE, ...condition })).toBe(expected);
  });

  it('are recognized by how a process ended', () => {
    expect((['SIGABRT', 'SIGKILL', 'SIGSEGV', null] as const).map(causeOfEnd)).toEqual([
      'memory',
      'killed',
      'crashed',
      'crashed',
    ]);
  });
});
