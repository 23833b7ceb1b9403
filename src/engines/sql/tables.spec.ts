import { describe, expect, it } from '@jest/globals';
import { among, or, sql, withArrays } from './sql.js';
import { column, columns, from, innerJoin, leftJoin, namesIn, table } from './tables.js';

describe('columns', () => {
  it('are written with the alias of their table', () => {
    expect(sql`${column('owner.username')} = ${'a'}`.compile()).toEqual({ text: 'owner.username = $1', values: ['a'] });
    expect(columns('task', ['id', 'name']).name.compile().text).toBe('task.name');
  });

  it.each(['a.b + c.d', 'coalesce(a.b)', 'a.b.c', ' a.b', 'a.'] as `${string}.${string}`[])('are not %j', (text) => {
    expect(() => column(text)).toThrow(`"${text}" is not a column`);
  });
});

it('tables are joined in their order', () => {
  const joins = [
    innerJoin(table('task'), 'job.task_id'),
    leftJoin(table('app_user', 'owner'), sql`coalesce(${column('task.owner_id')}, ${1})`),
    leftJoin(table('invitation'), 'membership.id', 'membership_id'),
  ];
  expect(from({ table: table('job_tally', 'job'), joins }).compile()).toEqual({
    text:
      'job_tally job join task on task.id = job.task_id left join app_user owner on owner.id = coalesce(task.owner_id, $1)' +
      ' left join invitation on invitation.membership_id = membership.id',
    values: [1],
  });
});

it('names are found at every depth, also in what other functions made', () => {
  const seen = sql`select ${column('seen.id')} from ${table('task', 'seen')}`;
  const condition = or([sql`${column('job.state')} = ${'new'}`, among(column('job.task_id'), seen)]);
  for (const fragment of [condition, withArrays(condition, (one) => one)]) {
    const { tables, columns: found } = namesIn(sql`true`, fragment);
    expect(tables.map(({ name, alias }) => [name, alias])).toEqual([['task', 'seen']]);
    expect(found.map((one) => one.compile().text)).toEqual(['job.state', 'job.task_id', 'seen.id']);
  }
});
