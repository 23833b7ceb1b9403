import { Button, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type Membership, type Organization, readAll } from '../../app/api';
import { useUser } from '../../app/session';
import { ConfirmButton } from '../../components/confirm';
import { type Column, DataTable } from '../../components/data-table';
import { Loaded } from '../../components/loaded';
import { showProblem } from '../../components/notify';
import { displayName, Person } from '../../components/person';
import { TimeAgo } from '../../components/time-ago';
import { Icon } from '../../components/icons';
import { Link } from 'react-router';

/** Descriptions of the roles. */
export const ROLES: Readonly<Record<string, string>> = {
  worker: 'annotates assigned jobs',
  supervisor: 'creates tasks and projects',
  maintainer: 'manages everything except the owner',
};
export const ROLE_CHOICES = Object.entries(ROLES).map(([value, what]) => ({ value, label: `${value}: ${what}` }));

export const membersKey = ({ id }: Organization): readonly unknown[] => ['members', id];

/** Members of an organization, which need not be the selected one. */
export function useMembers(organization: Organization): UseQueryResult<Membership[]> {
  return useQuery({
    queryKey: membersKey(organization),
    queryFn: () => readAll('/api/memberships', { query: { org: organization.slug, sort: 'id' } }),
  });
}

interface MembersProps {
  readonly organization: Organization;
  readonly query: UseQueryResult<Membership[]>;
  readonly isOwner: boolean;
  readonly isStaff: boolean;
}

export function Members({ organization, query, isOwner, isStaff }: MembersProps): ReactNode {
  const self = useUser();
  const client = useQueryClient();
  const refresh = (): Promise<unknown> => client.invalidateQueries({ queryKey: membersKey(organization) });
  const changeRole = useMutation({
    mutationFn: async ({ id, role }: { readonly id: number; readonly role: string }) =>
      unwrap(
        await api.PATCH('/api/memberships/{id}', {
          params: { path: { id } },
          body: { role: role as Membership['role'] },
        }),
      ),
    onError: showProblem,
    onSettled: refresh,
  });
  const remove = async (id: number): Promise<void> => {
    unwrap(await api.DELETE('/api/memberships/{id}', { params: { path: { id } } }));
    await refresh();
  };
  const canChange = ({ role, user }: Membership): boolean =>
    role !== 'owner' && user.id !== self.id && (isOwner || (isStaff && role !== 'maintainer'));
  const actions: MemberActions = {
    canChange,
    onRole: (id, role) => changeRole.mutate({ id, role }),
    onRemove: remove,
  };
  return (
    <Stack>
      {isStaff && (
        <Button component={Link} to="?show=invitations" w="fit-content" leftSection={<Icon name="plus" size={16} />}>
          Invite people
        </Button>
      )}
      <Loaded query={query}>
        {(members) => <DataTable rows={members} columns={columnsOf(actions)} keyOf={({ id }) => id} minWidth={520} />}
      </Loaded>
    </Stack>
  );
}

interface MemberActions {
  readonly canChange: (member: Membership) => boolean;
  readonly onRole: (id: number, role: string) => void;
  readonly onRemove: (id: number) => Promise<void>;
}

const columnsOf = ({ canChange, onRole, onRemove }: MemberActions): readonly Column<Membership>[] => [
  { title: 'User', isText: true, cell: ({ user }) => <Person user={user} /> },
  {
    title: 'Role',
    cell: (member) =>
      canChange(member) ? <RoleSelect member={member} onChange={(role) => onRole(member.id, role)} /> : member.role,
  },
  {
    title: 'Joined',
    cell: (member) => (
      <Text size="sm" c="dimmed">
        <Since member={member} />
      </Text>
    ),
  },
  {
    title: 'Actions',
    isActions: true,
    cell: (member) =>
      canChange(member) && (
        <ConfirmButton
          label={`Remove ${displayName(member.user)}`}
          title={`Remove ${displayName(member.user)}?`}
          text="They will lose access to the projects and tasks of the organization."
          action="Remove"
          onConfirm={() => onRemove(member.id)}
        />
      ),
  },
];

interface RoleSelectProps {
  readonly member: Membership;
  readonly onChange: (role: string) => void;
}

const RoleSelect = ({ member, onChange }: RoleSelectProps): ReactNode => (
  <Select
    size="xs"
    w={150}
    aria-label={`Role of ${displayName(member.user)}`}
    allowDeselect={false}
    data={Object.keys(ROLES)}
    value={member.role}
    onChange={(role) => (role === null ? undefined : onChange(role))}
  />
);

function Since({ member: { is_active: isActive, joined_date: date } }: { readonly member: Membership }): ReactNode {
  if (!isActive) return 'invited';
  return date === null ? '' : <TimeAgo date={date} />;
}
