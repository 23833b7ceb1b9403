import { join, raw, sql, type Sql } from '../../engines/sql/sql.js';
import { scalar } from '../../engines/filter/filter-value.js';
import { fieldNamed, keyOf, type ListField, type ListSpec, NEVER, sortableNames } from './list-spec.js';

export interface OrderTerm {
  readonly column: Sql;
  readonly descending: boolean;
}

export interface OrderPart {
  readonly condition: Sql;
  /** The value of the first term in all rows of this part. */
  readonly first?: Sql;
}

/** The order of a list's rows. */
export interface ListOrder {
  /** The last term is the key, so the order is total. */
  readonly terms: readonly OrderTerm[];
  /**
   * A partition of the rows, in ascending order. An outer join prevents the database from reading rows in the order of
   * the joined table's index; within one part it can. Empty if the order does not need this.
   */
  readonly parts: readonly OrderPart[];
  /** Whether one of the parts consists of the rows without a value. */
  readonly hasGaps: boolean;
}

interface SortTerm {
  readonly name: string;
  readonly descending: boolean;
}

/**
 * The order that a `sort` such as `-id, name` requests, else the list's default. Unknown and repeated terms are
 * dropped. Ties are ordered by the key in the direction of the last term, so that one index serves both directions.
 */
export function listOrder(spec: ListSpec, sort: string): ListOrder {
  if (sort !== '') return orderFor(spec, sort);
  const usual = usualOrders.get(spec) ?? orderFor(spec, '');
  usualOrders.set(spec, usual);
  return usual;
}

/** Caches the default order, because most requests do not sort. */
const usualOrders = new WeakMap<ListSpec, ListOrder>();

function orderFor(spec: ListSpec, sort: string): ListOrder {
  const asked = sortTerms(spec, sort);
  const used = asked.length > 0 ? asked : sortTerms(spec, spec.defaultSort);
  const fields = used.map((term) => ({ field: fieldNamed(spec, term.name), descending: term.descending }));
  const key = keyOf(spec);
  const terms: OrderTerm[] = fields.map(({ field, descending }) => ({ column: field.column, descending }));
  const place = terms.findIndex(({ column }) => column === key);
  if (place >= 0)
    terms.splice(place + 1); // the key makes the order total
  else terms.push({ column: key, descending: terms.at(-1)?.descending ?? false });
  const first = fields[0]?.field;
  const parts = first === undefined ? [] : partsOf(first);
  return { terms, parts, hasGaps: parts.length > 0 && first?.missing !== NEVER };
}

/** The terms as in ORDER BY. */
export const orderBy = (terms: readonly OrderTerm[]): Sql =>
  join(
    terms.map(({ column, descending }) => (descending ? sql`${column} desc` : column)),
    ', ',
  );

/** Whether there is a usable term. */
export const isSorted = (spec: ListSpec, sort: string): boolean => sort !== '' && sortTerms(spec, sort).length > 0;

function sortTerms(spec: ListSpec, text: string): SortTerm[] {
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

function partsOf({ column, choices, kind, missing, through }: ListField): OrderPart[] {
  if (through === undefined || missing === undefined) return [];
  const without: OrderPart[] = missing === NEVER ? [] : [{ condition: missing, first: raw('null') }];
  if (choices === undefined) return [{ condition: sql`${column} is not null` }, ...without];
  const values = choices.map((choice) => scalar(kind, choice));
  return [...values.map((value) => ({ condition: sql`${column} = ${value}`, first: value })), ...without];
}
