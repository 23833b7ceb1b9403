import { containsCaseless } from '../../engines/filter/like.js';
import { join, or, raw, sql, type Sql } from '../../engines/sql/sql.js';
import { InvalidList } from '../http/errors.js';
import { fieldNamed, type ListField, type ListSpec } from './list-spec.js';
import { searchTerms } from './search-terms.js';

const MAX_SEARCH_LENGTH = 4096;
const MAX_SEARCH_TERMS = 50;

/** So many rows are collected faster than they are met by chance while walking through the list. */
const FEW = 5_000;

/** The condition of one search term in two forms that mean the same. */
export interface TermSearch {
  /** For a term that many rows have: over the joined tables, row by row. */
  readonly walking: Sql;
  /** For a term that few rows have: over columns of the list's own table, so that indexes find them. */
  readonly collecting: Sql;
  /** Boolean expression: few rows have the term. Undefined when there is no choice to make. */
  readonly isRare: Sql | undefined;
}

/** Every term must be in at least one of the search fields. */
export function searchConditions(spec: ListSpec, text: string): TermSearch[] {
  if (text.includes('\0')) throw new InvalidList('Null characters are not allowed.');
  if (text.length > MAX_SEARCH_LENGTH) throw new InvalidList(`search: more than ${MAX_SEARCH_LENGTH} characters`);
  if (spec.search.length === 0) return [];
  const terms = searchTerms(text);
  if (terms.length > MAX_SEARCH_TERMS) throw new InvalidList(`search: more than ${MAX_SEARCH_TERMS} terms`);
  const fields = spec.search.map((name) => fieldNamed(spec, name));
  return terms.map((term) => termSearch(spec, fields, term));
}

function termSearch(spec: ListSpec, fields: readonly ListField[], term: string): TermSearch {
  const table = spec.rows?.table;
  const possible = fields.filter(
    ({ choices, values = choices }) => values === undefined || has(values, term).length > 0,
  );
  const walking = or(possible.map((field) => matches(field, field.column, term)));
  if (table === undefined || possible.every(({ through }) => through === undefined)) {
    return { walking, collecting: walking, isRare: undefined };
  }
  const collecting = or(possible.map((field) => collected(field, term) ?? matches(field, field.column, term)));
  const hits = possible.map((field) => collected(field, term, LIMIT) ?? matches(field, field.column, term));
  const isFew = hits.map(
    (hit) => sql`(select count(*) from (select from ${table} where ${hit} ${LIMIT}) list_hit) <= ${raw(String(FEW))}`,
  );
  return { walking, collecting, isRare: sql`(${join(isFew, ' and ')})` };
}

const LIMIT = raw(`limit ${FEW + 1}`);

/** The values that a row can have are known: only those with the term in them are looked for. */
function matches(field: ListField, column: Sql, term: string): Sql {
  const values = field.values ?? field.choices;
  const condition =
    values === undefined ? containsCaseless(column, term) : sql`${column} = any(${has(values, term)}::text[])`;
  return field.exists?.(condition) ?? condition;
}

function collected(field: ListField, term: string, limit = raw('')): Sql | undefined {
  if (field.through === undefined) return undefined;
  const ids = field.through.ids((column) => matches(field, column, term));
  return sql`${field.through.column} = any(array(${ids} ${limit}))`;
}

const has = (values: readonly string[], term: string): string[] =>
  values.filter((value) => value.toLowerCase().includes(term.toLowerCase()));
