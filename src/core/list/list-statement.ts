import { and, join, raw, sql, type Sql } from '../../engines/sql/sql.js';
import { orderBy, type ListOrder, type OrderPart, type OrderTerm } from './list-order.js';
import { keyOf, type ListSpec } from './list-spec.js';

/** A window of rows; `size` may be Infinity. */
export interface Window {
  readonly offset: number;
  readonly size: number;
}

/** Which rows are wanted. */
export interface Asked {
  readonly where: Sql;
  /** Few rows meet the conditions: they are all found first, never met by chance while following the order. */
  readonly few: boolean;
  readonly order: ListOrder;
  readonly window: Window;
}

/** One row `list_count`: how many rows there are. */
export const counting = (spec: ListSpec, where: Sql): Sql =>
  sql`select count(*) as list_count from ${tablesFor(spec, [where])} where ${where}`;

/**
 * The rows of a page with the columns of `total`. The keys of the page are found first, so a costly select list is
 * evaluated neither for the rows before the page nor for sorting. They are given as an array: a join would come last
 * among many, and beyond eight the database joins in the order of the text.
 *
 * @param total a SELECT that gives one row
 */
export function pageOf(spec: ListSpec, { select, total, ...asked }: Asked & { select: Sql; total: Sql }): Sql {
  const { where, order, window } = asked;
  const rows = Number.isFinite(window.size) ? sql`${keyOf(spec)} = any(array(${pageKeys(spec, asked)}))` : where;
  return sql`select ${select}, list_total.* from ${spec.from} cross join (${total}) list_total
    where ${rows} order by ${orderBy(order.terms)}`;
}

/** Limits are text, not parameters: a plan for any limit would be one for a tenth of the table. */
const limited = ({ offset, size }: Window): Sql => raw(` limit ${size}${offset === 0 ? '' : ` offset ${offset}`}`);

function pageKeys(spec: ListSpec, { where, few, order: { terms, parts }, window }: Asked): Sql {
  if (few) return pageKeysOf([rowsOf(spec, where, terms, raw(' offset 0'))], terms, window); // OFFSET: planned by itself
  if (parts.length > 0)
    return pageKeysOf(
      parts.map((part) => firstOf(spec, where, terms, part, window)),
      terms,
      window,
    );
  const order = orderBy(terms);
  const tables = tablesFor(spec, [where, order]);
  return sql`select ${keyOf(spec)} as list_key from ${tables} where ${where} order by ${order}${limited(window)}`;
}

/** The window of rows that several selections make together. */
function pageKeysOf(selections: readonly Sql[], terms: readonly OrderTerm[], window: Window): Sql {
  const order = orderBy(terms.map(({ descending }, index) => ({ column: orderName(index), descending })));
  return sql`select list_key from (${join(selections, ' union all ')}) list_part order by ${order}${limited(window)}`;
}

const orderName = (index: number): Sql => raw(`list_order_${index}`);

/** The first rows of a part, up to the end of the window. */
function firstOf(
  spec: ListSpec,
  where: Sql,
  [term, ...terms]: readonly OrderTerm[],
  { condition, first }: OrderPart,
  { offset, size }: Window,
): Sql {
  if (term === undefined) throw new Error('An order has at least one term');
  const selected = [first === undefined ? term : { ...term, column: first }, ...terms];
  const order = orderBy(first === undefined ? [term, ...terms] : terms);
  const end = sql` order by ${order}${limited({ offset: 0, size: offset + size })}`;
  return rowsOf(spec, and([where, condition]), selected, end);
}

/** Keys with the values that they are ordered by. */
function rowsOf(spec: ListSpec, where: Sql, terms: readonly OrderTerm[], end: Sql): Sql {
  const columns = join(
    terms.map(({ column }, index) => sql`${column} as ${orderName(index)}`),
    ', ',
  );
  return sql`(select ${keyOf(spec)} as list_key, ${columns} from ${tablesFor(spec, [where, columns])} where ${where}${end})`;
}

/** The list's tables as far as these texts name them. */
export function tablesFor(spec: ListSpec, parts: readonly Sql[]): Sql {
  if (spec.rows === undefined) return spec.from;
  let text = parts.map((part) => part.compile().text).join(' ');
  const joins: Sql[] = [];
  for (const [alias, joined] of Object.entries(spec.rows.joins).toReversed()) {
    if (!names(alias).test(text)) continue;
    joins.unshift(joined);
    text += joined.compile().text;
  }
  return join([spec.rows.table, ...joins], ' ');
}

const patterns = new Map<string, RegExp>();

/** Finds columns of a table by its alias. */
function names(alias: string): RegExp {
  const pattern = patterns.get(alias) ?? new RegExp(`\\b${alias}\\.`);
  patterns.set(alias, pattern);
  return pattern;
}
