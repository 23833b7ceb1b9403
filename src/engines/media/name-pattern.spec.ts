import { describe, expect, it } from '@jest/globals';
import { namePattern } from './name-pattern.js';

describe('namePattern', () => {
  it.each([
    ['*', 'a/b.png', true],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['a*', 'ab/c.png', true],
    ['*.png', 'a.png.jpg', false],
    ['*.png', 'a.jpg.png', true],
    ['image_?.jpg', 'image_1.jpg', true],
    ['image_?.jpg', 'image_12.jpg', false],
    ['?', '😀', true],
    ['[ab].png', 'b.png', true],
    ['[!ab].png', 'b.png', false],
    ['[!ab].png', 'c.png', true],
    ['[0-9][0-9].png', '42.png', true],
    ['[0-9][0-9].png', '4x.png', false],
    ['[]].png', '].png', true],
    ['[a-]', '-', true],
    ['[ab', '[ab', true],
    ['a.png', 'A.png', false],
    ['.*', 'ab', false],
    ['a*b*c', 'aXXbYYc', true],
    ['a*b*c', 'aXXcYYb', false],
    ['**', 'x', true],
  ])('%s for %s: %s', (pattern, name, expected) => expect(namePattern(pattern)(name)).toBe(expected));

  it('takes no longer for many stars than for few', () => {
    expect(namePattern(`${'*a'.repeat(200)}*b`)('a'.repeat(20_000))).toBe(false);
  });
});
