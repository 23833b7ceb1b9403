import { Anchor, Badge, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api, type Invitation } from '../../app/api';
import { useOrganizationSlug } from '../../app/organization';
import { ORGANIZATIONS, useOrganizations, useSwitchOrganization } from '../../app/organization-menu';
import { useUser } from '../../app/session';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { Icon } from '../../components/icons';
import { showProblem } from '../../components/notify';
import { Page } from '../../components/page';
import { PageLoader } from '../../components/page-loader';
import { displayName } from '../../components/person';

export function Component(): ReactNode {
  const { data, error, refetch } = useOrganizations();
  const slug = useOrganizationSlug();
  const switchTo = useSwitchOrganization();
  const create = (
    <Button component={Link} to="/organizations/new" leftSection={<Icon name="plus" size={16} />}>
      New organization
    </Button>
  );
  return (
    <Page title="Organizations" subtitle="People who share projects and tasks." actions={create}>
      <Received />
      {data === undefined && error === null && <PageLoader />}
      {error !== null && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <EmptyState
          icon="organization"
          title="You are in no organization"
          text="Make one and invite others, or ask somebody to invite you. Until then you work in your personal space."
          action={create}
        />
      )}
      {data !== undefined && data.length > 0 && (
        <div className="panel table-scroll">
          <Table verticalSpacing="sm" miw={480}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Short name</Table.Th>
                <Table.Th>Owner</Table.Th>
                <Table.Th>
                  <span className="visually-hidden">Actions</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((organization) => (
                <Table.Tr key={organization.id}>
                  <Table.Td>
                    <Anchor
                      underline="hover"
                      component={Link}
                      to={`/organizations/${organization.id}`}
                      fw={600}
                      size="sm"
                    >
                      {organization.name || organization.slug}
                    </Anchor>
                    {organization.description !== '' && (
                      <Text size="xs" c="dimmed" lineClamp={1}>
                        {organization.description}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{organization.slug}</Table.Td>
                  <Table.Td>{organization.owner === null ? 'Nobody' : displayName(organization.owner)}</Table.Td>
                  <Table.Td ta="right">
                    {organization.slug === slug ? (
                      <Badge variant="light" color="teal" tt="none">
                        You work here
                      </Badge>
                    ) : (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`Work here: ${organization.name || organization.slug}`}
                        onClick={() => switchTo(organization.slug)}
                      >
                        Work here
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Page>
  );
}

const RECEIVED = ['invitations', 'received'] as const;

/** Invitations that wait for an answer. */
function Received(): ReactNode {
  const user = useUser();
  const { data = [] } = useQuery({
    queryKey: RECEIVED,
    queryFn: async () => {
      const query = {
        page_size: '100',
        filter: JSON.stringify({
          and: [{ '==': [{ var: 'user_id' }, user.id] }, { '==': [{ var: 'accepted' }, false] }],
        }),
      };
      return unwrap(await api.GET('/api/invitations', { params: { query }, headers: { 'X-Organization': '' } }))
        .results;
    },
  });
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
