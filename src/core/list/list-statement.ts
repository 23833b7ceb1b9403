import { alternatives, and, join, raw, sql, type Sql, withArrays } from '../../engines/sql/sql.js';
import { Column, from, type Join, type Names, namesIn } from '../../engines/sql/tables.js';
import type { Counting } from './list-counts.js';
import { orderBy, type ListOrder, type OrderPart, type OrderTerm } from './list-order.js';
import { keyOf, type ListSpec } from './list-spec.js';

/** A window of rows; `size` can be Infinity. */
export interface Window {
  readonly offset: number;
  readonly size: number;
}

/** The conditions for the rows. */
export interface Wanted {
  readonly where: Sql;
  /** The conjuncts of `where`. */
  readonly conditions: readonly Sql[];
  /** Alternatives that together equal `where` and may overlap. Each is easier to find than `where`. */
  readonly ways: readonly Sql[];
}

/** The requested rows. */
export interface ListRequest extends Wanted {
  /** Whether few rows match: they are all collected first, instead of being found while scanning in order. */
  readonly few: boolean;
  /** Whether to look for matches among the first rows of the order first. */
  readonly walk: boolean;
  readonly order: ListOrder;
  readonly window: Window;
}

/** @param visible in a long list, each of its alternatives is searched separately */
export function wanted(spec: ListSpec, visible: Sql, others: readonly Sql[]): Wanted {
  const conditions = [visible, ...others];
  const where = and(conditions);
  const seen = spec.rows === undefined ? [visible] : alternatives(visible);
  return { where, conditions, ways: seen.length > 1 ? seen.map((way) => and([way, ...others])) : [where] };
}

/** The SQL that counts rows. */
export function counting(spec: ListSpec, { where, conditions, ways }: Wanted): Counting {
  const { tally } = spec;
  if (ways.length > 1) {
    const keys = ways.map((way) => sql`select ${keyOf(spec)} ${collecting(spec, way, [])}`);
    return () => sql`select count(*) as list_count from (${join(keys, ' union ')}) list_row`;
  }
  const one = sql`select count(*) as list_count from ${tablesFor(spec, [where])} where ${where}`;
  if (tally === undefined) return () => one;
  const tallied = conditions.filter((condition) => namesOnly(tally.columns, namesIn(condition)));
  const others = conditions.filter((condition) => !tallied.includes(condition));
  const all = sql`select coalesce(sum(${tally.count}), 0)::bigint as list_count from ${tally.table} where ${and(tallied)}`;
  if (others.length === 0) return () => all;
  if (!others.every((condition) => namesOnly(tally.dates, namesIn(condition)) && hasNoNull(condition)))
    return () => one;
  const rest = and([...tallied, sql`not (${and(others)})`]);
  const left = sql`select count(*) from ${tablesFor(spec, [rest])} where ${rest}`;
  return (last) => sql`select case when ${last}::bigint >= ${NEARLY_ALL}::float8 * list_all.list_count
    then list_all.list_count - (${left}) else (${one}) end as list_count from (${all}) list_all`;
}

/** A list expected to contain this fraction of the tally is counted by what it excludes. */
const NEARLY_ALL = 0.9;

const namesOnly = (allowed: readonly string[], { tables, columns }: Names): boolean =>
  tables.length === 0 && columns.every(({ alias, name }) => allowed.includes(`${alias}.${name}`));

/** On columns that are never null, the condition is true or false, so it can be negated. */
const hasNoNull = (condition: Sql): boolean =>
  condition
    .compile()
    .values.flat()
    .every((value) => value !== null);

/**
 * The rows of a page, each with the columns of `total` as an object `list_total`, computed once: joining it as a table
 * would double the planning time. The keys of the page are found first, so that a costly select list is evaluated
 * neither for the rows before the page nor for sorting. They are passed as an array: a join would come last among many,
 * and beyond eight tables the database joins in the order of the text.
 *
 * @param total a SELECT that returns one row
 */
export function pageOf(spec: ListSpec, { select, total, ...asked }: ListRequest & { select: Sql; total: Sql }): Sql {
  const { where, ways, order, window } = asked;
  const rows =
    Number.isFinite(window.size) || ways.length > 1
      ? sql`${keyOf(spec)} = any(array(${pageKeys(spec, asked)}))`
      : where;
  return sql`select ${select}, (select to_json(list_total) from (${total}) list_total) as list_total from ${spec.from}
    where ${rows} order by ${orderBy(order.terms)}`;
}

/** Limits are SQL text, not parameters: a generic plan would assume a tenth of the table. */
const limited = ({ offset, size }: Window): Sql =>
  raw(`${Number.isFinite(size) ? ` limit ${size}` : ''}${offset === 0 ? '' : ` offset ${offset}`}`);

/** The number of rows scanned in order before falling back to collecting all matches. */
const WALKED = 10_000;

/** Pages that end beyond this row are not searched by scanning. */
const NEAR = 100;

function pageKeys(spec: ListSpec, asked: ListRequest): Sql {
  const {
    where,
    ways,
    few,
    order: { terms, parts },
    window,
  } = asked;
  if (few) {
    const found = ways.map((way) => rowsOfWay(spec, way, terms));
    // Fetch no more rows of each alternative than the page can show, so that few rows need deduplication.
    const end = { offset: 0, size: window.offset + window.size };
    const firsts = found.length === 1 ? found : found.map((rows) => sql`(${inWindow(raw('*'), rows, terms, end)})`);
    const collected = join(firsts, ' union ');
    const lead = leadOf(asked);
    return lead === undefined ? pageKeysOf(collected, terms, window) : walkedOrSorted(spec, asked, lead, collected);
  }
  if (parts.length > 0) {
    const found = parts.map((part) => firstOf(spec, where, terms, part, window));
    return pageKeysOf(join(found, ' union all '), terms, window);
  }
  const order = orderBy(terms);
  const tables = tablesFor(spec, [where, order]);
  return sql`select ${keyOf(spec)} as ${LIST_KEY} from ${tables} where ${where} order by ${order}${limited(window)}`;
}

/** The first rows, all or a part, in an order that an index provides. */
interface Lead {
  readonly condition: Sql;
  readonly terms: readonly OrderTerm[];
}

/** @returns undefined if no index leads to a page near the start */
function leadOf({ walk, order: { terms, parts, hasGaps }, window: { offset, size } }: ListRequest): Lead | undefined {
  if (!walk || offset + size > NEAR) return undefined;
  const [first, ...others] = terms;
  if (parts.length <= 1 && !hasGaps) return terms.length <= 2 ? { condition: raw('true'), terms } : undefined;
  const part = first?.descending === true ? parts.at(-1) : parts[0];
  return part?.first === undefined || others.length > 2 ? undefined : { condition: part.condition, terms: others };
}

/**
 * If one row in a hundred is visible, scanning finds a page of them sooner than collecting all. If the scan does not
 * find enough, little is lost, and all are collected.
 */
function walkedOrSorted(
  spec: ListSpec,
  { where, order: { terms }, window }: ListRequest,
  lead: Lead,
  collected: Sql,
): Sql {
  const columns = orderColumns(terms);
  const isWanted = and([lead.condition, where]);
  const tables = tablesFor(spec, [isWanted, columns]);
  const looked = sql`(select ${columns}, ${isWanted} as list_wanted from ${tables}
    order by ${orderBy(lead.terms)}${raw(` limit ${WALKED}`)})`;
  const names = join(
    keyFirst(named(terms)).map(({ name }) => name),
    ', ',
  );
  const end = { offset: 0, size: window.offset + window.size };
  const met = inWindow(names, sql`(select * from ${looked} list_looked where list_wanted)`, terms, end);
  const enough = sql`(select count(*) from list_met) >= ${raw(String(end.size))}`;
  return sql`with list_met as materialized (${met})
    ${pageKeysOf(sql`select * from list_met where ${enough} union all select * from (${collected}) list_collected where not ${enough}`, terms, window)}`;
}

/** The window of the union of selections. */
const pageKeysOf = (selections: Sql, terms: readonly OrderTerm[], window: Window): Sql =>
  inWindow(LIST_KEY, sql`(${selections})`, terms, window);

/** @param rows a subquery, with the values to order by */
function inWindow(columns: Sql, rows: Sql, terms: readonly OrderTerm[], window: Window): Sql {
  const order = orderBy(named(terms).map(({ name, descending }) => ({ column: name, descending })));
  return sql`select ${columns} from ${rows} list_part order by ${order}${limited(window)}`;
}

const LIST_KEY = raw('list_key');

/** The terms with their column names in subqueries; the last one is the key. */
const named = (terms: readonly OrderTerm[]): (OrderTerm & { readonly name: Sql })[] =>
  terms.map((term, index) => ({
    ...term,
    name: index === terms.length - 1 ? LIST_KEY : raw(`list_order_${index}`),
  }));

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

/** Keys with their sort values. */
function rowsOf(spec: ListSpec, where: Sql, terms: readonly OrderTerm[], end: Sql): Sql {
  const columns = orderColumns(terms);
  return sql`(select ${columns} from ${tablesFor(spec, [where, columns])} where ${where}${end})`;
}

const orderColumns = (terms: readonly OrderTerm[]): Sql =>
  join(
    keyFirst(named(terms)).map(({ column, name }) => sql`${column} as ${name}`),
    ', ',
  );

/** With the key first, selecting the key alone needs no extra step to drop the columns before it. */
const keyFirst = <Term>(terms: readonly Term[]): Term[] => [...terms.slice(-1), ...terms.slice(0, -1)];

/** All keys of one alternative, with their sort values. OFFSET makes the database plan it separately. */
function rowsOfWay(spec: ListSpec, way: Sql, terms: readonly OrderTerm[]): Sql {
  const columns = orderColumns(terms);
  return sql`(select ${columns} ${collecting(spec, way, [columns])} offset 0)`;
}

/**
 * The SQL after the columns of a SELECT that reads all rows of one alternative. Visibility through another table starts
 * from that table if it is joined anyway.
 */
function collecting(spec: ListSpec, way: Sql, columns: readonly Sql[]): Sql {
  const joins = joinsFor(spec, [way, ...columns]).filter(({ left }) => !left);
  const where = withArrays(way, (column) => joins.find(({ reference }) => isSame(column, reference))?.key ?? column);
  return sql`from ${tablesFor(spec, [way, ...columns])} where ${where}`;
}

const isSame = (one: Sql, other: Sql): boolean =>
  one instanceof Column && other instanceof Column && one.alias === other.alias && one.name === other.name;

/** The tables of the list whose columns these fragments name, and those needed to join them. */
export const tablesFor = (spec: ListSpec, parts: readonly Sql[]): Sql =>
  spec.rows === undefined ? spec.from : from({ table: spec.rows.table, joins: joinsFor(spec, parts) });

function joinsFor({ rows }: ListSpec, parts: readonly Sql[]): Join[] {
  const aliases = new Set(namesIn(...parts).columns.map(({ alias }) => alias));
  const joins: Join[] = [];
  for (const one of rows?.joins.toReversed() ?? []) {
    if (!aliases.has(one.table.alias)) continue;
    joins.unshift(one);
    for (const { alias } of namesIn(one.reference).columns) aliases.add(alias);
  }
  return joins;
}
