import { describe, expect, it } from '@jest/globals';
import { among, and, join, jsonLines, or, raw, sql, withArrays } from './sql.js';

describe('sql', () => {
  it('numbers parameters across nested fragments', () => {
    const owner = sql`owner_id = ${7}`;
    const query = sql`select * from task where ${and([owner, sql`name = ${'x'}`])} limit ${10}`;
    expect(query.compile()).toEqual({
      text: 'select * from task where (owner_id = $1) and (name = $2) limit $3',
      values: [7, 'x', 10],
    });
  });

  it('never inserts a value into the text', () => {
    const evil = "'; drop table task; --";
    expect(sql`name = ${evil}`.compile()).toEqual({ text: 'name = $1', values: [evil] });
  });

  it('passes JSON texts as lines, whatever their content', () => {
    const texts = ['a\nb', ['\r\n', '\u2028"\\'], { 'key\n': 1 }].map((value) => JSON.stringify(value));
    const { text, values } = sql`select ${jsonLines(texts)}`.compile();
    expect(text).toBe('select string_to_array($1, chr(10))');
    expect(String(values[0]).split('\n')).toEqual(texts);
  });

  it('has neutral elements', () => {
    expect(and([]).compile().text).toBe('true');
    expect(or([]).compile().text).toBe('(false)');
    expect(join([], ', ', 'null').compile().text).toBe('null');
    expect(and([raw('a')]).compile().text).toBe('a');
  });

  it('replaces selections with arrays wherever they occur', () => {
    const condition = and([among(raw('job.task_id'), sql`select id from task where owner_id = ${7}`), sql`x = ${8}`]);
    expect(condition.compile()).toEqual({
      text: '(job.task_id in (select id from task where owner_id = $1)) and (x = $2)',
      values: [7, 8],
    });
    expect(withArrays(condition, () => raw('task.id')).compile()).toEqual({
      text: '(task.id = any(array(select id from task where owner_id = $1))) and (x = $2)',
      values: [7, 8],
    });
  });
});
