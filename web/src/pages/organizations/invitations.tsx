import { Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { paginate, unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Invitation, type Organization } from '../../app/api';
import { ErrorPanel } from '../../components/error-panel';
import { showProblem, showSuccess } from '../../components/notify';
import { PageLoader } from '../../components/page-loader';
import { displayName } from '../../components/person';
import { TimeAgo } from '../../components/time-ago';
import { membersKey, ROLE_CHOICES } from './members';

interface InvitationsProps {
  readonly organization: Organization;
  readonly isOwner: boolean;
  readonly isStaff: boolean;
}

const keyOf = ({ id }: Organization): readonly unknown[] => ['invitations', id];

/** Who was asked to join and has not answered, and a form to ask others. */
export function Invitations({ organization, isOwner, isStaff }: InvitationsProps): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(organization),
    queryFn: async () => {
      const found: Invitation[] = [];
      const filter = JSON.stringify({ '==': [{ var: 'accepted' }, false] });
      for await (const invitation of paginate(api, '/api/invitations', { query: { org: organization.slug, filter } }))
        found.push(invitation);
      return found;
    },
  });
  return (
    <Stack>
      {isStaff && <InviteForm organization={organization} isOwner={isOwner} />}
      {data === undefined && error === null && <PageLoader />}
      {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No invitation waits for an answer.
        </Text>
      )}
      {data !== undefined && data.length > 0 && (
        <div className="panel table-scroll">
          <Table verticalSpacing="sm" miw={520}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Person</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>Invited</Table.Th>
                <Table.Th>
                  <span className="visually-hidden">Actions</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((invitation) => (
                <InvitationRow key={invitation.key} invitation={invitation} organization={organization} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Stack>
  );
}

function InviteForm({
  organization,
  isOwner,
}: {
  readonly organization: Organization;
  readonly isOwner: boolean;
}): ReactNode {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('worker');
  const client = useQueryClient();
  const invite = useMutation({
    mutationFn: async () => {
      const body = { email: email.trim(), role: role as Invitation['role'] };
      return unwrap(await api.POST('/api/invitations', { params: { query: { org: organization.slug } }, body }));
    },
    onSuccess: async () => {
      setEmail('');
      showSuccess('Invited.');
      await Promise.all(
        [keyOf(organization), membersKey(organization)].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate();
  };
  return (
    <form onSubmit={submit} className="panel panel--padded">
      <Group align="flex-end">
        <TextInput
          label="E-mail address"
          type="email"
          required
          flex={1}
          miw={220}
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Select
          label="Role"
          w={320}
          maw="100%"
          allowDeselect={false}
          data={ROLE_CHOICES.filter(({ value }) => isOwner || value !== 'maintainer')}
          value={role}
          onChange={(value) => setRole(value ?? 'worker')}
        />
        <Button type="submit" loading={invite.isPending}>
          Invite
        </Button>
      </Group>
      {invite.error !== null && (
        <div style={{ marginTop: 12 }}>
          <ErrorPanel error={invite.error} />
        </div>
      )}
    </form>
  );
}

function InvitationRow({
  invitation,
  organization,
}: {
  readonly invitation: Invitation;
  readonly organization: Organization;
}): ReactNode {
  const client = useQueryClient();
  const { key } = invitation;
  const person = displayName(invitation.user);
  const act = useMutation({
    mutationFn: async (what: 'resend' | 'revoke') => {
      const params = { path: { key }, query: { org: organization.slug } };
      if (what === 'revoke') {
        unwrap(await api.DELETE('/api/invitations/{key}', { params }));
        return;
      }
      unwrap(await api.POST('/api/invitations/{key}/resend', { params }));
      showSuccess(`Sent again to ${person}.`);
    },
    onError: showProblem,
    onSettled: () =>
      Promise.all(
        [keyOf(organization), membersKey(organization)].map((queryKey) => client.invalidateQueries({ queryKey })),
      ),
  });
  return (
    <Table.Tr>
      <Table.Td>{person}</Table.Td>
      <Table.Td>{invitation.role}</Table.Td>
      <Table.Td>
        <TimeAgo date={invitation.created_date} />
        {invitation.expired === true ? ', too long ago' : ''}
      </Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end">
          <Button size="xs" variant="default" loading={act.isPending} onClick={() => act.mutate('resend')}>
            Send again
          </Button>
          <Button size="xs" variant="subtle" color="red" disabled={act.isPending} onClick={() => act.mutate('revoke')}>
            Revoke
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
