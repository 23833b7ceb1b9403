import { Badge, Button, Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { User } from '../../app/api';
import { useOrganizations } from '../../app/organization-menu';
import { isAdministrator, useUser } from '../../app/session';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { lazyDialog } from '../../components/lazy-dialog';
import { pageOf, useListState } from '../../components/list-state';
import { ListToolbar } from '../../components/list-toolbar';
import { Page } from '../../components/page';
import { PagedList } from '../../components/paged-list';
import { displayName } from '../../components/person';
import { TimeAgo } from '../../components/time-ago';
import { roleLabel, roleOf, ROLES } from './account';
import { UserActions } from './user-actions';

const NewUserDialog = lazyDialog(async () => (await import('./user-dialogs')).NewUserDialog);

const PAGE_SIZE = 50;
const SORTS = [
  { value: '-id', label: 'Newest first' },
  { value: 'id', label: 'Oldest first' },
  { value: 'username', label: 'Username' },
  { value: 'email', label: 'Email' },
  { value: '-last_login', label: 'Last login' },
];
const FILTERS = [
  { name: 'role', label: 'Role', options: ROLES.map(({ value, label }) => ({ value, label })) },
  {
    name: 'is_active',
    label: 'Status',
    options: [
      { value: 'true', label: 'Active' },
      { value: 'false', label: 'Disabled' },
    ],
  },
];

/** The accounts of the server, for administrators. */
export function Component(): ReactNode {
  const self = useUser();
  if (isAdministrator(self)) return <Users self={self} />;
  return (
    <Page title="Users">
      <EmptyState
        icon="user"
        title="Only for administrators"
        text="Administrators manage the accounts of this server."
      />
    </Page>
  );
}

function Users({ self }: { readonly self: User }): ReactNode {
  const list = useListState('-id');
  const filters = [...FILTERS.map(({ name }) => name), 'org'];
  const query = useQuery(pageOf('/api/users', list, { pageSize: PAGE_SIZE, filters, isAnywhere: true }));
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Users"
      subtitle="The accounts of this server."
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
          New user
        </Button>
      }
    >
      <ListToolbar list={list} what="users" placeholder="Username, name, email …" sorts={SORTS} filters={FILTERS}>
        <OrganizationFilter value={list.filter('org')} onChange={(org) => list.set({ org })} />
      </ListToolbar>
      <PagedList
        query={query}
        list={list}
        pageSize={PAGE_SIZE}
        what="users"
        empty={<EmptyState icon="user" title="No users yet" text="Create an account for each user." />}
      >
        {(users) => <DataTable rows={users} columns={columnsFor(self)} keyOf={({ id }) => id} minWidth={760} />}
      </PagedList>
      <NewUserDialog opened={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

interface OrganizationFilterProps {
  readonly value: string;
  readonly onChange: (slug: string) => void;
}

function OrganizationFilter({ value, onChange }: OrganizationFilterProps): ReactNode {
  const { data: organizations = [] } = useOrganizations();
  return (
    <Select
      label="Organization"
      size="sm"
      w={180}
      placeholder="Any"
      clearable
      searchable
      data={organizations.map(({ slug, name }) => ({ value: slug, label: name || slug }))}
      value={value || null}
      onChange={(slug) => onChange(slug ?? '')}
    />
  );
}

const columnsFor = (self: User): readonly Column<User>[] => [
  {
    title: 'User',
    isText: true,
    cell: (user) => (
      <>
        <Group gap={6}>
          <Text size="sm" fw={600}>
            {user.username}
          </Text>
          {user.is_active === false && <Badge color="gray">Disabled</Badge>}
          {user.id === self.id && <Badge variant="light">You</Badge>}
        </Group>
        <Text size="xs" c="dimmed">
          {[displayName(user) === user.username ? '' : displayName(user), user.email ?? ''].filter(Boolean).join(' · ')}
        </Text>
      </>
    ),
  },
  { title: 'Role', cell: (user) => <Text size="sm">{roleLabel(roleOf(user))}</Text> },
  {
    title: 'Last login',
    cell: ({ last_login: date }) => (
      <Text size="sm" c="dimmed">
        {date == null ? 'never' : <TimeAgo date={date} />}
      </Text>
    ),
  },
  {
    title: 'Joined',
    cell: ({ date_joined: date }) => (
      <Text size="sm" c="dimmed">
        {date !== undefined && <TimeAgo date={date} />}
      </Text>
    ),
  },
  { title: 'Actions', isActions: true, cell: (user) => <UserActions user={user} isSelf={user.id === self.id} /> },
];
