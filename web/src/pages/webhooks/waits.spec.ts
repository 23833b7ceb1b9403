import { secondsOf, waitsOf } from './waits';

describe('waits between attempts', () => {
  it.each([
    ['0, 5, 300', [0, 5, 300]],
    ['0s,5 s , 5m, 1h, 2d', [0, 5, 300, 3600, 172_800]],
    [' 10m, ', [600]],
  ])('%j is read', (text, seconds) => expect(secondsOf(text)).toEqual(seconds));

  it.each(['soon', '5 minutes', '-1', '1.5h', '5m 3s'])('%j is refused by its name', (text) =>
    expect(() => secondsOf(`0, ${text}`)).toThrow(`"${text}"`),
  );

  it('are written in their largest unit, and read back the same', () => {
    const seconds = [0, 5, 90, 300, 3600, 90_000, 172_800];
    expect(waitsOf(seconds)).toBe('0s, 5s, 90s, 5m, 1h, 25h, 2d');
    expect(secondsOf(waitsOf(seconds))).toEqual(seconds);
  });
});
