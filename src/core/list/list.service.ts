import { Inject, Injectable } from '@nestjs/common';
import { and, raw, sql, type Sql } from '../../engines/sql/sql.js';
import { Db } from '../database/db.js';
import { listQuery, type ListQuery } from './list-query.js';
import { keyOf, type ListSpec } from './list-spec.js';
import type { Page } from './page.dto.js';
import { invalidPage, lastPage, offsetOf, pageLinks, pageRequest, type Query } from './page-request.js';

/** The organization context of a request: one, none, or not said (then it does not narrow lists). */
export type ListOrganization = { readonly id: number } | 'sandbox' | 'any';

export interface ListOptions {
  /** As after SELECT, over the tables of the spec's `from`. Evaluated for the rows of the page only. */
  readonly select: Sql;
  /** What the actor may see. */
  readonly visible: Sql;
  readonly organization: ListOrganization;
  readonly query: Query;
  /** Absolute address of the list without its query. */
  readonly url: string;
  /** A further condition of the route. */
  readonly where?: Sql;
}

interface Counted {
  readonly list_count: number;
}

/** A window of rows. */
interface Window {
  readonly offset: number;
  readonly size: number;
}

/** Runs every list that comes from the database. */
@Injectable()
export class ListService {
  constructor(@Inject(Db) private readonly db: Db) {}

  /**
   * One page of the rows that are visible, in the organization and asked for. One statement, except for `page=last`,
   * which has to count first. Errors: 400 for wrong filters, 404 for a page that is not there.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what its select gives
  async page<Row, Dto>(spec: ListSpec, options: ListOptions, map: (row: Row) => Dto): Promise<Page<Dto>> {
    const asked = listQuery(spec, options.query);
    const { page: wanted, size } = pageRequest(options.query);
    const where = conditions(spec, options, asked);
    const page = wanted === 'last' ? lastPage(await this.count(spec, where), size) : wanted;
    const window = { offset: offsetOf(page, size), size };
    const rows = await this.db.query<Row & Counted>(statement(spec, options.select, where, asked.order, window), {
      dynamic: asked.dynamic || page !== 1 || 'page_size' in options.query,
    });
    const count = rows[0]?.list_count ?? 0;
    if (rows.length === 0 && page > 1) throw invalidPage();
    return {
      count,
      ...pageLinks(options.url, options.query, { page, size, count }),
      results: rows.map((row) => map(row)),
    };
  }

  private async count(spec: ListSpec, where: Sql): Promise<number> {
    const rows = await this.db.query<Counted>(counting(spec, where), { dynamic: true });
    return rows[0]?.list_count ?? 0;
  }
}

function conditions(spec: ListSpec, options: ListOptions, asked: ListQuery): Sql {
  const { organization: column } = spec;
  const { organization, visible, where } = options;
  const parts = [visible, ...(where === undefined ? [] : [where]), ...asked.conditions];
  if (column !== undefined && organization === 'sandbox') parts.push(sql`${column} is null`);
  if (column !== undefined && typeof organization === 'object') parts.push(sql`${column} = ${organization.id}`);
  return and(parts);
}

/** Selects no column of the joined tables, so joins that no condition needs are left out by the planner. */
const counting = (spec: ListSpec, where: Sql): Sql =>
  sql`select count(*) as list_count from ${spec.from} where ${where}`;

/**
 * The keys of the page are found first, so a costly select list is evaluated neither for the rows before the page nor
 * for sorting. Limits are text, not parameters: a plan for any limit would be one for a tenth of the table.
 */
function statement(spec: ListSpec, select: Sql, where: Sql, order: Sql, { offset, size }: Window): Sql {
  const key = keyOf(spec);
  const limit = Number.isFinite(size)
    ? sql` order by ${order} limit ${raw(String(size))} offset ${raw(String(offset))}`
    : raw('');
  const keys = sql`select ${key} as list_key from ${spec.from} where ${where}${limit}`;
  return sql`select ${select}, (${counting(spec, where)}) as list_count from ${spec.from} join (${keys}) list_page on list_page.list_key = ${key} order by ${order}`;
}
