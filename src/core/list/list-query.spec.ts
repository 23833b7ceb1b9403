import { describe, expect, it } from '@jest/globals';
import { and, raw, sql } from '../../engines/sql/sql.js';
import { Invalid, InvalidList } from '../http/errors/errors.js';
import { listQuery } from './list-query.js';
import { orderBy } from './list-order.js';
import { bool, choice, integer, type ListSpec, text, throughMany, timestamp } from './list-spec.js';

const spec: ListSpec = {
  from: raw('task left join person on person.id = task.owner_id'),
  fields: {
    id: integer('task.id'),
    name: text('task.name'),
    owner: text('person.username'),
    stage: choice('task.stage', ['annotation', 'validation']),
    open: bool('task.open'),
    updated_date: timestamp('task.updated_date'),
    label: throughMany(text('label.name'), (condition) => sql`exists (select from label where ${condition})`),
  },
  search: ['name', 'label'],
  simple: ['id', 'name', 'stage', 'open', 'label'],
  aliases: { task: 'id' },
  defaultSort: '-id',
};
const where = (query: Record<string, unknown>): { text: string; values: unknown[] } => {
  const { conditions, search } = listQuery(spec, query);
  return and([...conditions, ...search.map((term) => term.condition([]).condition)]).compile();
};
const order = (sort: string, of: ListSpec = spec): string =>
  orderBy(listQuery(of, { sort }).order.terms).compile().text;

describe('simple filters', () => {
  it.each([
    [{ name: ' a ' }, 'task.name = $1::text', ['a']],
    [{ id: '5.0' }, 'task.id = $1::bigint', [5]],
    [{ task: '-1e2' }, 'task.id = $1::bigint', [-100]],
    [{ id: '1e30' }, 'false', []],
    [{ stage: 'validation' }, 'task.stage = $1::text', ['validation']],
    [{ open: 'True' }, 'task.open = $1::boolean', [true]],
    [{ open: 'false' }, 'task.open = $1::boolean', [false]],
    [{ name: '', id: ' ', stage: '' }, 'true', []],
    [{ unknown: 'x', owner: 'not simple' }, 'true', []],
    [{ label: 'car' }, 'exists (select from label where label.name = $1::text)', ['car']],
    [{ id: '1', name: 'a' }, '(task.id = $1::bigint) and (task.name = $2::text)', [1, 'a']],
  ])('%j', (query, text, values) => {
    expect(where(query)).toEqual({ text, values });
  });

  it('reports every invalid value', () => {
    expect(() => where({ id: 'x', task: 'NaN', stage: 'done', name: 'a\0' })).toThrow(
      new Invalid({
        id: ['Enter a number.'],
        name: ['Null characters are not allowed.'],
        stage: ['Select a valid choice. done is not one of the available choices.'],
        task: ['Enter a number.'],
      }),
    );
    expect(() => where({ id: '5.9', open: 'null' })).toThrow(
      new Invalid({
        id: ['Enter a whole number.'],
        open: ['Select a valid choice. null is not one of the available choices.'],
      }),
    );
  });
});

describe('search', () => {
  it('requires every term in some field', () => {
    expect(where({ search: '50% "b c"' })).toEqual({
      text:
        '((((task.name)::text ilike $1) or (exists (select from label where (label.name)::text ilike $2)))) and ' +
        '((((task.name)::text ilike $3) or (exists (select from label where (label.name)::text ilike $4))))',
      values: ['%50\\%%', '%50\\%%', '%b c%', '%b c%'],
    });
  });

  it('refuses NUL and too many terms', () => {
    expect(() => where({ search: 'a\0' })).toThrow(new InvalidList('Null characters are not allowed.'));
    expect(() => where({ search: 'a '.repeat(51) })).toThrow(new InvalidList('search: more than 50 terms'));
    expect(() => where({ search: 'a'.repeat(5000) })).toThrow(new InvalidList('search: more than 4096 characters'));
  });
});

describe('filter', () => {
  it('becomes a condition or a 400 with a list', () => {
    expect(where({ filter: '{"==":[{"var":"owner"},"ann"]}' })).toEqual({
      text: 'person.username = $1::text',
      values: ['ann'],
    });
    expect(() => where({ filter: '{"var":"x"}' })).toThrow(new InvalidList("filter: 'x' term is not supported"));
  });
});

describe('sort', () => {
  it.each([
    ['', 'task.id desc'],
    ['id', 'task.id'],
    ['name', 'task.name, task.id'],
    ['-owner , name,name,-name', 'person.username desc, task.name, task.id'],
    ['--id,+id,unknown,label,toString', 'task.id desc'],
    ['name,-id,owner', 'task.name, task.id desc'],
  ])('%j', (sort, text) => {
    expect(order(sort)).toBe(text);
  });

  it('allows only sortable fields and ends with the key', () => {
    const narrow: ListSpec = { ...spec, sortable: ['updated_date'], defaultSort: '-updated_date' };
    expect(order('name', narrow)).toBe('task.updated_date desc, task.id desc');
    expect(order('', { ...narrow, key: raw('task.code') })).toBe('task.updated_date desc, task.code desc');
  });
});

describe('dynamic', () => {
  it.each([
    [{}, false],
    [{ id: '1' }, false],
    [{ id: '1', name: 'a' }, true],
    [{ search: 'a' }, true],
    [{ sort: 'id' }, true],
    [{ filter: '{"var":"id"}' }, true],
  ])('%j is %s', (query, dynamic) => {
    expect(listQuery(spec, query).dynamic).toBe(dynamic);
  });
});
