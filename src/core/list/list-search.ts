import { containsCaseless } from '../../engines/filter/like.js';
import { join, or, raw, sql, type Sql } from '../../engines/sql/sql.js';
import { InvalidList } from '../http/errors.js';
import { fieldNamed, type ListField, type ListSpec, type Through } from './list-spec.js';
import { searchTerms } from './search-terms.js';

const MAX_SEARCH_LENGTH = 4096;
const MAX_SEARCH_TERMS = 50;

/** So many rows are collected faster than they are met by chance while walking through the list. */
const FEW = 5_000;

/** So many ids are compared with faster than a text of another table is read and searched. */
const HANDFUL = 50;

/** How a term is looked for. */
export interface TermCondition {
  readonly condition: Sql;
  /** Few rows have the term, and indexes find them: the condition is over columns of the list's own table. */
  readonly few: boolean;
}

/** One search term. The forms of its condition mean the same; which is quick depends on how frequent the term is. */
export interface TermSearch {
  /** Integer expressions that tell how frequent it is; none when there is one form only. */
  readonly probes: readonly Sql[];
  /** @param answers the values of the probes; without them the form that is true whatever they are */
  condition(answers: readonly number[]): TermCondition;
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
  const walked = possible.map((field) => matches(field, field.column, term));
  if (table === undefined || possible.every(({ through }) => through === undefined))
    return { probes: [], condition: () => ({ condition: or(walked), few: false }) };
  const collect = (limit?: number): Sql[] =>
    possible.map((field, index) => collected(field, term, limit) ?? walked[index] ?? raw('false'));
  const isRare = collect(FEW + 1).map((hit) => atMost(sql`select from ${table} where ${hit}`, FEW));
  const ids = possible.map((field) =>
    field.through === undefined ? raw('null') : countTo(idsOf(field, field.through, term), HANDFUL + 1),
  );
  return {
    probes: [sql`(${join(isRare, ' and ')})::int`, ...ids],
    condition([rare = 0, ...counts]) {
      const all = collect();
      if (rare === 1) return { condition: or(all), few: true };
      const forms = all.map((collecting, index) => {
        const count = counts[index] ?? Infinity;
        return count <= HANDFUL ? collecting : (walked[index] ?? collecting);
      });
      // A field without the term is left out, so that the others may be judged before tables are joined.
      return { condition: or(forms.filter((_, index) => counts[index] !== 0)), few: false };
    },
  };
}

/** How many rows a selection has, but no more than `most` of them are read. */
const countTo = (selection: Sql, most: number): Sql =>
  sql`(select count(*)::int from (${selection} ${limited(most)}) list_hit)`;

const atMost = (selection: Sql, count: number): Sql => sql`${countTo(selection, count + 1)} <= ${raw(String(count))}`;

const limited = (rows: number): Sql => raw(`limit ${rows}`);

/** The values that a row can have are known: only those with the term in them are looked for. */
function matches(field: ListField, column: Sql, term: string): Sql {
  const values = field.values ?? field.choices;
  const condition =
    values === undefined
      ? containsCaseless(field.inBatches?.(column) ?? column, term)
      : sql`${column} = any(${has(values, term)}::text[])`;
  return field.exists?.(condition) ?? condition;
}

/** By the ids that lead to the texts; undefined for a field of the list's own table. */
function collected(field: ListField, term: string, limit?: number): Sql | undefined {
  if (field.through === undefined) return undefined;
  const ids = idsOf(field, field.through, term);
  return sql`${field.through.column} = any(array(${ids} ${limit === undefined ? raw('') : limited(limit)}))`;
}

const idsOf = (field: ListField, through: Through, term: string): Sql =>
  through.ids((column) => matches(field, column, term));

const has = (values: readonly string[], term: string): string[] =>
  values.filter((value) => value.toLowerCase().includes(term.toLowerCase()));
