import { describe, expect, it } from '@jest/globals';
import { colorOf } from './label-color.js';

const NONE: ReadonlySet<string> = new Set();

describe('the default colour of a label', () => {
  it.each([
    ['car', '#2080c0'],
    ['Car', '#2080c0'],
    ['cat', '#6080c0'],
    ['person', '#c06060'],
    ['Baby-Bed', '#804000'],
    ['background', '#000000'],
    ['icdar', '#071401'],
    ['market-1501', '#c57e37'],
    ['label_0', '#bde94a'],
    ['skeleton1', '#2b3145'],
  ])("is CVAT's: %s %s", (name, color) => {
    expect(colorOf(name, NONE)).toBe(color);
  });

  it('becomes lighter when a sibling has it, then darker', () => {
    const taken = new Set(['#350dea']);
    const next = (): string => {
      const color = colorOf('2', taken);
      taken.add(color);
      return color;
    };
    expect(next()).toBe('#4925ec');
    const lighter = Array.from({ length: 8 }, next);
    expect(lighter.at(-1)).toBe('#eae6fc');
    expect(next()).toBe('#2f0bd2');
  });

  it('is never that of a known name or of a sibling, however many there are', () => {
    const taken = new Set<string>();
    for (let count = 0; count < 60; count += 1) {
      const color = colorOf('background', taken);
      expect(taken).not.toContain(color);
      taken.add(color);
    }
    expect([...taken].slice(1).filter((color) => color === colorOf('car', NONE))).toEqual([]);
  });
});
