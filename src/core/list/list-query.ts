import { FilterError } from '../../engines/filter/filter-value.js';
import { parseFilter } from '../../engines/filter/json-logic.js';
import type { Sql } from '../../engines/sql/sql.js';
import { InvalidList } from '../http/errors.js';
import { isSorted, listOrder, type ListOrder } from './list-order.js';
import { searchConditions, type TermSearch } from './list-search.js';
import type { ListSpec } from './list-spec.js';
import { parameter, type Query } from './page-request.js';
import { simpleFilters } from './simple-filters.js';

/** What a client asks of a list, apart from the page. */
export interface ListQuery {
  /** All must hold. */
  readonly conditions: readonly Sql[];
  /** All must hold, each in one of its forms. */
  readonly search: readonly TermSearch[];
  readonly order: ListOrder;
  /** The text of the conditions or the order is one of many that clients can bring about. */
  readonly dynamic: boolean;
}

/** Reads simple filters, `search`, `sort` and `filter`. Wrong ones are 400s. */
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
