import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { validated } from './body.js';
import { Invalid } from '../errors/errors.js';
import { IntField, JsonField, TextField, TimestampField } from './fields.js';

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
  ])('reads %s, in UTC if it has no time zone', (text, time) => {
    expect(new Date(validated(Body, { at: text }).at ?? '').toISOString()).toBe(time);
  });

  it('accepts null and refuses invalid timestamps', () => {
    expect(validated(Body, { at: null }).at).toBeNull();
    for (const at of ['soon', '2026-13-01', 5]) expect(() => validated(Body, { at })).toThrow(Invalid);
  });
});

class Numbers {
  @IntField() count!: number;
}

class Named {
  @TextField() name!: string;
}

class Anything {
  @JsonField() value!: unknown;
}

const problemOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return (error as Invalid).body;
  }
};

describe('IntField', () => {
  it('has the range of the column unless it defines its own', () => {
    expect(validated(Numbers, { count: -(2 ** 31) }).count).toBe(-(2 ** 31));
    expect(problemOf(() => validated(Numbers, { count: -1e308 }))).toEqual({
      count: ['Ensure this value is greater than or equal to -2147483648.'],
    });
    expect(problemOf(() => validated(Numbers, { count: 2 ** 31 }))).toEqual({
      count: ['Ensure this value is less than or equal to 2147483647.'],
    });
  });
});

describe('TextField', () => {
  it('accepts only complete characters that the database can store', () => {
    expect(validated(Named, { name: ' 💩 ' }).name).toBe('💩');
    expect(problemOf(() => validated(Named, { name: 'a\ud83d' }))).toEqual({
      name: ['Surrogates must come in pairs.'],
    });
    expect(problemOf(() => validated(Named, { name: 'a\0' }))).toEqual({ name: ['Null characters are not allowed.'] });
  });
});

describe('JsonField', () => {
  it.each([[{ a: [1, null, { b: '💩 \\u0000' }] }], [[]], ['text'], [false]])('takes %j', (value) => {
    expect(validated(Anything, { value }).value).toEqual(value);
  });

  it.each([
    ['a\0b', 'Null characters are not allowed.'],
    [{ a: [{ 'k\0': 1 }] }, 'Null characters are not allowed.'],
    [['\ud800'], 'Surrogates must come in pairs.'],
    [{ '\udc00x': 1 }, 'Surrogates must come in pairs.'],
  ])('refuses %j, which the database cannot store', (value, sentence) => {
    expect(problemOf(() => validated(Anything, { value }))).toEqual({ value: [sentence] });
  });

  it('refuses more than ten thousand values at all levels together', () => {
    const lists = (count: number) => ({ a: Array.from({ length: count }, () => ['x']) });
    expect(validated(Anything, { value: lists(4_999) }).value).toEqual(lists(4_999));
    expect(problemOf(() => validated(Anything, { value: lists(5_000) }))).toEqual({
      value: ['Ensure this field has no more than 10000 values.'],
    });
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('refuses an endless body of %s', (open, close) => {
    const value: unknown = JSON.parse(`${open.repeat(50_000)}1${close.repeat(50_000)}`);
    expect(problemOf(() => validated(Anything, { value }))).toEqual({
      non_field_errors: ['Values are nested more than 64 levels deep.'],
    });
  });
});
