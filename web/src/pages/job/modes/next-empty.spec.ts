import { nextEmpty } from './next-empty';

describe('the next frame to draw on', () => {
  const frames = {
    numbers: [2, 4, 6, 8],
    position: (number: number) => number / 2 - 1,
    isDeleted: (number: number) => number === 4,
  };

  it('is the next one that is neither deleted nor taken', () => {
    expect(nextEmpty(frames, 2, () => false)).toBe(6);
    expect(nextEmpty(frames, 2, (frame) => frame === 6)).toBe(8);
  });

  it('is undefined after the last one', () => {
    expect(nextEmpty(frames, 8, () => false)).toBeUndefined();
    expect(nextEmpty(frames, 2, () => true)).toBeUndefined();
  });
});
