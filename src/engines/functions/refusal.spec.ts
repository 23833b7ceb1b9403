import { describe, expect, it } from '@jest/globals';
import { refusalOf } from './refusal.js';

describe('refusalOf', () => {
  it.each([
    ['A text.', 'A text.'],
    [['A rule.', 'Another rule.'], 'A rule. Another rule.'],
    [{ shapes: [{}, { score: ['Ensure it is at most 1.'] }] }, 'shapes.1.score: Ensure it is at most 1.'],
    [{ shapes: { 0: { score: ['Ensure it is at most 1.'] } } }, 'shapes.0.score: Ensure it is at most 1.'],
    [['label_id `3` is invalid'], 'The task has no label with the id 3. It may have been deleted in the meantime.'],
    [{ a: ['1.', '2.', '3.', '4.', '5.'] }, 'a: 1. a: 2. a: 3. There are more errors.'],
  ])('puts %j into words', (body, expected) => {
    expect(refusalOf(body)).toBe(expected);
  });

  it('is short', () => {
    expect(refusalOf('x'.repeat(5_000))).toHaveLength(1_000);
  });
});
