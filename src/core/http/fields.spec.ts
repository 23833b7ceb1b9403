import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { validated } from './body.js';
import { Invalid } from './errors.js';
import { TimestampField } from './fields.js';

class Body {
  @TimestampField({ nullable: true }) at!: string | null;
}

describe('TimestampField', () => {
  it.each([
    ['2026-03-04T05:06', '2026-03-04T05:06:00.000Z'],
    ['2026-03-04 05:06:07.25', '2026-03-04T05:06:07.250Z'],
    ['2026-03-04T05:06:07Z', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04T05:06:07+02:00', '2026-03-04T03:06:07.000Z'],
    ['2026-03-04', '2026-03-04T00:00:00.000Z'],
  ])('reads %s, in UTC where no zone is named', (text, time) => {
    expect(new Date(validated(Body, { at: text }).at ?? '').toISOString()).toBe(time);
  });

  it('knows null and refuses what is no time', () => {
    expect(validated(Body, { at: null }).at).toBeNull();
    for (const at of ['soon', '2026-13-01', 5]) expect(() => validated(Body, { at })).toThrow(Invalid);
  });
});
