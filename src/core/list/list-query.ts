import { FilterError } from '../../engines/filter/filter-error.js';
import { parseFilter } from '../../engines/filter/json-logic.js';
import { containsCaseless } from '../../engines/filter/like.js';
import { join, or, sql, type Sql } from '../../engines/sql/sql.js';
import { InvalidList } from '../http/errors.js';
import { fieldNamed, keyOf, type ListSpec, sortableNames } from './list-spec.js';
import { parameter, type Query } from './page-request.js';
import { searchTerms } from './search-terms.js';
import { simpleFilters } from './simple-filters.js';

const MAX_SEARCH_LENGTH = 4096;
const MAX_SEARCH_TERMS = 50;

/** What a client asks of a list, apart from the page. */
export interface ListQuery {
  /** All must hold. */
  readonly conditions: readonly Sql[];
  /** As after ORDER BY; total. */
  readonly order: Sql;
  /** The text of the conditions or the order is one of many that clients can bring about. */
  readonly dynamic: boolean;
}

/** Reads simple filters, `search`, `sort` and `filter`. Wrong ones are 400s. */
export function listQuery(spec: ListSpec, query: Query): ListQuery {
  const simple = simpleFilters(spec, query);
  const search = searchConditions(spec, parameter(query, 'search'));
  const sort = sortTerms(spec, parameter(query, 'sort'));
  const filter = filterCondition(spec, parameter(query, 'filter'));
  return {
    conditions: [...simple, ...search, ...(filter === null ? [] : [filter])],
    order: orderBy(spec, sort),
    dynamic: simple.length > 1 || search.length > 0 || filter !== null || sort.length > 0,
  };
}

/** Every term must be in at least one of the search fields. */
export function searchConditions(spec: ListSpec, text: string): Sql[] {
  if (text.includes('\0')) throw new InvalidList('Null characters are not allowed.');
  if (text.length > MAX_SEARCH_LENGTH) throw new InvalidList(`search: more than ${MAX_SEARCH_LENGTH} characters`);
  if (spec.search.length === 0) return [];
  const terms = searchTerms(text);
  if (terms.length > MAX_SEARCH_TERMS) throw new InvalidList(`search: more than ${MAX_SEARCH_TERMS} terms`);
  return terms.map((term) =>
    or(
      spec.search.map((name) => {
        const field = fieldNamed(spec, name);
        const condition = containsCaseless(field.column, term);
        return field.exists?.(condition) ?? condition;
      }),
    ),
  );
}

function filterCondition(spec: ListSpec, text: string): Sql | null {
  try {
    return parseFilter(text, spec.fields);
  } catch (error) {
    throw error instanceof FilterError ? new InvalidList(error.message) : error;
  }
}

export interface SortTerm {
  readonly name: string;
  readonly descending: boolean;
}

/** The usable terms of a `sort` such as `-id, name`; others are dropped, as are repetitions. */
export function sortTerms(spec: ListSpec, text: string): SortTerm[] {
  const sortable = new Set(sortableNames(spec));
  const terms = new Map<string, SortTerm>();
  for (const part of text.split(',')) {
    const term = part.trim();
    const descending = term.startsWith('-');
    const name = descending ? term.slice(1) : term;
    if (sortable.has(name) && !terms.has(name)) terms.set(name, { name, descending });
  }
  return [...terms.values()];
}

/** Rows that tie keep the list's own order; the key at the end makes it total. */
export function orderBy(spec: ListSpec, sort: readonly SortTerm[]): Sql {
  const named = new Set(sort.map((term) => term.name));
  const own = sortTerms(spec, spec.defaultSort).filter((term) => !named.has(term.name));
  const parts = [...sort, ...own].map((term) => {
    const { column } = fieldNamed(spec, term.name);
    return term.descending ? sql`${column} desc` : column;
  });
  const key = keyOf(spec);
  const hasKey = [...sort, ...own].some((term) => fieldNamed(spec, term.name).column === key);
  return join(hasKey ? parts : [...parts, key], ', ');
}
