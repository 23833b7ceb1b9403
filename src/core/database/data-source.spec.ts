import { describe, expect, it } from '@jest/globals';
import { dateToWire, timestampToWire } from './data-source.js';

describe('a timestamp on the wire', () => {
  it.each([
    ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05Z'],
    ['2026-01-02 03:04:05.1+00', '2026-01-02T03:04:05.100000Z'],
    ['2026-01-02 03:04:05.000012+00', '2026-01-02T03:04:05.000012Z'],
    ['12026-01-02 03:04:05.123456+00', '12026-01-02T03:04:05.123456Z'],
    ['infinity', 'infinity'],
  ])('%s becomes %s', (text, wire) => {
    expect(timestampToWire(text)).toBe(wire);
  });
});

it.each(['2026-01-02 03:04:05+00', '2026-01-02 03:04:05.12+00'])(
  'a date that was stored as %s has the same form',
  (text) => {
    expect(dateToWire(new Date(text))).toBe(timestampToWire(text));
  },
);
