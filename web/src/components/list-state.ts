import { useSearchParams } from 'react-router';

/** What a list shows, kept in the address, so that it can be shared, reloaded and gone back to. */
export interface ListState {
  readonly page: number;
  readonly search: string;
  readonly sort: string;
  /** Value of a filter; empty when it is not set. */
  filter(name: string): string;
  readonly isFiltered: boolean;
  setPage(page: number): void;
  /** Changes search, sort or filters; the list begins anew. An empty text takes one away. */
  set(values: Readonly<Record<string, string>>): void;
  clear(): void;
}

/** @param defaultSort name of a field, with `-` before it for descending */
export function useListState(defaultSort: string): ListState {
  const [params, setParams] = useSearchParams();
  const change = (values: Readonly<Record<string, string>>): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
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
    isFiltered: [...params.keys()].some((name) => name !== 'page' && name !== 'sort'),
    setPage: (next) => change({ page: next === 1 ? '' : String(next) }),
    set: (values) => change({ ...values, page: '' }),
    clear: () => setParams({}, { replace: true }),
  };
}

/** Leaves out what is empty, so that it does not become a condition. */
export function given<Value extends object>(values: Value): { [Name in keyof Value]?: NonNullable<Value[Name]> } {
  const kept = Object.entries(values).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return Object.fromEntries(kept) as { [Name in keyof Value]?: NonNullable<Value[Name]> };
}
