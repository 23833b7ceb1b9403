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
const INVITED = 'Invited. The link is sent by e-mail, if the server sends any; you can also copy it.';

const keyOf = ({ id }: Organization): readonly unknown[] => ['invitations', id];
const UNANSWERED = JSON.stringify({ '==': [{ var: 'accepted' }, false] });

/** Who was asked to join and has not answered, and a form to ask others. */
export function Invitations({ organization, isOwner, isStaff }: InvitationsProps): ReactNode {
  const query = useQuery({
    queryKey: keyOf(organization),
    queryFn: () => readAll('/api/invitations', { query: { org: organization.slug, filter: UNANSWERED } }),
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
            empty="No invitation waits for an answer."
          />
        )}
      </Loaded>
    </Stack>
  );
}

const columnsOf = (organization: Organization): readonly Column<Invitation>[] => [
  { title: 'Person', isText: true, cell: ({ user }) => displayName(user) },
  { title: 'Role', cell: ({ role }) => role },
  {
    title: 'Invited',
    cell: ({ created_date: date, expired }) => (
      <>
        <TimeAgo date={date} />
        {expired === true ? ', too long ago' : ''}
      </>
    ),
  },
  {
    title: 'Actions',
    isActions: true,
    cell: (invitation) => <InvitationDeeds invitation={invitation} organization={organization} />,
  },
];

/** Reads anew what changes with an invitation. */
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
      const hasAccount = user?.username !== email.trim().slice(0, 150); // others have their address for a name
      showSuccess(hasAccount ? `${displayName(user)} is a member now.` : INVITED);
      await refresh();
    },
  });
  return (
    <form onSubmit={submitting(invite)} className="panel panel--padded">
      <Group align="flex-end">
        <TextInput
          label="E-mail address"
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

function InvitationDeeds({
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
      showSuccess(`Invited again: ${person}. Without e-mail, give them the link.`);
    },
    onError: showProblem,
    onSettled: refresh,
  });
  return (
    <Group gap="xs" justify="flex-end">
      <CopyLink invitation={invitation} />
      <Button size="xs" variant="default" loading={act.isPending} onClick={() => act.mutate('resend')}>
        Send again
      </Button>
      <Button size="xs" variant="subtle" color="red" disabled={act.isPending} onClick={() => act.mutate('revoke')}>
        Revoke
      </Button>
    </Group>
  );
}

/** The link that the letter has, for servers that send none. */
function CopyLink({ invitation: { key, user } }: { readonly invitation: Invitation }): ReactNode {
  const email = (user?.username ?? '').includes('@') ? { email: user?.username ?? '' } : {};
  const query = new URLSearchParams({ ...email, key });
  const link = `${window.location.origin}/auth/register/invitation?${query.toString()}`;
  return (
    <CopyButton value={link}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy}>
          {copied ? 'Copied' : 'Copy the link'}
        </Button>
      )}
    </CopyButton>
  );
}
