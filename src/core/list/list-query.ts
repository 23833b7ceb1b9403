import { canonical, FilterError, scalar } from '../../engines/filter/filter-value.js';
import { parseFilter } from '../../engines/filter/json-logic.js';
import { raw, sql, type Sql } from '../../engines/sql/sql.js';
import { Invalid, InvalidList } from '../http/errors/errors.js';
import { isSorted, listOrder, type ListOrder } from './list-order.js';
import { searchConditions, type TermSearch } from './list-search.js';
import { fieldNamed, type ListField, type ListSpec, simpleParameters } from './list-spec.js';
import { parameter, type Query } from './page-request.js';

/** What a client requests of a list, except the page. */
export interface ListQuery {
  /** Combined with AND. */
  readonly conditions: readonly Sql[];
  /** Combined with AND, each in one of its forms. */
  readonly search: readonly TermSearch[];
  readonly order: ListOrder;
  /** Whether the SQL text is one of many that clients can cause. */
  readonly dynamic: boolean;
}

/** Reads simple filters, `search`, `sort` and `filter`. Invalid ones are a 400. */
export function listQuery(spec: ListSpec, query: Query): ListQuery {
  const simple = simpleFilters(spec, query);
  const search = searchConditions(spec, parameter(query, 'search'));
  const sort = parameter(query, 'sort');
  const filter = filterCondition(spec, parameter(query, 'filter'));
  return {
    conditions: [...simple, ...(filter === null ? [] : [filter])],
    search,
    order: listOrder(spec, sort),
    dynamic: simple.length > 1 || search.length > 0 || filter !== null || isSorted(spec, sort),
  };
}

function filterCondition(spec: ListSpec, text: string): Sql | null {
  try {
    return parseFilter(text, spec.fields, spec.dialect);
  } catch (error) {
    throw error instanceof FilterError ? new InvalidList(error.message) : error;
  }
}

/** The value of a parameter: the right side of a condition, no condition, or an error message. */
type Reading = { readonly value: string | number | boolean } | { readonly problem: string } | 'nothing' | 'no row';

/** Conditions for the query parameters that name a field. Throws a 400 with all malformed values. */
function simpleFilters(spec: ListSpec, query: Query): Sql[] {
  const conditions: Sql[] = [];
  const problems: Record<string, string[]> = {};
  for (const [name, fieldName] of simpleParameters(spec)) {
    const field = fieldNamed(spec, fieldName);
    const reading = read(field, parameter(query, name).trim());
    if (reading === 'nothing') continue;
    if (reading === 'no row') conditions.push(raw('false'));
    else if ('problem' in reading) problems[name] = [reading.problem];
    else conditions.push(equals(field, reading.value));
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return conditions;
}

function equals({ column, kind, exists }: ListField, value: string | number | boolean): Sql {
  const condition = sql`${column} = ${scalar(kind, value)}`;
  return exists?.(condition) ?? condition;
}

function read(field: ListField, word: string): Reading {
  if (word === '') return 'nothing';
  const text = canonical(field, word);
  if (text.includes('\0')) return { problem: 'Null characters are not allowed.' };
  if (field.kind === 'integer') return readNumber(text);
  if (field.kind === 'boolean') return readBoolean(text);
  if (field.kind === 'timestamp') throw new Error('a timestamp field cannot be a simple filter');
  if (field.choices !== undefined && !field.choices.includes(text)) return notAChoice(text);
  return { value: text };
}

/** No row has a number beyond the safe integers. */
function readNumber(text: string): Reading {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return { problem: 'Enter a number.' };
  const value = Number(text);
  if (Number.isFinite(value) && !Number.isInteger(value)) return { problem: 'Enter a whole number.' };
  return Number.isSafeInteger(value) ? { value } : 'no row';
}

function readBoolean(text: string): Reading {
  if (text === 'true' || text === 'True') return { value: true };
  return text === 'false' || text === 'False' ? { value: false } : notAChoice(text);
}

const notAChoice = (text: string): Reading => ({
  problem: `Select a valid choice. ${text} is not one of the available choices.`,
});
