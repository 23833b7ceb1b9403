import { describe, expect, it } from '@jest/globals';
import { greatest, least } from './extremes.js';

describe('extremes', () => {
  it('are found among more values than a call can have', () => {
    const values = Array.from({ length: 1_000_000 }, (_, at) => at);
    expect([least(values), greatest(values)]).toEqual([0, 999_999]);
  });

  it('are infinite without values', () => {
    expect([least([]), greatest([])]).toEqual([Infinity, -Infinity]);
  });

  it('are NaN with a value that is no number', () => {
    expect([least([1, NaN, 2]), greatest([1, NaN, 2])]).toEqual([NaN, NaN]);
  });
});
