import { FilterError } from '../../engines/filter/filter-value.js';
import { parseFilter } from '../../engines/filter/json-logic.js';
import type { Sql } from '../../engines/sql/sql.js';
import { InvalidList } from '../http/errors/errors.js';
import { isSorted, listOrder, type ListOrder } from './list-order.js';
import { searchConditions, type TermSearch } from './list-search.js';
import type { ListSpec } from './list-spec.js';
import { parameter, type Query } from './page-request.js';
import { simpleFilters } from './simple-filters.js';

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
