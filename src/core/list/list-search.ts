import { containsCaseless, join, or, raw, sql, type Sql } from '../../engines/sql/sql.js';
import { InvalidList } from '../http/errors/errors.js';
import { fieldNamed, type ListField, type ListSpec, type Through } from './list-spec.js';

const MAX_SEARCH_LENGTH = 4096;
const MAX_SEARCH_TERMS = 50;

/** Up to this many rows, collecting all is faster than finding them by chance while scanning the list. */
const FEW = 5_000;

/** Up to this many ids, comparing ids is faster than reading and searching the texts of another table. */
const HANDFUL = 50;

/** The condition for a search term. */
export interface TermCondition {
  readonly condition: Sql;
  /**
   * Whether few rows contain the term and indexes find them: the condition uses only columns of the list's own table.
   */
  readonly few: boolean;
}

/** One search term. Its forms of condition are equivalent; which is fastest depends on how frequent the term is. */
export interface TermSearch {
  /** Integer expressions that measure how frequent the term is; empty if there is only one form. */
  readonly probes: readonly Sql[];
  /** @param answers values of the probes; if missing, the form that is correct for any values */
  condition(answers: readonly number[]): TermCondition;
}

/** Every term must occur in at least one of the search fields. */
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
      // Fields without the term are left out, so that the others can be tested before tables are joined.
      return { condition: or(forms.filter((_, index) => counts[index] !== 0)), few: false };
    },
  };
}

/** The number of rows of a selection, reading at most `most` rows. */
const countTo = (selection: Sql, most: number): Sql =>
  sql`(select count(*)::int from (${selection} ${limited(most)}) list_hit)`;

const atMost = (selection: Sql, count: number): Sql => sql`${countTo(selection, count + 1)} <= ${raw(String(count))}`;

const limited = (rows: number): Sql => raw(`limit ${rows}`);

/** If the possible values are known, only those that contain the term are matched. */
function matches(field: ListField, column: Sql, term: string): Sql {
  const values = field.values ?? field.choices;
  const condition =
    values === undefined
      ? containsCaseless(field.inBatches?.(column) ?? column, term)
      : sql`${column} = any(${has(values, term)}::text[])`;
  return field.exists?.(condition) ?? condition;
}

/** Matches by the ids that refer to the texts; undefined for a field of the list's own table. */
function collected(field: ListField, term: string, limit?: number): Sql | undefined {
  if (field.through === undefined) return undefined;
  const ids = idsOf(field, field.through, term);
  return sql`${field.through.column} = any(array(${ids} ${limit === undefined ? raw('') : limited(limit)}))`;
}

const idsOf = (field: ListField, through: Through, term: string): Sql =>
  through.ids((column) => matches(field, column, term));

const has = (values: readonly string[], term: string): string[] =>
  values.filter((value) => value.toLowerCase().includes(term.toLowerCase()));

/** A word that may contain quoted phrases, or any run without white space (an unclosed quote). */
const TERM = /[^\s'"]*(?:(?:"(?:[^"\\]|\\[^\n])*"|'(?:[^'\\]|\\[^\n])*')[^\s'"]*)+|\S+/g;

/**
 * Splits a `search` into terms at white space and commas. A quoted term is one phrase; in it, a backslash escapes a
 * quote or a backslash.
 */
export function searchTerms(text: string): string[] {
  return [...text.matchAll(TERM)].flatMap(([term]) => split(term)).filter((term) => term !== '');
}

/** One phrase, possibly between commas. */
const PHRASE = /^,*(["'])(.*)\1,*$/s;

function split(term: string): string[] {
  const [, quote, phrase] = PHRASE.exec(term) ?? [];
  if (quote === undefined || phrase === undefined) return term.split(',').map((part) => part.trim());
  return [phrase.replaceAll(`\\${quote}`, quote).replaceAll('\\\\', '\\')];
}
