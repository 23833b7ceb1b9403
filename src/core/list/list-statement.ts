import { alternatives, and, join, raw, sql, type Sql, withArrays } from '../../engines/sql/sql.js';
import type { Counting } from './list-counts.js';
import { orderBy, type ListOrder, type OrderPart, type OrderTerm } from './list-order.js';
import { keyOf, type ListSpec } from './list-spec.js';

/** A window of rows; `size` may be Infinity. */
export interface Window {
  readonly offset: number;
  readonly size: number;
}

/** Which rows meet the conditions. */
export interface Wanted {
  readonly where: Sql;
  /** What `where` demands, one by one. */
  readonly conditions: readonly Sql[];
  /** The same in parts that may share rows, each easier to find than by `where`. */
  readonly ways: readonly Sql[];
}

/** Which rows are asked for. */
export interface Asked extends Wanted {
  /** Few rows meet the conditions: they are all found first, never met by chance while following the order. */
  readonly few: boolean;
  /** Some of these few are looked for among the first rows of the order before. */
  readonly walk: boolean;
  readonly order: ListOrder;
  readonly window: Window;
}

/** @param visible in a long list, what each of its alternatives shows is found by itself */
export function wanted(spec: ListSpec, visible: Sql, others: readonly Sql[]): Wanted {
  const conditions = [visible, ...others];
  const where = and(conditions);
  const seen = spec.rows === undefined ? [visible] : alternatives(visible);
  return { where, conditions, ways: seen.length > 1 ? seen.map((way) => and([way, ...others])) : [where] };
}

/** How many rows there are. */
export function counting(spec: ListSpec, { where, conditions, ways }: Wanted): Counting {
  const { tally } = spec;
  if (ways.length > 1) {
    const keys = ways.map((way) => sql`select ${keyOf(spec)} ${collecting(spec, way, [])}`);
    return () => sql`select count(*) as list_count from (${join(keys, ' union ')}) list_row`;
  }
  const one = sql`select count(*) as list_count from ${tablesFor(spec, [where])} where ${where}`;
  if (tally === undefined) return () => one;
  const tallied = conditions.filter((condition) => namesOnly(tally.columns, condition));
  const others = conditions.filter((condition) => !tallied.includes(condition));
  const all = sql`select coalesce(sum(${tally.count}), 0)::bigint as list_count from ${tally.table} where ${and(tallied)}`;
  if (others.length === 0) return () => all;
  if (!others.every((condition) => namesOnly(tally.dates, condition) && hasNoNull(condition))) return () => one;
  const rest = and([...tallied, sql`not (${and(others)})`]);
  const left = sql`select count(*) from ${tablesFor(spec, [rest])} where ${rest}`;
  return (last) => sql`select case when ${last}::bigint >= ${NEARLY_ALL}::float8 * list_all.list_count
    then list_all.list_count - (${left}) else (${one}) end as list_count from (${all}) list_all`;
}

/** A list that is expected to hold so much of what the tally knows is counted by what it leaves out. */
const NEARLY_ALL = 0.9;

function namesOnly(columns: readonly string[], condition: Sql): boolean {
  const { text } = condition.compile();
  const named = text.match(/\b[a-z_]+\.[a-z_]+/g) ?? [];
  return !/\bselect\b/.test(text) && named.every((column) => columns.includes(column));
}

/** Over columns that are never null the condition is then true or false, and so it can be negated. */
const hasNoNull = (condition: Sql): boolean =>
  condition
    .compile()
    .values.flat()
    .every((value) => value !== null);

/**
 * The rows of a page, each with the columns of `total` as an object `list_total`, which is made once: as a table to join
 * it would double the time that planning takes. The keys of the page are found first, so a costly select list is
 * evaluated neither for the rows before the page nor for sorting. They are given as an array: a join would come last
 * among many, and beyond eight the database joins in the order of the text.
 *
 * @param total a SELECT that gives one row
 */
export function pageOf(spec: ListSpec, { select, total, ...asked }: Asked & { select: Sql; total: Sql }): Sql {
  const { where, ways, order, window } = asked;
  const rows =
    Number.isFinite(window.size) || ways.length > 1
      ? sql`${keyOf(spec)} = any(array(${pageKeys(spec, asked)}))`
      : where;
  return sql`select ${select}, (select to_json(list_total) from (${total}) list_total) as list_total from ${spec.from}
    where ${rows} order by ${orderBy(order.terms)}`;
}

/** Limits are text, not parameters: a plan for any limit would be one for a tenth of the table. */
const limited = ({ offset, size }: Window): Sql =>
  raw(`${Number.isFinite(size) ? ` limit ${size}` : ''}${offset === 0 ? '' : ` offset ${offset}`}`);

/** So many rows of the order are looked at before all that are wanted are collected. */
const WALKED = 10_000;

/** Up to so many rows a page may reach to be met by walking. */
const NEAR = 100;

function pageKeys(spec: ListSpec, asked: Asked): Sql {
  const {
    where,
    ways,
    few,
    order: { terms, parts },
    window,
  } = asked;
  if (few) {
    const found = ways.map((way) => rowsOfWay(spec, way, terms));
    // No more of each way than the page can show: rows that several ways find are then told apart among few.
    const end = { offset: 0, size: window.offset + window.size };
    const firsts = found.length === 1 ? found : found.map((rows) => sql`(${inWindow(raw('*'), rows, terms, end)})`);
    const collected = join(firsts, ' union ');
    const lead = leadOf(asked);
    return lead === undefined ? pageKeysOf(collected, terms, window) : walkedOr(spec, asked, lead, collected);
  }
  if (parts.length > 0) {
    const found = parts.map((part) => firstOf(spec, where, terms, part, window));
    return pageKeysOf(join(found, ' union all '), terms, window);
  }
  const order = orderBy(terms);
  const tables = tablesFor(spec, [where, order]);
  return sql`select ${keyOf(spec)} as ${LIST_KEY} from ${tables} where ${where} order by ${order}${limited(window)}`;
}

/** The rows that come first, be they all or a part, in an order that an index has. */
interface Lead {
  readonly condition: Sql;
  readonly terms: readonly OrderTerm[];
}

/** @returns undefined where no index leads to a near page */
function leadOf({ walk, order: { terms, parts, hasGaps }, window: { offset, size } }: Asked): Lead | undefined {
  if (!walk || offset + size > NEAR) return undefined;
  const [first, ...others] = terms;
  if (parts.length <= 1 && !hasGaps) return terms.length <= 2 ? { condition: raw('true'), terms } : undefined;
  const part = first?.descending === true ? parts.at(-1) : parts[0];
  return part?.first === undefined || others.length > 2 ? undefined : { condition: part.condition, terms: others };
}

/**
 * Whoever sees one row in a hundred meets a page of them sooner than all can be collected. Whose rows are all far away
 * has lost little: they are collected where the walk has not met enough.
 */
function walkedOr(spec: ListSpec, { where, order: { terms }, window }: Asked, lead: Lead, collected: Sql): Sql {
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

/** The window of rows that selections make together. */
const pageKeysOf = (selections: Sql, terms: readonly OrderTerm[], window: Window): Sql =>
  inWindow(LIST_KEY, sql`(${selections})`, terms, window);

/** @param rows a subquery, with the values to order by */
function inWindow(columns: Sql, rows: Sql, terms: readonly OrderTerm[], window: Window): Sql {
  const order = orderBy(named(terms).map(({ name, descending }) => ({ column: name, descending })));
  return sql`select ${columns} from ${rows} list_part order by ${order}${limited(window)}`;
}

const LIST_KEY = raw('list_key');

/** With what the columns are called in subqueries; the last one is the key. */
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

/** Keys with the values that they are ordered by. */
function rowsOf(spec: ListSpec, where: Sql, terms: readonly OrderTerm[], end: Sql): Sql {
  const columns = orderColumns(terms);
  return sql`(select ${columns} from ${tablesFor(spec, [where, columns])} where ${where}${end})`;
}

const orderColumns = (terms: readonly OrderTerm[]): Sql =>
  join(
    keyFirst(named(terms)).map(({ column, name }) => sql`${column} as ${name}`),
    ', ',
  );

/** Whoever takes the key alone then needs no step of its own to leave out what is before it. */
const keyFirst = <Term>(terms: readonly Term[]): Term[] => [...terms.slice(-1), ...terms.slice(0, -1)];

/** All keys of one way, with the values that they are ordered by. OFFSET: planned by itself, whatever is done with them. */
function rowsOfWay(spec: ListSpec, way: Sql, terms: readonly OrderTerm[]): Sql {
  const columns = orderColumns(terms);
  return sql`(select ${columns} ${collecting(spec, way, [columns])} offset 0)`;
}

/**
 * What follows the columns of a SELECT that reads all rows of one way. What another table shows is found from that one
 * where it is joined anyway.
 */
function collecting(spec: ListSpec, way: Sql, columns: readonly Sql[]): Sql {
  const tables = tablesFor(spec, [way, ...columns]);
  const { text } = tables.compile();
  const where = withArrays(way, (column) => {
    const key = spec.rows?.keys?.[column.compile().text];
    return key !== undefined && text.includes(`${key} =`) ? raw(key) : column;
  });
  return sql`from ${tables} where ${where}`;
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
