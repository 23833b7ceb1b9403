import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { CairnError, type ItemOf, type ListPath, unwrap } from 'cairn-client';
import { useSearchParams } from 'react-router';
import { ANYWHERE, api } from '../app/api';

/** Page, search, sort order and filters of a list. They are in the URL, so that it can be shared, reloaded and navigated. */
export interface ListState {
  readonly page: number;
  readonly search: string;
  readonly sort: string;
  /** Value of a filter; empty when it is not set. */
  filter(name: string): string;
  readonly isFiltered: boolean;
  setPage(page: number): void;
  /** Changes search, sort or filters and returns to the first page. An empty value removes one. */
  set(values: Readonly<Record<string, string>>): void;
  clear(): void;
}

/** The query parameter of the open tab, on pages whose list is in a tab. */
export const TAB = 'show';
const NO_FILTERS: ReadonlySet<string> = new Set(['page', 'sort', TAB]);

/** @param defaultSort name of a field, with `-` before it for descending */
export function useListState(defaultSort: string): ListState {
  const [params, setParams] = useSearchParams();
  const change = (values: Readonly<Record<string, string>>): void =>
    setParams(
      () => {
        // The parameters of the last rendering may lack what was changed a moment ago.
        const next = new URLSearchParams(window.location.search);
        for (const [name, value] of Object.entries(values)) {
          if (value === '' || (name === 'sort' && value === defaultSort)) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  const page = Number(params.get('page') ?? '1');
  return {
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    search: params.get('search') ?? '',
    sort: params.get('sort') ?? defaultSort,
    filter: (name) => params.get(name) ?? '',
    isFiltered: [...params.keys()].some((name) => !NO_FILTERS.has(name)),
    setPage: (next) => change({ page: next === 1 ? '' : String(next) }),
    set: (values) => change({ ...values, page: '' }),
    clear: () =>
      setParams((before) => new URLSearchParams([...before].filter(([name]) => name === TAB)), { replace: true }),
  };
}

/** Leaves out empty values, so that they do not become filters. */
export function given<Value extends object>(values: Value): { [Name in keyof Value]?: NonNullable<Value[Name]> } {
  const kept = Object.entries(values).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return Object.fromEntries(kept) as { [Name in keyof Value]?: NonNullable<Value[Name]> };
}

interface PageOptions {
  readonly pageSize: number;
  /** Names of the filters that the list has. */
  readonly filters: readonly string[];
  /** Fixed filters of the list. */
  readonly within?: Readonly<Record<string, number | string | undefined>>;
  /** Includes all organizations and the personal space, instead of the selected one. */
  readonly isAnywhere?: boolean;
}

/** A page of a list of the API. */
export interface Rows<Row> {
  readonly count: number;
  readonly results: readonly Row[];
  /** Number of the page, if it is not the requested one. */
  readonly page?: number;
}

/** Reads a page of a list, or its last page if the list has fewer: rows may have been deleted since the URL was created. */
export async function readPage<Row>(
  page: number,
  pageSize: number,
  read: (page: number) => Promise<Rows<Row>>,
): Promise<Rows<Row>> {
  try {
    return await read(page);
  } catch (error) {
    if (page === 1 || !(error instanceof CairnError) || error.status !== 404) throw error;
    const first = await read(1);
    const last = Math.max(1, Math.ceil(first.count / pageSize));
    return { ...(last === 1 ? first : await read(last)), page: last };
  }
}

/** Query options for the current page of a list. The previous page stays visible while the next one loads. */
export function pageOf<Path extends ListPath>(path: Path, list: ListState, options: PageOptions) {
  const { pageSize, filters, within, isAnywhere = false } = options;
  const selected = Object.fromEntries(filters.map((name) => [name, list.filter(name)]));
  const page = { page: list.page, page_size: String(pageSize), sort: list.sort };
  const query = { ...page, ...given({ search: list.search, ...within, ...selected }) };
  return queryOptions({
    queryKey: [path.slice('/api/'.length), query],
    queryFn: ({ signal }) =>
      readPage(list.page, pageSize, async (number) => {
        const params = { query: { ...query, page: number } as never };
        const request = { params, ...(isAnywhere ? { headers: ANYWHERE } : {}), signal };
        const response = await api.GET(path as '/api/tasks', request);
        return unwrap(response) as unknown as Rows<ItemOf<Path>>;
      }),
    placeholderData: keepPreviousData,
  });
}
