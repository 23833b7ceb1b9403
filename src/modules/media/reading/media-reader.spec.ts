import { describe, expect, it } from '@jest/globals';
import { SequenceDetector } from './media-reader.js';

describe('SequenceDetector', () => {
  it('distinguishes sequential readers from random access', () => {
    const detector = new SequenceDetector();
    const seen = [0, 1, 2, 7, 8, 8, 3].map((piece) => detector.follows('a', piece));
    expect(seen).toEqual([true, true, true, false, true, false, false]);
  });

  it('tracks readers separately and forgets old ones', () => {
    const detector = new SequenceDetector();
    detector.follows('a', 4);
    expect(detector.follows('b', 5)).toBe(false);
    for (let i = 0; i < 1000; i++) detector.follows(`other ${i}`, 0);
    expect(detector.follows('a', 5)).toBe(false);
  });
});
