import { Injectable } from '@nestjs/common';
import { and, join, raw, sql, type Sql } from '../../engines/sql/sql.js';
import { type Actor, isAdmin } from '../../shared/policy/actor.js';
import { isMember } from '../../shared/policy/rules.js';
import { Db } from '../database/db.js';
import { Forbidden } from '../http/errors/errors.js';
import type { ApiVersion } from '../versioning/accept.js';
import { type Counted, ListCounts } from './list-counts.js';
import { listQuery } from './list-query.js';
import type { TermSearch } from './list-search.js';
import { keyOf, type ListSpec } from './list-spec.js';
import { type ListRequest, counting, pageOf, wanted, type Wanted } from './list-statement.js';
import { invalidPage, lastPage, offsetOf, type Page, pageLinks, pageRequest, type Query } from './page-request.js';

/** The organization context of a request: an organization, none, or unspecified (lists are not filtered). */
export type ListOrganization = { readonly id: number } | 'sandbox' | 'any';

export interface ListOptions {
  /** The select list, over the tables of the spec's `from`. Evaluated only for the rows of the page. */
  readonly select: Sql;
  /** The condition for rows that the actor may see. */
  readonly visible: Sql;
  readonly organization: ListOrganization;
  readonly query: Query;
  /** Absolute URL of the list without its query. */
  readonly url: string;
  /** An additional condition of the route. */
  readonly where?: Sql;
  /** The API version of the response, if the spec lists fewer rows for older ones. */
  readonly version?: ApiVersion;
}

/** A row of `pageOf`. */
interface Totalled {
  readonly list_total: Counted;
}

/** First pages of these sizes are requested so often that their statements stay prepared. */
const USUAL_SIZES = new Set([10, 20, 50, 100]);

/**
 * Up to this many rows, sorting is faster than finding them by chance among others, or among rows with and without a
 * value.
 */
const SORTED_AT_ONCE = 20_000;

/** From this many rows on, scanning for a page is worth trying before collecting all. */
const WORTH_WALKING = 2_000;

/** Runs every list that is read from the database. */
@Injectable()
export class ListService {
  private readonly counts = new ListCounts();

  constructor(private readonly db: Db) {}

  /**
   * One page of the rows that are visible, in the organization, and match the query. Takes one statement, preceded by
   * another one if the rows must be counted first (`page=last`, or the first request of an actor who sees only some
   * rows) and for a search across several tables. Errors: 400 for invalid filters, 404 for a page that does not exist.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what its select gives
  async page<Row, Dto>(spec: ListSpec, options: ListOptions, map: (row: Row) => Dto): Promise<Page<Dto>> {
    const asked = listQuery(spec, options.query);
    const { page: number, size } = pageRequest(options.query);
    const { few, conditions: searched } = await this.searched(asked.search);
    const found = wanted(spec, options.visible, conditions(spec, options, [...asked.conditions, ...searched]));
    const page = number === 'last' ? lastPage(await this.count(spec, found), size) : number;
    if (number !== 'last' && isScattered(found)) await this.countFirst(spec, found);
    const window = { offset: offsetOf(page, size), size };
    const dynamic = asked.dynamic || page !== 1 || !USUAL_SIZES.has(size);
    const rows = await this.rows<Row>(spec, options, { ...found, few, order: asked.order, window, dynamic });
    const count = rows[0]?.list_total.list_count ?? 0;
    if (rows.length === 0 && page > 1) throw invalidPage();
    return {
      count,
      ...pageLinks(options.url, options.query, { page, size, count }),
      results: rows.map((row) => map(row)),
    };
  }

  /**
   * All rows that the options select, newest first, in batches: for downloads. The key must be a number.
   * @throws Invalid and others as `page`, with the first batch
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what its select gives
  async *all<Row>(spec: ListSpec, options: Omit<ListOptions, 'url'>, size: number): AsyncGenerator<Row[]> {
    const asked = listQuery(spec, options.query);
    const { conditions: searched } = await this.searched(asked.search);
    const where = and([options.visible, ...conditions(spec, options, [...asked.conditions, ...searched])]);
    const key = keyOf(spec);
    for (let last: number | null = null; ;) {
      const before = last === null ? raw('true') : sql`${key} < ${last}`;
      const rows: (Row & { readonly list_key: number })[] = await this.db.query(
        sql`select ${options.select}, ${key} as list_key from ${spec.from} where ${where} and ${before}
          order by ${key} desc limit ${size}`,
        { dynamic: true },
      );
      if (rows.length > 0) yield rows;
      last = rows.at(-1)?.list_key ?? null;
      if (rows.length < size || last === null) return;
    }
  }

  /** The rows of the page, with what `ListCounts` knows about their number. */
  private async rows<Row>(
    spec: ListSpec,
    { select }: ListOptions,
    asked: Omit<ListRequest, 'walk'> & { dynamic: boolean },
  ): Promise<(Row & Totalled)[]> {
    const guess = this.counts.guess(counting(spec, asked));
    const isSparse = asked.order.hasGaps || isScattered(asked);
    const last = guess.last ?? Infinity;
    const isShort = isSparse && last <= SORTED_AT_ONCE;
    const walk = !asked.few && isScattered(asked) && last >= WORTH_WALKING;
    const statement = pageOf(spec, { select, total: guess.total, ...asked, few: asked.few || isShort, walk });
    const rows = await this.db.query<Row & Totalled>(statement, { dynamic: asked.dynamic });
    if (rows[0] !== undefined) this.counts.learn(guess, rows[0].list_total);
    return rows;
  }

  /** The best plan for the page depends on the count, so the first time it is taken in a separate statement. */
  private async countFirst(spec: ListSpec, found: Wanted): Promise<void> {
    if (this.counts.guess(counting(spec, found)).last === undefined) await this.count(spec, found);
  }

  private async count(spec: ListSpec, found: Wanted): Promise<number> {
    const guess = this.counts.guess(counting(spec, found));
    const [row] = await this.db.query<Counted>(guess.total, { dynamic: true });
    if (row !== undefined) this.counts.learn(guess, row);
    return row?.list_count ?? 0;
  }

  /** The search conditions, in the forms that suit the frequency of the terms. */
  private async searched(search: readonly TermSearch[]): Promise<{ few: boolean; conditions: Sql[] }> {
    const probes = search.flatMap((term) => term.probes);
    const [row] =
      probes.length === 0
        ? []
        : await this.db.query<{ answers: (number | null)[] }>(sql`select array[${join(probes, ', ')}] as answers`, {
            dynamic: true,
          });
    const answers = (row?.answers ?? []).map((answer) => answer ?? Infinity);
    const terms = search.map((term) => term.condition(answers.splice(0, term.probes.length)));
    return { few: terms.some(({ few }) => few), conditions: terms.map(({ condition }) => condition) };
  }
}

/** Whether the actor sees only some of the rows of a long list, possibly few. */
const isScattered = ({ ways }: Wanted): boolean => ways.length > 1;

/** All conditions except visibility. */
function conditions(
  spec: ListSpec,
  { organization, where, version }: Pick<ListOptions, 'organization' | 'where' | 'version'>,
  asked: readonly Sql[],
): Sql[] {
  const { organization: column } = spec;
  const listed = version === undefined ? undefined : spec.older?.[version];
  const parts = [where, listed].filter((part) => part !== undefined).concat(asked);
  if (column !== undefined && organization === 'sandbox') parts.push(sql`${column} is null`);
  if (column !== undefined && typeof organization === 'object') parts.push(sql`${column} = ${organization.id}`);
  return parts;
}

/**
 * How the organization that a request names restricts a list.
 * @throws Forbidden if the actor is not an active member of the organization
 */
export function listOrganization(actor: Actor): ListOrganization {
  const { context } = actor;
  if (context.kind !== 'organization') return context.kind;
  if (!isAdmin(actor) && !isMember(context)) throw new Forbidden();
  return { id: context.id };
}
