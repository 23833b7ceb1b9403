import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { NotFound } from '../http/errors/errors.js';

/** One page of a list on the wire. */
export interface Page<Dto> {
  /** Number of rows of the whole list. */
  readonly count: number;
  /** Absolute URL of the next page. */
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: Dto[];
}

const made = new Map<Type<unknown>, Type<Page<unknown>>>();

/**
 * The documented class of a page of `item`: `TaskDto` gives `PaginatedTaskList`. The same item always gives the same
 * class.
 */
export function pageDto<Dto>(item: Type<Dto>): Type<Page<Dto>> {
  const known = made.get(item) ?? makePageDto(item);
  made.set(item, known);
  return known as Type<Page<Dto>>;
}

function makePageDto<Dto>(item: Type<Dto>): Type<Page<Dto>> {
  class PageDto implements Page<Dto> {
    @ApiProperty({ type: 'integer', example: 123 })
    readonly count!: number;

    @ApiProperty({ type: String, format: 'uri', nullable: true, description: 'URL of the next page' })
    readonly next!: string | null;

    @ApiProperty({ type: String, format: 'uri', nullable: true, description: 'URL of the previous page' })
    readonly previous!: string | null;

    @ApiProperty({ type: item, isArray: true })
    readonly results!: Dto[];
  }
  Object.defineProperty(PageDto, 'name', { value: `Paginated${item.name.replace(/Dto$/, '')}List` });
  return PageDto;
}

/** A query string as parsed by the HTTP layer: texts, or lists of texts for repeated parameters. */
export type Query = Readonly<Record<string, unknown>>;

const DEFAULT_SIZE = 10;

/** The requested part of a list. `last` can only be resolved when the number of rows is known. */
export interface PageRequest {
  readonly page: number | 'last';
  /** Infinity for all rows. */
  readonly size: number;
}

/** The text of a parameter; the last one if it is repeated. */
export function parameter(query: Query, name: string): string {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last : '';
}

/** Reads `page` and `page_size`. An invalid size means 10; an invalid page is a 404. */
export function pageRequest(query: Query): PageRequest {
  return { page: pageNumber(parameter(query, 'page')), size: pageSize(parameter(query, 'page_size')) };
}

function pageSize(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  const size = integerOf(text);
  if (size === undefined || size <= 0) return DEFAULT_SIZE;
  return Number.isSafeInteger(size) ? size : Number.POSITIVE_INFINITY;
}

function pageNumber(text: string): number | 'last' {
  if (text === 'last') return text;
  const page = text === '' ? 1 : integerOf(text);
  if (page === undefined || page < 1) throw invalidPage();
  return page;
}

const integerOf = (text: string): number | undefined => (/^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : undefined);

export const invalidPage = (): NotFound => new NotFound('Invalid page.');

/** Number of pages of a list; an empty list has one. */
export const lastPage = (count: number, size: number): number => Math.max(1, Math.ceil(count / size));

/** Number of rows to skip before a page. Throws a 404 for a page that no list can have. */
export function offsetOf(page: number, size: number): number {
  const offset = page === 1 ? 0 : (page - 1) * size;
  if (!Number.isSafeInteger(offset)) throw invalidPage();
  return offset;
}

/** Links to the next and previous page. The parameters of the request are repeated, sorted by name. */
export function pageLinks(
  url: string,
  query: Query,
  { page, size, count }: { readonly page: number; readonly size: number; readonly count: number },
): { next: string | null; previous: string | null } {
  return {
    next: page < lastPage(count, size) ? pageUrl(url, query, page + 1) : null,
    previous: page > 1 ? pageUrl(url, query, page - 1) : null,
  };
}

/** The URL of the first page has no `page`. */
function pageUrl(url: string, query: Query, page: number): string {
  const pairs: string[] = [];
  const names = page === 1 ? Object.keys(query) : [...new Set([...Object.keys(query), 'page'])];
  for (const name of names.toSorted()) {
    if (name !== 'page') pairs.push(...texts(query[name]).map((text) => `${encode(name)}=${encode(text)}`));
    else if (page !== 1) pairs.push(`page=${page}`);
  }
  return pairs.length === 0 ? url : `${url}?${pairs.join('&')}`;
}

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((text): text is string => typeof text === 'string');

/** Form encoding: letters, digits and `_.-~` are unchanged; a space becomes a plus. */
const encode = (text: string): string => (/^[\w.~-]*$/.test(text) ? text : encodeAll(text));

const encodeAll = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
