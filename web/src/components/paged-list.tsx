import { Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { EmptyState } from './empty-state';
import type { ListState, Rows } from './list-state';
import { Loaded } from './loaded';
import { PageNumbers } from './page-numbers';

interface PagedListProps<Row> {
  readonly query: UseQueryResult<Rows<Row>>;
  readonly list: ListState;
  readonly pageSize: number;
  /** What the list contains, in the plural. */
  readonly what: string;
  /** Shown if the list is empty without any filter. */
  readonly empty: ReactNode;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** One page of a list with its loading and error states, and pagination. */
export function PagedList<Row>({ query, list, pageSize, what, empty, children }: PagedListProps<Row>): ReactNode {
  const { data, isPlaceholderData } = query;
  const shown = isPlaceholderData ? undefined : data?.page;
  useEffect(() => {
    if (shown !== undefined && shown !== list.page) list.setPage(shown);
  }, [shown, list]);
  return (
    <Loaded query={query}>
      {({ count, results }) => {
        if (count === 0 && !list.isFiltered) return empty;
        if (count === 0)
          return <EmptyState icon="search" title={`No ${what} found`} text="Change the search or clear the filters." />;
        return (
          <>
            <div style={{ opacity: isPlaceholderData ? 0.6 : 1 }} aria-busy={isPlaceholderData}>
              {children(results)}
            </div>
            <Pages count={count} list={list} pageSize={pageSize} />
          </>
        );
      }}
    </Loaded>
  );
}

function Pages({
  count,
  list,
  pageSize,
}: Pick<PagedListProps<unknown>, 'list' | 'pageSize'> & { count: number }): ReactNode {
  const pages = Math.ceil(count / pageSize);
  const first = (list.page - 1) * pageSize + 1;
  const last = Math.min(count, list.page * pageSize);
  return (
    <Group justify="space-between" mt="lg">
      <Text size="sm" c="dimmed" aria-live="polite">
        {first.toLocaleString('en')}–{last.toLocaleString('en')} of {count.toLocaleString('en')}
      </Text>
      <PageNumbers
        label="Pages"
        pages={pages}
        page={list.page}
        onChange={(page) => {
          list.setPage(page);
          window.scrollTo(0, 0);
        }}
      />
    </Group>
  );
}
