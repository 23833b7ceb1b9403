import { describe, expect, it } from '@jest/globals';
import { and, join, or, raw, sql } from './sql.js';

describe('sql', () => {
  it('numbers parameters across nested fragments', () => {
    const owner = sql`owner_id = ${7}`;
    const query = sql`select * from task where ${and([owner, sql`name = ${'x'}`])} limit ${10}`;
    expect(query.compile()).toEqual({
      text: 'select * from task where (owner_id = $1) and (name = $2) limit $3',
      values: [7, 'x', 10],
    });
  });

  it('never puts a value into the text', () => {
    const evil = "'; drop table task; --";
    expect(sql`name = ${evil}`.compile()).toEqual({ text: 'name = $1', values: [evil] });
  });

  it('has neutral elements', () => {
    expect(and([]).compile().text).toBe('true');
    expect(or([]).compile().text).toBe('(false)');
    expect(join([], ', ', 'null').compile().text).toBe('null');
    expect(and([raw('a')]).compile().text).toBe('a');
  });
});
