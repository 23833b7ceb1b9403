import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { CloudStorage } from '../../app/api';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { pageOf, useListState } from '../../components/list-state';
import { ListToolbar } from '../../components/list-toolbar';
import { Page } from '../../components/page';
import { PagedList } from '../../components/paged-list';
import { Person } from '../../components/person';
import { useMayCreateStorage } from '../../components/rights';
import { TimeAgo } from '../../components/time-ago';
import { StorageStatus } from './storage-status';
import { providerLabel, PROVIDERS } from './storage-values';

const PAGE_SIZE = 20;
const SORTS = [
  { value: '-id', label: 'Newest first' },
  { value: 'id', label: 'Oldest first' },
  { value: 'name', label: 'Name' },
];
const CHOICES = Object.entries(PROVIDERS).map(([value, { label }]) => ({ value, label }));

const COLUMNS: readonly Column<CloudStorage>[] = [
  {
    title: 'Name',
    isText: true,
    cell: ({ id, display_name: name, description }) => (
      <>
        <Anchor underline="hover" component={Link} to={`/cloudstorages/${id}`} fw={600} size="sm">
          {name}
        </Anchor>
        {description !== '' && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {description}
          </Text>
        )}
      </>
    ),
  },
  { title: 'Provider', cell: ({ provider_type: provider }) => <Text size="sm">{providerLabel(provider)}</Text> },
  { title: 'Bucket', isText: true, cell: ({ resource }) => <Text size="sm">{resource}</Text> },
  { title: 'Status', cell: ({ id }) => <StorageStatus id={id} /> },
  { title: 'Owner', isText: true, cell: ({ owner }) => <Person user={owner} /> },
  {
    title: 'Updated',
    cell: ({ updated_date: date }) => (
      <Text size="sm" c="dimmed">
        <TimeAgo date={date} />
      </Text>
    ),
  },
];

export function Component(): ReactNode {
  const list = useListState('-id');
  const query = useQuery(pageOf('/api/cloudstorages', list, { pageSize: PAGE_SIZE, filters: ['provider_type'] }));
  const mayCreate = useMayCreateStorage();
  const create = mayCreate && (
    <Button component={Link} to="/cloudstorages/new" leftSection={<Icon name="plus" size={16} />}>
      New cloud storage
    </Button>
  );
  return (
    <Page
      title="Cloud storages"
      subtitle="Buckets for the images of tasks, and for exports and backups."
      actions={create}
    >
      <ListToolbar
        list={list}
        what="cloud storages"
        placeholder="Name, bucket, owner, description …"
        sorts={SORTS}
        filters={[{ name: 'provider_type', label: 'Provider', options: CHOICES }]}
      />
      <PagedList
        query={query}
        list={list}
        pageSize={PAGE_SIZE}
        what="cloud storages"
        empty={
          <EmptyState
            icon="folder"
            title="No cloud storages yet"
            text={
              mayCreate
                ? 'Connect a bucket to create tasks from its images and to store exports and backups.'
                : 'A maintainer of the organization can connect buckets.'
            }
            action={create}
          />
        }
      >
        {(storages) => <DataTable rows={storages} columns={COLUMNS} keyOf={({ id }) => id} minWidth={760} />}
      </PagedList>
    </Page>
  );
}
