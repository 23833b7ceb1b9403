import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { passwordProblems, similarity, similarityProblems } from './password-rules.js';

const SHORT = 'This password is too short. It must contain at least 8 characters.';
const COMMON = 'This password is too common.';
const NUMERIC = 'This password is entirely numeric.';

describe('password rules', () => {
  it.each([
    ['Gold-2026-pass', []],
    ['x', [SHORT, COMMON]],
    ['Password123', [COMMON]],
    ['59182736401', [NUMERIC]],
    ['123456', [SHORT, COMMON, NUMERIC]],
    ['zzzzzzzzzzzz', [COMMON]],
    ['', [SHORT]],
    ['ab'.repeat(129), ['Ensure this field has no more than 256 characters.']],
  ])('%j', (password, problems) => {
    expect(passwordProblems(password)).toEqual(problems);
  });

  it("names the part of the user's data that a password repeats", () => {
    const person = { username: 'annotator7', 'email address': 'jane.doe@example.org' };
    expect(similarityProblems('Annotator7!', person)).toEqual(['The password is too similar to the username.']);
    expect(similarityProblems('example_org', person)).toEqual(['The password is too similar to the email address.']);
    expect(similarityProblems('correct horse battery', person)).toEqual([]);
  });

  it('ignores empty or very short parts', () => {
    expect(similarityProblems('aaabbbcccddd', { 'first name': '', 'last name': 'a' })).toEqual([]);
  });

  it('similarity is symmetric, from 0 to 1, and 1 for anagrams', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const value = similarity(a, b);
        expect(value).toBeCloseTo(similarity(b, a), 12);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(similarity(a, Array.from(a).reverse().join(''))).toBe(1);
      }),
    );
  });
});
