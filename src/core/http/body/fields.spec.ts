import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { validated } from './body.js';
import { Invalid } from '../errors/errors.js';
import { ChoiceField, IntField, JsonField, TextField, TimestampField } from './fields.js';

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

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00+99:99',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-14:00',
    '275760-09-13T00:00:00Z',
    '+275760-09-13T00:00:00Z',
  ])('refuses %s, which does not exist or has no year of four digits in UTC', (at) => {
    expect(() => validated(Body, { at })).toThrow(Invalid);
  });

  it.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z'])('accepts %s', (at) => {
    expect(validated(Body, { at }).at).toBe(at);
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
  it('keeps every key', () => {
    const value: unknown = JSON.parse('{"constructor":1,"__proto__":2,"then":3,"toString":4}');
    expect(JSON.stringify(validated(Anything, { value }).value)).toBe(JSON.stringify(value));
  });

  it.each([[{ a: [1, null, { b: '💩 \\u0000' }] }], [[]], ['text'], [false]])('takes %j', (value) => {
    expect(validated(Anything, { value }).value).toEqual(value);
  });

  it.each([
    ['a\0b', 'Null characters are not allowed.'],
    [{ a: [{ 'k\0': 1 }] }, 'Null characters are not allowed.'],
    [['\ud800'], 'Surrogates must come in pairs.'],
    [{ '\udc00x': 1 }, 'Surrogates must come in pairs.'],
    [{ a: [Infinity] }, 'Numbers must be finite.'],
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

class Base {
  @IntField() first!: number;
}

class Derived extends Base {
  @ChoiceField(['a']) second!: string;
}

describe('a type', () => {
  it('has the fields of its base first', () => {
    expect(validated(Derived, { second: 'a', first: '1' })).toEqual({ first: 1, second: 'a' });
    expect(JSON.stringify(problemOf(() => validated(Derived, {})))).toBe(
      '{"first":["This field is required."],"second":["This field is required."]}',
    );
  });

  it('cannot declare a field of its base again', () => {
    const declare = () => {
      class Again extends Base {
        @TextField() declare first: never;
      }
      return Again;
    };
    expect(declare).toThrow('The field first is already declared.');
  });

  it('may have no fields', () => {
    expect(validated(class {}, { a: 1 })).toEqual({});
  });
});

describe('an error message', () => {
  it.each(['$value', '$property $target $constraint1', '$&'])('quotes %s as it was sent', (second) => {
    expect(problemOf(() => validated(Derived, { first: 1, second }))).toEqual({
      second: [`"${second}" is not a valid choice.`],
    });
  });
});
