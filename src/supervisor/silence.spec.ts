import { describe, expect, it } from '@jest/globals';
import { Silence } from './silence.js';

describe('the silence of a process', () => {
  it('adds up until something is heard', () => {
    const silence = new Silence(0);
    expect([silence.look(1_000), silence.look(2_000)]).toEqual([1_000, 2_000]);
    silence.heard();
    expect(silence.look(2_500)).toBe(500);
  });

  it('does not include a time in which nobody listened', () => {
    const silence = new Silence(0);
    expect(silence.look(3_600_000)).toBe(2_000);
  });
});
