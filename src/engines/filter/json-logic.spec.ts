import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { raw, sql, Sql } from '../sql/sql.js';
import { FilterError } from './filter-value.js';
import { type FilterFields, parseFilter } from './json-logic.js';

const fields: FilterFields = {
  id: { column: raw('t.id'), kind: 'integer' },
  name: { column: raw('t.name'), kind: 'text' },
  open: { column: raw('t.open'), kind: 'boolean' },
  stage: { column: raw('t.stage'), kind: 'enum', choices: ['annotation', 'validation'] },
  updated_date: { column: raw('t.updated_date'), kind: 'timestamp' },
  task_id: {
    column: raw('c.task_id'),
    kind: 'integer',
    exists: (condition) => sql`exists (select from c where c.t_id = t.id and ${condition})`,
  },
};

const compile = (rule: unknown): { text: string; values: unknown[] } | undefined =>
  parseFilter(JSON.stringify(rule), fields)?.compile();
const refusal = (text: string): string => {
  try {
    parseFilter(text, fields);
  } catch (error) {
    if (error instanceof FilterError) return error.message;
    throw error;
  }
  throw new Error('accepted');
};
const v = (name: string): { var: string } => ({ var: name });

describe('parseFilter', () => {
  it.each([
    [{ '==': [v('id'), 5] }, 't.id = $1::bigint', [5]],
    [{ '<': [v('id'), 5] }, 't.id < $1::bigint', [5]],
    [{ '>': [v('id'), 5] }, 't.id > $1::bigint', [5]],
    [{ '<=': [v('id'), 5] }, 't.id <= $1::bigint', [5]],
    [{ '>=': [v('id'), 5] }, 't.id >= $1::bigint', [5]],
    [{ '<=': [1, v('id'), 9] }, 't.id between $1::bigint and $2::bigint', [1, 9]],
    [{ in: [v('name'), ['a', 'b']] }, 't.name = any($1::text[])', [['a', 'b']]],
    [{ in: [v('id'), [1, null, '2']] }, 't.id = any($1::bigint[])', [[1, 2]]],
    [{ in: [v('id'), []] }, 't.id = any($1::bigint[])', [[]]],
    [{ in: ['50%_\\', v('name')] }, '(t.name)::text like $1', ['%50\\%\\_\\\\%']],
    [{ in: [5, v('id')] }, '(t.id)::text like $1', ['%5%']],
    [{ var: 'name' }, 't.name is not null', []],
    [{ '!': v('name') }, '(t.name is not null) is not true', []],
    [{ '!!': { '==': [v('open'), true] } }, 't.open = $1::boolean', [true]],
    [{ '!': { '==': [v('name'), 'x'] } }, '(t.name = $1::text) is not true', ['x']],
    [{ '==': [v('name'), null] }, 'not (t.name is not null)', []],
    [{ and: [v('id'), v('name')] }, '(t.id is not null) and (t.name is not null)', []],
    [{ or: [v('id'), v('name')] }, '((t.id is not null) or (t.name is not null))', []],
    [{ var: 'id', '==': 1 }, 't.id is not null', []],
    [{ '==': [v('stage'), 'unknown'] }, 't.stage = $1::text', ['unknown']],
    [{ '==': [v('task_id'), 1] }, 'exists (select from c where c.t_id = t.id and c.task_id = $1::bigint)', [1]],
  ])('%j', (rule, text, values) => {
    expect(compile(rule)).toEqual({ text, values });
  });

  it.each([
    [{ '==': [v('id'), ' 7 '] }, 7],
    [{ '==': [v('id'), 1.9] }, 1],
    [{ '<': [v('id'), 1.5] }, 2],
    [{ '>': [v('id'), -1.5] }, -2],
    [{ '<': [v('id'), 1e300] }, Number.MAX_SAFE_INTEGER],
    [{ '==': [v('name'), 5] }, '5'],
    [{ '==': [v('open'), 'False'] }, false],
    [{ '<': [v('updated_date'), '2026-01-02'] }, '2026-01-02T00:00:00.000000+00:00'],
    [{ '<': [v('updated_date'), '2026-01-02T03:04:05.123Z'] }, '2026-01-02T03:04:05.123000+00:00'],
    [{ '<': [v('updated_date'), '2024-02-29 03:04-0530'] }, '2024-02-29T03:04:00.000000-05:30'],
  ])('reads the value of %j', (rule, value) => {
    expect(compile(rule)?.values).toEqual([value]);
  });

  it.each([
    ['{"!=": [{"var": "id"}, 2]}', "filter: != operation with [{'var': 'id'}, 2] arguments is not implemented"],
    ['{"<": [1, {"var": "id"}, 2]}', "filter: < operation with [1, {'var': 'id'}, 2] arguments is not implemented"],
    ['{"+": null}', 'filter: + operation with None arguments is not implemented'],
    ['{"==": [2, {"var": "id"}]}', "filter: == operation with [2, {'var': 'id'}] arguments is not implemented"],
    ['{"!": [{"var": "id"}]}', "filter: ! operation with [{'var': 'id'}] arguments is not implemented"],
    [
      '{"in": [{"var": "name"}, "abc"]}',
      "filter: in operation with [{'var': 'name'}, 'abc'] arguments is not implemented",
    ],
    ['{"and": []}', 'filter: and operation with [] arguments is not implemented'],
    ['{"or": 5}', 'filter: or operation with 5 arguments is not implemented'],
    ['{"==": [{"var": "x"}, 1]}', "filter: 'x' term is not supported"],
    ['{"==": [{"var": "toString"}, 1]}', "filter: 'toString' term is not supported"],
    ['{"==": [{}, 1]}', "filter: 'var' term is not supported"],
    ['{"var": ["id"]}', "filter: ['id'] term is not supported"],
    ['xx', "filter: can't parse filter expression: Expecting value: line 1 column 1 (char 0)"],
    [
      '{',
      "filter: can't parse filter expression: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    ],
    ['{}', "filter shouldn't be empty"],
    ['[]', "filter shouldn't be empty"],
    ['null', "filter shouldn't be empty"],
    ['{"and": [{}]}', "filter shouldn't be empty"],
    ['5', 'filter: 5 is not an expression'],
    ['[{"var": "id"}]', "filter: [{'var': 'id'}] is not an expression"],
    ['{"==": [{"var": "id"}, "abc"]}', "filter: 'abc' is not a valid value of 'id'"],
    ['{"<": [{"var": "id"}, null]}', "filter: None is not a valid value of 'id'"],
    ['{"in": [{"var": "id"}, [1, true]]}', "filter: True is not a valid value of 'id'"],
    ['{"==": [{"var": "name"}, "a\\u0000"]}', "filter: 'a\\x00' is not a valid value of 'name'"],
    ['{"in": ["a\\u0000", {"var": "id"}]}', "filter: 'a\\x00' is not a valid value of 'id'"],
    ['{"==": [{"var": "updated_date"}, "2026-02-29"]}', "filter: '2026-02-29' is not a valid value of 'updated_date'"],
    [
      '{"==": [{"var": "updated_date"}, "2026-01-01T24:00Z"]}',
      "filter: '2026-01-01T24:00Z' is not a valid value of 'updated_date'",
    ],
    [`${'{"!":'.repeat(60)}{"var":"id"}${'}'.repeat(60)}`, 'filter: nested more than 50 levels deep'],
    ['['.repeat(40_000), 'filter: more than 32768 characters'],
  ])('refuses %.80s', (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  it('has no condition for an empty text', () => {
    expect(parseFilter('', fields)).toBeNull();
  });

  it("returns SQL without the client's text, or throws a FilterError, for any JSON", () => {
    const MARK = 'ZZ';
    const marked = fc.string().map((text) => MARK + text);
    const variable = fc.oneof(fc.constantFrom(...Object.keys(fields)), marked).map((name) => ({ var: name }));
    const leaf = fc.oneof(variable, variable, marked, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
    const operator = fc.oneof(
      fc.constantFrom('and', 'or', '!', '!!', 'var', '==', '<', '>', '<=', '>=', 'in', '!='),
      marked,
    );
    const { rule } = fc.letrec<{ rule: unknown }>((tie) => ({
      rule: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('rule'), { maxLength: 3 }),
        fc
          .tuple(operator, fc.oneof(tie('rule'), fc.tuple(tie('rule'), tie('rule'))))
          .map(([name, rest]) => ({ [name]: rest })),
      ),
    }));
    fc.assert(
      fc.property(fc.oneof(rule, fc.jsonValue()), (value) => {
        try {
          const { text } = parseFilter(JSON.stringify(value), fields)?.compile() ?? { text: '' };
          expect(text).not.toContain(MARK);
        } catch (error) {
          if (!(error instanceof FilterError)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('returns one Sql object per accepted filter', () => {
    expect(parseFilter('{"var":"id"}', fields)).toBeInstanceOf(Sql);
  });
});
