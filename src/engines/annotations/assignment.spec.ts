import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Pair } from './assignment.js';
import { bestPairs } from './assignment.js';

/** The best sum, found by brute force. */
function bestSum(pairs: readonly Pair[]): number {
  const [first, ...rest] = pairs;
  if (first === undefined) return 0;
  const compatible = rest.filter((pair) => pair.a !== first.a && pair.b !== first.b);
  return Math.max(bestSum(rest), first.similarity + bestSum(compatible));
}

const sum = (pairs: readonly Pair[]) => pairs.reduce((total, pair) => total + pair.similarity, 0);

describe('bestPairs', () => {
  it('prefers the best sum over the best pair', () => {
    const pairs = [
      { a: 0, b: 0, similarity: 0.95 },
      { a: 0, b: 1, similarity: 0.9 },
      { a: 1, b: 0, similarity: 0.9 },
    ];
    expect(bestPairs(pairs)).toEqual(pairs.slice(1));
  });

  it('agrees with brute force, and uses nothing twice', () => {
    const pair = fc.record({ a: fc.nat(4), b: fc.nat(4), similarity: fc.double({ min: 0.75, max: 1, noNaN: true }) });
    const pairs = fc.uniqueArray(pair, { selector: ({ a, b }) => a * 10 + b, maxLength: 10 });
    fc.assert(
      fc.property(pairs, (given) => {
        const found = bestPairs(given);
        expect(new Set(found.map(({ a }) => a)).size).toBe(found.length);
        expect(new Set(found.map(({ b }) => b)).size).toBe(found.length);
        expect(sum(found)).toBeCloseTo(bestSum(given), 9);
      }),
    );
  });

  it('matches a crowd of equal objects without using anything twice', () => {
    const pairs = Array.from({ length: 200 * 200 }, (_, i) => ({ a: i % 200, b: Math.floor(i / 200), similarity: 1 }));
    expect(bestPairs(pairs)).toHaveLength(200);
  });
});
