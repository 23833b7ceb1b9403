import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { finish } from '../concurrency/steps.js';
import { bestPairs as bestPairsInSteps, Candidates, cheapestAssignment, type Pair } from './assignment.js';

const bestPairs = (pairs: readonly Pair[]): Pair[] => finish(bestPairsInSteps(pairs));

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

describe('cheapestAssignment', () => {
  const candidatesOf = (rows: number, columns: number, pairs: readonly Pair[]): Candidates => {
    const candidates = new Candidates(rows, columns);
    for (const { a, b, similarity } of pairs) candidates.add(a, b, similarity);
    return candidates;
  };
  const allPairs = (rows: number, columns: number, similarity: (a: number, b: number) => number): Pair[] =>
    Array.from({ length: rows * columns }, (_, at) => {
      const [a, b] = [Math.floor(at / columns), at % columns];
      return { a, b, similarity: similarity(a, b) };
    });

  it('assigns equal objects in their order', () => {
    expect([
      ...cheapestAssignment(
        candidatesOf(
          4,
          4,
          allPairs(4, 4, () => 1),
        ),
      ),
    ]).toEqual([0, 1, 2, 3]);
    expect([
      ...cheapestAssignment(
        candidatesOf(
          3,
          1,
          allPairs(3, 1, () => 1),
        ),
      ),
    ]).toEqual([0, -1, -1]);
    const crowd = cheapestAssignment(
      candidatesOf(
        300,
        300,
        allPairs(300, 300, () => 1),
      ),
    );
    expect([...crowd]).toEqual(Array.from({ length: 300 }, (_, at) => at));
  });

  it('resolves ties like scipy', () => {
    // Any two rows can have a partner. The path of the last row ends at its own free column, which was reached first.
    const pairs = [...allPairs(2, 2, () => 0.5), { a: 2, b: 0, similarity: 0.5 }];
    expect([...cheapestAssignment(candidatesOf(3, 3, pairs))]).toEqual([0, 1, -1]);
  });

  it('finds the best sum, in small and large frames', () => {
    const steps = fc.integer({ min: 1, max: 8 }).map((step) => step / 8);
    const any = fc.oneof(steps, fc.double({ min: 0.01, max: 1, noNaN: true }));
    const pair = fc.record({ a: fc.nat(7), b: fc.nat(7), similarity: any });
    const pairs = fc.uniqueArray(pair, { selector: ({ a, b }) => a * 10 + b, maxLength: 14 });
    fc.assert(
      fc.property(pairs, (given) => {
        const total = (candidates: Candidates): number =>
          cheapestAssignment(candidates).reduce((sum, column, row) => sum + candidates.similarity(row, column), 0);
        expect(total(candidatesOf(8, 8, given))).toBeCloseTo(bestSum(given), 9);
        expect(total(candidatesOf(300, 8, given))).toBeCloseTo(bestSum(given), 9);
      }),
    );
  });

  it('finds the best sum in a crowd in which each object is similar to each', () => {
    // On a line, the best assignment joins the objects in their order.
    const [rows, columns] = [1, 7].map((seed) =>
      Array.from({ length: 400 }, (_, at) => ((at + seed) ** 2 * 7919) % 997),
    );
    const sorted = (values: readonly number[] = []): number[] => values.toSorted((a, b) => a - b);
    const [first, second] = [sorted(rows), sorted(columns)];
    const expected = first.reduce((sum, value, at) => sum + 1 - Math.abs(value - (second[at] ?? 0)) / 3000, 0);
    const similarity = (a: number, b: number): number => 1 - Math.abs((rows?.[a] ?? 0) - (columns?.[b] ?? 0)) / 3000;
    expect(sum(bestPairs(allPairs(400, 400, similarity)))).toBeCloseTo(expected, 6);
  });
});
