import { describe, expect, it } from '@jest/globals';
import { rowReader } from './prepared-query.js';

describe('rowReader', () => {
  it('reads columns with their parsers and leaves null alone', () => {
    const read = rowReader(['id', 'name', 'at'], [Number, String, (text) => text.length]);
    expect(read(['7', 'seven', null])).toEqual({ id: 7, name: 'seven', at: null });
  });

  it('takes a name for a name, whatever is in it', () => {
    const names = ['?column?', '"quoted"', 'a]: 1, [b', '__proto__', '\u2028'];
    const row = rowReader(
      names,
      names.map(() => String),
    )(names.map((_, at) => String(at)));
    expect(Object.entries(row)).toEqual(names.map((name, at) => [name, String(at)]));
  });

  it('gives the last of two columns with one name, as the driver does', () => {
    expect(rowReader(['a', 'a'], [Number, Number])(['1', '2'])).toEqual({ a: 2 });
  });
});
