import { ActionIcon, Select, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { paginate, unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api, type Membership, type Organization } from '../../app/api';
import { useUser } from '../../app/session';
import { Confirm } from '../../components/confirm';
import { ErrorPanel } from '../../components/error-panel';
import { Icon } from '../../components/icons';
import { showProblem } from '../../components/notify';
import { PageLoader } from '../../components/page-loader';
import { displayName, Person } from '../../components/person';
import { TimeAgo } from '../../components/time-ago';

/** What the roles may, in a sentence each. */
export const ROLES: Readonly<Record<string, string>> = {
  worker: 'annotates what is assigned',
  supervisor: 'makes tasks and projects',
  maintainer: 'manages everything and everybody but the owner',
};
export const ROLE_CHOICES = Object.entries(ROLES).map(([value, what]) => ({ value, label: `${value}: ${what}` }));

export const membersKey = ({ id }: Organization): readonly unknown[] => ['members', id];

/** Members of an organization, also of one in which the app does not work at the moment. */
export function useMembers(organization: Organization): UseQueryResult<Membership[]> {
  return useQuery({
    queryKey: membersKey(organization),
    queryFn: async () => {
      const found: Membership[] = [];
      const query = { org: organization.slug, sort: 'id' };
      for await (const member of paginate(api, '/api/memberships', { query })) found.push(member);
      return found;
    },
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
  const [removed, setRemoved] = useState<Membership | null>(null);
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
  if (query.data === undefined)
    return query.error === null ? (
      <PageLoader />
    ) : (
      <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
    );
  const mayChange = ({ role, user }: Membership): boolean =>
    role !== 'owner' && user.id !== self.id && (isOwner || (isStaff && role !== 'maintainer'));
  return (
    <div className="panel table-scroll">
      <Table verticalSpacing="sm" miw={520}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Person</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th>
              <span className="visually-hidden">Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {query.data.map((member) => (
            <Table.Tr key={member.id}>
              <Table.Td>
                <Person user={member.user} />
              </Table.Td>
              <Table.Td>
                {mayChange(member) ? (
                  <Select
                    size="xs"
                    w={150}
                    aria-label={`Role of ${displayName(member.user)}`}
                    allowDeselect={false}
                    data={Object.keys(ROLES)}
                    value={member.role}
                    onChange={(role) => (role === null ? undefined : changeRole.mutate({ id: member.id, role }))}
                  />
                ) : (
                  <Text size="sm">{member.role}</Text>
                )}
              </Table.Td>
              <Table.Td>
                <Text size="sm" c="dimmed">
                  {member.is_active && member.joined_date !== null ? (
                    <TimeAgo date={member.joined_date} />
                  ) : member.is_active ? (
                    ''
                  ) : (
                    'invited'
                  )}
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                {mayChange(member) && (
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    aria-label={`Remove ${displayName(member.user)}`}
                    onClick={() => setRemoved(member)}
                  >
                    <Icon name="trash" size={16} />
                  </ActionIcon>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Confirm
        opened={removed !== null}
        onClose={() => setRemoved(null)}
        title={`Remove ${removed === null ? '' : displayName(removed.user)}?`}
        text="They no longer see the organization’s projects and tasks."
        action="Remove"
        onConfirm={() => (removed === null ? Promise.resolve() : remove(removed.id))}
      />
    </div>
  );
}
