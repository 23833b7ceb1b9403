import { Anchor, Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { ANYWHERE, api, type Invitation, type Organization } from '../../app/api';
import { useOrganizationSlug } from '../../app/organization';
import { ORGANIZATIONS, useOrganizations, useSwitchOrganization } from '../../app/organization-menu';
import { useUser } from '../../app/session';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { Loaded } from '../../components/loaded';
import { showProblem } from '../../components/notify';
import { Page } from '../../components/page';
import { displayName } from '../../components/person';
import { useMayCreateOrganization } from '../../components/rights';

export function Component(): ReactNode {
  const query = useOrganizations();
  const mayCreate = useMayCreateOrganization();
  const create = mayCreate && (
    <Button component={Link} to="/organizations/new" leftSection={<Icon name="plus" size={16} />}>
      New organization
    </Button>
  );
  return (
    <Page title="Organizations" subtitle="Groups of people who share projects and tasks." actions={create}>
      <Received />
      <Loaded query={query}>
        {(organizations) =>
          organizations.length === 0 ? (
            <EmptyState
              icon="organization"
              title="No organizations yet"
              text={`${mayCreate ? 'Create an organization and invite others, or ask' : 'Ask'} someone to invite you. Until then, you work in your personal space.`}
              action={create}
            />
          ) : (
            <DataTable rows={organizations} columns={COLUMNS} keyOf={({ id }) => id} minWidth={480} />
          )
        }
      </Loaded>
    </Page>
  );
}

const COLUMNS: readonly Column<Organization>[] = [
  {
    title: 'Name',
    isText: true,
    cell: ({ id, name, slug, description }) => (
      <>
        <Anchor underline="hover" component={Link} to={`/organizations/${id}`} fw={600} size="sm">
          {name || slug}
        </Anchor>
        {description !== '' && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {description}
          </Text>
        )}
      </>
    ),
  },
  { title: 'Short name', cell: ({ slug }) => slug },
  { title: 'Owner', cell: ({ owner }) => (owner === null ? 'Nobody' : displayName(owner)) },
  { title: 'Actions', isActions: true, cell: (organization) => <SwitchButton organization={organization} /> },
];

function SwitchButton({ organization: { slug, name } }: { readonly organization: Organization }): ReactNode {
  const present = useOrganizationSlug();
  const switchTo = useSwitchOrganization();
  if (slug === present) {
    return (
      <Badge className="status" variant="light" color="teal" tt="none">
        Current
      </Badge>
    );
  }
  return (
    <Button size="xs" variant="default" aria-label={`Switch to ${name || slug}`} onClick={() => switchTo(slug)}>
      Switch
    </Button>
  );
}

const RECEIVED = ['invitations', 'received'] as const;

/** Pending invitations to the user. While the email address is not verified, one is shown only after opening its link. */
function Received(): ReactNode {
  const user = useUser();
  const [location] = useSearchParams();
  const opened = location.get('invitation');
  const { data: organizations = [] } = useOrganizations();
  const { data: received = [] } = useQuery({
    queryKey: [...RECEIVED, opened],
    queryFn: async () => {
      const query = {
        page_size: '100',
        filter: JSON.stringify({
          and: [{ '==': [{ var: 'user_id' }, user.id] }, { '==': [{ var: 'accepted' }, false] }],
        }),
      };
      const { results } = unwrap(await api.GET('/api/invitations', { params: { query }, headers: ANYWHERE }));
      if (opened === null || results.some(({ key }) => key === opened)) return results;
      const path = { key: opened };
      const { data: found } = await api.GET('/api/invitations/{key}', { params: { path }, headers: ANYWHERE });
      return found?.user.id === user.id ? [...results, found] : results;
    },
  });
  const data = received.filter(({ organization }) => !organizations.some(({ id }) => id === organization));
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="received-title" className="panel panel--padded" style={{ marginBottom: 20 }}>
      <Title order={2} mb="sm" id="received-title">
        Invitations
      </Title>
      <Stack gap="xs">
        {data.map((invitation) => (
          <ReceivedRow key={invitation.key} invitation={invitation} />
        ))}
      </Stack>
    </section>
  );
}

function ReceivedRow({ invitation }: { readonly invitation: Invitation }): ReactNode {
  const client = useQueryClient();
  const { key, role, organization_info: organization, owner } = invitation;
  const respond = useMutation({
    mutationFn: async (action: 'accept' | 'decline') => {
      const path = `/api/invitations/{key}/${action}` as '/api/invitations/{key}/accept';
      unwrap(await api.POST(path, { params: { path: { key } } }));
    },
    onError: showProblem,
    onSettled: () => Promise.all([RECEIVED, ORGANIZATIONS].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  return (
    <Group justify="space-between">
      <Text size="sm">
        <b>{organization.slug}</b> as {role}
        {owner === null ? '' : `, from ${displayName(owner)}`}
      </Text>
      <Group gap="xs">
        <Button
          size="xs"
          loading={respond.isPending}
          aria-label={`Accept invitation to ${organization.slug}`}
          onClick={() => respond.mutate('accept')}
        >
          Accept
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={respond.isPending}
          aria-label={`Decline invitation to ${organization.slug}`}
          onClick={() => respond.mutate('decline')}
        >
          Decline
        </Button>
      </Group>
    </Group>
  );
}
