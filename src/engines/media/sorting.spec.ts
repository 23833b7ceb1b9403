import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { mersenneTwister } from './random.js';
import { compareCodePoints, orderMismatch, sortFiles } from './sorting.js';

const options = { random: mersenneTwister(1) };

describe('sortFiles', () => {
  it('sorts by code points', () => {
    expect(sortFiles(['img2', 'Img3', '_a', 'img10', 'zz', 'img1'], 'lexicographical', options)).toEqual([
      'Img3',
      '_a',
      'img1',
      'img10',
      'img2',
      'zz',
    ]);
  });

  it('puts characters beyond the first plane last', () => {
    expect(['\u{1f600}', '\uff5e', '\ud7ff'].toSorted(compareCodePoints)).toEqual(['\ud7ff', '\uff5e', '\u{1f600}']);
  });

  it('agrees with the order of UTF-8 bytes', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it('sorts numbers by value and ignores case', () => {
    const names = ['zz', 'img10', 'Img3', '_a', 'img2', 'img1', '10/a', '9/a', 'img02'];
    expect(sortFiles(names, 'natural', options)).toEqual([
      '9/a',
      '10/a',
      '_a',
      'img1',
      'img02',
      'img2',
      'Img3',
      'img10',
      'zz',
    ]);
  });

  it('compares numbers that exceed a float', () => {
    const names = ['f90071992547409930', 'f90071992547409929'];
    expect(sortFiles(names, 'natural', options)).toEqual(names.toReversed());
  });

  it('applies the given order', () => {
    expect(sortFiles(['a', 'b'], 'predefined', { ...options, order: ['b', 'a'] })).toEqual(['b', 'a']);
    expect(sortFiles(['b', 'a'], 'predefined', options)).toEqual(['b', 'a']);
  });

  it('keeps every file with each method', () => {
    const methods = fc.constantFrom('lexicographical', 'natural', 'predefined', 'random');
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), methods, (names, method) => {
        const sorted = sortFiles(names, method, options);
        expect(sorted.toSorted()).toEqual(names.toSorted());
      }),
    );
  });
});

describe('orderMismatch', () => {
  it('accepts a permutation', () => expect(orderMismatch(['a', 'b'], ['b', 'a'])).toBeNull());

  it('names the differences', () => {
    expect(orderMismatch(['a', 'b'], ['a', 'c', 'c'])).toMatch(
      /Mismatching files: b \(extra\), c \(missing\), c \(missing\), c \(repeated\)$/,
    );
  });

  it('names at most five', () => {
    expect(orderMismatch(['1', '2', '3', '4', '5', '6'], [])).toMatch(/5 \(extra\), …$/);
  });
});

describe('random order', () => {
  it('depends only on the seed, not on the upload order', () => {
    const sorted = (names: readonly string[]) => sortFiles(names, 'random', { random: mersenneTwister(9) });
    expect(sorted(['c', 'a', 'd', 'b'])).toEqual(sorted(['a', 'b', 'c', 'd']));
  });
});
