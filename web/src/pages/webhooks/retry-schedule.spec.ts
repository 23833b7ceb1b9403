import { parseDelays, formatDelays } from './retry-schedule';

describe('retry schedule', () => {
  it.each([
    ['0, 5, 300', [0, 5, 300]],
    ['0s,5 s , 5m, 1h, 2d', [0, 5, 300, 3600, 172_800]],
    [' 10m, ', [600]],
  ])('parses %j', (text, seconds) => expect(parseDelays(text)).toEqual(seconds));

  it.each(['soon', '5 minutes', '-1', '1.5h', '5m 3s'])('rejects %j and names it', (text) =>
    expect(() => parseDelays(`0, ${text}`)).toThrow(`"${text}"`),
  );

  it('formats each delay in its largest unit, which parses back to the same value', () => {
    const seconds = [0, 5, 90, 300, 3600, 90_000, 172_800];
    expect(formatDelays(seconds)).toBe('0s, 5s, 90s, 5m, 1h, 25h, 2d');
    expect(parseDelays(formatDelays(seconds))).toEqual(seconds);
  });
});
