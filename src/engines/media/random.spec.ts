import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { below, choose, mersenneTwister, shuffled } from './random.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('mersenneTwister', () => {
  it('equals NumPy for the same seed', () => {
    const random = mersenneTwister(42);
    expect(upTo(2).map(() => random.uint32())).toEqual([2327846034, 3904886566]);
    expect(choose(upTo(10), 3, mersenneTwister(42), { ordered: false })).toEqual([4, 8, 6]);
    expect(choose(upTo(10), 3, mersenneTwister(42), { ordered: true })).toEqual([6, 4, 8]);
    expect(shuffled(upTo(3), mersenneTwister(1))).toEqual([2, 0, 1]);
  });

  it('stays below the bound', () => {
    const random = mersenneTwister(3);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 32 }), (bound) => {
        const value = below(bound, random);
        expect(value >= 0 && value < bound).toBe(true);
      }),
    );
  });

  it('chooses distinct items, up to all of them', () => {
    const cases = fc.tuple(fc.nat(60), fc.nat(), fc.nat(), fc.boolean());
    fc.assert(
      fc.property(cases, ([population, part, seed, ordered]) => {
        const count = part % (population + 1);
        const chosen = choose(upTo(population), count, mersenneTwister(seed), { ordered });
        expect([chosen.length, new Set(chosen).size]).toEqual([count, count]);
        expect(new Set(shuffled(chosen, mersenneTwister(seed)))).toEqual(new Set(chosen));
      }),
    );
  });

  it('uses all bits of a seed', () => {
    expect(mersenneTwister(2 ** 40).uint32()).not.toBe(mersenneTwister(0).uint32());
  });
});

interface Vectors {
  readonly first_uint32_of_seed_42: readonly number[];
  readonly choices: readonly {
    readonly seed: number;
    readonly population: number;
    readonly size: number;
    readonly choice: readonly number[];
    readonly choice_shuffled: readonly number[];
  }[];
  readonly shuffles: readonly {
    readonly seed: number;
    readonly list: number;
    readonly shuffled: readonly number[];
    readonly then_choice_of_9_3: readonly number[];
  }[];
}

const file = join(import.meta.dirname, '../../../../shared/golden/random-frames.json');
const vectors = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Vectors) : undefined;
if (vectors === undefined) console.info('skipped: the vectors of NumPy are not here');

(vectors === undefined ? describe.skip : describe)('recorded vectors of NumPy', () => {
  it('starts with the same numbers', () => {
    const random = mersenneTwister(42);
    expect(vectors?.first_uint32_of_seed_42.map(() => random.uint32())).toEqual(vectors?.first_uint32_of_seed_42);
  });

  it('chooses the same items', () => {
    expect(vectors?.choices.length).toBeGreaterThan(0);
    for (const { seed, population, size, choice, choice_shuffled } of vectors?.choices ?? []) {
      const chosen = (ordered: boolean): number[] => choose(upTo(population), size, mersenneTwister(seed), { ordered });
      expect([chosen(false), chosen(true)]).toEqual([choice, choice_shuffled]);
    }
  });

  it('shuffles a list the same way, and leaves the generator in the same state', () => {
    expect(vectors?.shuffles.length).toBeGreaterThan(0);
    for (const { seed, list, ...expected } of vectors?.shuffles ?? []) {
      const random = mersenneTwister(seed);
      expect(shuffled(upTo(list), random)).toEqual(expected.shuffled);
      expect(choose(upTo(9), 3, random, { ordered: false })).toEqual(expected.then_choice_of_9_3);
    }
  });
});
