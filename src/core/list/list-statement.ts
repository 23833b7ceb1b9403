import { and, join, raw, sql, type Sql } from '../../engines/sql/sql.js';
import { orderBy, type ListOrder } from './list-order.js';
import { keyOf, type ListSpec } from './list-spec.js';

/** A window of rows; `size` may be Infinity. */
export interface Window {
  readonly offset: number;
  readonly size: number;
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
export function pageOf(
  spec: ListSpec,
  { select, where, order, window, total }: { select: Sql; where: Sql; order: ListOrder; window: Window; total: Sql },
): Sql {
  const rows = Number.isFinite(window.size)
    ? sql`${keyOf(spec)} = any(array(${pageKeys(spec, where, order, window)}))`
    : where;
  return sql`select ${select}, list_total.* from ${spec.from} cross join (${total}) list_total
    where ${rows} order by ${orderBy(order.terms)}`;
}

/** Limits are text, not parameters: a plan for any limit would be one for a tenth of the table. */
const limited = ({ offset, size }: Window): Sql => raw(` limit ${size}${offset === 0 ? '' : ` offset ${offset}`}`);

function pageKeys(spec: ListSpec, where: Sql, order: ListOrder, window: Window): Sql {
  if (order.parts.length > 0) return pageKeysOfParts(spec, where, order, window);
  const tables = tablesFor(spec, [where, orderBy(order.terms)]);
  return sql`select ${keyOf(spec)} as list_key from ${tables} where ${where} order by ${orderBy(order.terms)}${limited(window)}`;
}

/** Every part gives its first rows up to the end of the window; the window is cut from them together. */
function pageKeysOfParts(spec: ListSpec, where: Sql, { terms, parts }: ListOrder, window: Window): Sql {
  const end = { offset: 0, size: window.offset + window.size };
  const columns = join(
    terms.map(({ column }, index) => sql`${column} as ${raw(`list_order_${index}`)}`),
    ', ',
  );
  const firstOf = (part: Sql): Sql => {
    const both = and([where, part]);
    const tables = tablesFor(spec, [both, columns]);
    return sql`(select ${keyOf(spec)} as list_key, ${columns} from ${tables} where ${both} order by ${orderBy(terms)}${limited(end)})`;
  };
  const together = terms.map(({ descending }, index) => ({ column: raw(`list_order_${index}`), descending }));
  return sql`select list_key from (${join(parts.map(firstOf), ' union all ')}) list_part
    order by ${orderBy(together)}${limited(window)}`;
}

/** The list's tables as far as these texts name them. */
export function tablesFor(spec: ListSpec, parts: readonly Sql[]): Sql {
  if (spec.rows === undefined) return spec.from;
  let text = parts.map((part) => part.compile().text).join(' ');
  const joins: Sql[] = [];
  for (const [alias, joined] of Object.entries(spec.rows.joins).toReversed()) {
    if (!new RegExp(`\\b${alias}\\.`).test(text)) continue;
    joins.unshift(joined);
    text += joined.compile().text;
  }
  return join([spec.rows.table, ...joins], ' ');
}
