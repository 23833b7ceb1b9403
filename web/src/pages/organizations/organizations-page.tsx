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

export function Component(): ReactNode {
  const query = useOrganizations();
  const create = (
    <Button component={Link} to="/organizations/new" leftSection={<Icon name="plus" size={16} />}>
      New organization
    </Button>
  );
  return (
    <Page title="Organizations" subtitle="People who share projects and tasks." actions={create}>
      <Received />
      <Loaded query={query}>
        {(organizations) =>
          organizations.length === 0 ? (
            <EmptyState
              icon="organization"
              title="You are in no organization"
              text="Make one and invite others, or ask somebody to invite you. Until then you work in your personal space."
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
  { title: 'Actions', isActions: true, cell: (organization) => <WorkHere organization={organization} /> },
];

function WorkHere({ organization: { slug, name } }: { readonly organization: Organization }): ReactNode {
  const present = useOrganizationSlug();
  const switchTo = useSwitchOrganization();
  if (slug === present) {
    return (
      <Badge className="status" variant="light" color="teal" tt="none">
        You work here
      </Badge>
    );
  }
  return (
    <Button size="xs" variant="default" aria-label={`Work here: ${name || slug}`} onClick={() => switchTo(slug)}>
      Work here
    </Button>
  );
}

const RECEIVED = ['invitations', 'received'] as const;

/** Invitations that wait for an answer. One is shown only to who opens its link while their address is not verified. */
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
        Invitations to you
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
  const answer = useMutation({
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
          loading={answer.isPending}
          aria-label={`Accept the invitation to ${organization.slug}`}
          onClick={() => answer.mutate('accept')}
        >
          Accept
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={answer.isPending}
          aria-label={`Decline the invitation to ${organization.slug}`}
          onClick={() => answer.mutate('decline')}
        >
          Decline
        </Button>
      </Group>
    </Group>
  );
}
