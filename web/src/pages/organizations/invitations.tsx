import { Button, CopyButton, Group, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type Invitation, type Organization, readAll } from '../../app/api';
import { useDraft } from '../../app/drafts';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorPanel } from '../../components/error-panel';
import { Loaded } from '../../components/loaded';
import { showProblem, showSuccess } from '../../components/notify';
import { displayName } from '../../components/person';
import { submitting } from '../../components/submitting';
import { TimeAgo } from '../../components/time-ago';
import { membersKey, ROLE_CHOICES } from './members';
import { tooLong } from '../../components/too-long';

interface InvitationsProps {
  readonly organization: Organization;
  readonly isOwner: boolean;
  readonly isStaff: boolean;
}

const NOBODY = { email: '', role: 'worker' };
const INVITED = 'Invitation created. The server sends the link if email is configured. You can also copy it.';

const keyOf = ({ id }: Organization): readonly unknown[] => ['invitations', id];
const PENDING = JSON.stringify({ '==': [{ var: 'accepted' }, false] });

/** Pending invitations, and a form for new ones. */
export function Invitations({ organization, isOwner, isStaff }: InvitationsProps): ReactNode {
  const query = useQuery({
    queryKey: keyOf(organization),
    queryFn: () => readAll('/api/invitations', { query: { org: organization.slug, filter: PENDING } }),
  });
  return (
    <Stack>
      {isStaff && <InviteForm organization={organization} isOwner={isOwner} />}
      <Loaded query={query}>
        {(invitations) => (
          <DataTable
            rows={invitations}
            columns={columnsOf(organization)}
            keyOf={({ key }) => key}
            minWidth={640}
            empty="No pending invitations."
          />
        )}
      </Loaded>
    </Stack>
  );
}

const columnsOf = (organization: Organization): readonly Column<Invitation>[] => [
  { title: 'User', isText: true, cell: ({ user }) => displayName(user) },
  { title: 'Role', cell: ({ role }) => role },
  {
    title: 'Invited',
    cell: ({ created_date: date, expired }) => (
      <>
        <TimeAgo date={date} />
        {expired === true ? ' (expired)' : ''}
      </>
    ),
  },
  {
    title: 'Actions',
    isActions: true,
    cell: (invitation) => <InvitationActions invitation={invitation} organization={organization} />,
  },
];

/** @returns a function that reloads invitations and members */
function useRefresh(organization: Organization): () => Promise<unknown> {
  const client = useQueryClient();
  const keys = [keyOf(organization), membersKey(organization)];
  return () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

function InviteForm({
  organization,
  isOwner,
}: {
  readonly organization: Organization;
  readonly isOwner: boolean;
}): ReactNode {
  const [{ email, role }, setInvitation] = useDraft(`invitation to ${organization.id}`, NOBODY);
  const refresh = useRefresh(organization);
  const invite = useMutation({
    mutationFn: async () => {
      const body = { email: email.trim(), role: role as Invitation['role'] };
      return unwrap(await api.POST('/api/invitations', { params: { query: { org: organization.slug } }, body }));
    },
    onSuccess: async ({ user }) => {
      setInvitation(NOBODY);
      const hasAccount = user?.username !== email.trim().slice(0, 150); // an account created by an invitation has its email address as username
      showSuccess(hasAccount ? `${displayName(user)} is now a member.` : INVITED);
      await refresh();
    },
  });
  return (
    <form onSubmit={submitting(invite)} className="panel panel--padded">
      <Group align="flex-end">
        <TextInput
          label="Email"
          type="email"
          required
          flex={1}
          miw={220}
          value={email}
          error={tooLong(email, 254)}
          onChange={(event) => setInvitation({ email: event.currentTarget.value, role })}
        />
        <Select
          label="Role"
          w={320}
          maw="100%"
          allowDeselect={false}
          data={ROLE_CHOICES.filter(({ value }) => isOwner || value !== 'maintainer')}
          value={role}
          onChange={(value) => setInvitation({ email, role: value ?? NOBODY.role })}
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

function InvitationActions({
  invitation,
  organization,
}: {
  readonly invitation: Invitation;
  readonly organization: Organization;
}): ReactNode {
  const refresh = useRefresh(organization);
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
      showSuccess(`Invitation sent again to ${person}. If email is not configured, send them the link.`);
    },
    onError: showProblem,
    onSettled: refresh,
  });
  return (
    <Group gap="xs" justify="flex-end">
      <CopyLink invitation={invitation} />
      <Button size="xs" variant="default" loading={act.isPending} onClick={() => act.mutate('resend')}>
        Resend
      </Button>
      <Button size="xs" variant="subtle" color="red" disabled={act.isPending} onClick={() => act.mutate('revoke')}>
        Revoke
      </Button>
    </Group>
  );
}

/** Copies the link of the invitation, for servers that send no email. */
function CopyLink({ invitation: { key, user } }: { readonly invitation: Invitation }): ReactNode {
  const email = (user?.username ?? '').includes('@') ? { email: user?.username ?? '' } : {};
  const query = new URLSearchParams({ ...email, key });
  const link = `${window.location.origin}/auth/register/invitation?${query.toString()}`;
  return (
    <CopyButton value={link}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy}>
          {copied ? 'Copied' : 'Copy link'}
        </Button>
      )}
    </CopyButton>
  );
}
