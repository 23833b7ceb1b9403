import { Anchor, Button, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AuditRecord } from '../../app/api';
import { useOrganizationSlug } from '../../app/organization';
import { type Column, DataTable } from '../../components/data-table';
import { DayInputs } from '../../components/day-inputs';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { given, type ListState, pageOf, useListState } from '../../components/list-state';
import { ListToolbar } from '../../components/list-toolbar';
import { Page } from '../../components/page';
import { PagedList } from '../../components/paged-list';
import { formatDate } from '../../components/time-ago';
import { ACTIONS, CREDENTIALS, daysFilter, describeChange, objectPath } from './records';

const PAGE_SIZE = 50;
const SORTS = [
  { value: '-id', label: 'Newest first' },
  { value: 'id', label: 'Oldest first' },
];
const FILTERS = ['action', 'credential'];

/** Who changed what, log-ins, and rejected requests. */
export function Component(): ReactNode {
  const list = useListState('-id');
  const slug = useOrganizationSlug();
  const filter = daysFilter(list.filter('from'), list.filter('to'));
  const query = useQuery(
    pageOf('/api/events/audit', list, {
      pageSize: PAGE_SIZE,
      filters: FILTERS,
      within: { filter },
      isAnywhere: slug === '',
    }),
  );
  return (
    <Page
      title="Audit log"
      subtitle={
        slug === ''
          ? 'Who changed what, log-ins, and rejected requests. Owners of organizations see those of their organizations.'
          : 'Who changed what in this organization, and rejected requests.'
      }
      actions={
        <Button
          component="a"
          href={csvPath(list, filter, slug)}
          download
          variant="default"
          leftSection={<Icon name="download" size={16} />}
        >
          Download CSV
        </Button>
      }
    >
      <ListToolbar
        list={list}
        what="records"
        placeholder="User, action, object, value, address, token"
        sorts={SORTS}
        filters={[{ name: 'credential', label: 'Credential', options: CREDENTIALS }]}
      >
        <Select
          label="Action"
          size="sm"
          w={190}
          placeholder="Any"
          clearable
          searchable
          data={ACTIONS}
          value={list.filter('action') || null}
          onChange={(value) => list.set({ action: value ?? '' })}
        />
        <DayInputs from={list.filter('from')} to={list.filter('to')} onChange={list.set} />
      </ListToolbar>
      <PagedList
        query={query}
        list={list}
        pageSize={PAGE_SIZE}
        what="records"
        empty={<EmptyState icon="search" title="No records yet" text="Changes appear here a few seconds later." />}
      >
        {(records) => <DataTable rows={records} columns={COLUMNS} keyOf={({ id }) => id} minWidth={860} />}
      </PagedList>
    </Page>
  );
}

/** The file has the records that match the filters and the search. */
function csvPath(list: ListState, filter: string | undefined, slug: string): string {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, list.filter(name)]));
  const query = given({ ...filters, search: list.search, filter, org: slug });
  return `/api/events/audit/csv?${new URLSearchParams(query).toString()}`;
}

const COLUMNS: readonly Column<AuditRecord>[] = [
  {
    title: 'Time',
    cell: ({ timestamp }) => (
      <Text size="sm" textWrap="nowrap">
        <time dateTime={timestamp}>{formatDate(timestamp)}</time>
      </Text>
    ),
  },
  {
    title: 'User',
    cell: ({ user }) => (
      <Text size="sm" c={user === null ? 'dimmed' : ''} title={user?.email ?? ''}>
        {user?.username ?? 'nobody'}
      </Text>
    ),
  },
  { title: 'Action', cell: ({ action }) => <code>{action}</code> },
  {
    title: 'Object',
    isText: true,
    cell: (record) => {
      const path = objectPath(record);
      const name = record.object_name ?? (record.object_id === null ? '' : `#${record.object_id}`);
      return path === undefined ? (
        name
      ) : (
        <Anchor underline="hover" size="sm" component={Link} to={path}>
          {name || path.slice(1).replace('s/', ' ')}
        </Anchor>
      );
    },
  },
  { title: 'Details', isText: true, cell: describeChange },
  {
    title: 'Address',
    cell: ({ address, credential, token_name: token }) => (
      <>
        <Text size="sm">{address ?? '–'}</Text>
        {credential !== null && (
          <Text size="xs" c="dimmed">
            {token === null ? credential : `${credential}: ${token}`}
          </Text>
        )}
      </>
    ),
  },
];
