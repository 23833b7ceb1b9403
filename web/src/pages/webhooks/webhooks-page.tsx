import { Anchor, Badge, Button, Table, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { api, type Webhook } from '../../app/api';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { given, useListState } from '../../components/list-state';
import { ListToolbar } from '../../components/list-toolbar';
import { Page } from '../../components/page';
import { PagedList } from '../../components/paged-list';
import { TimeAgo } from '../../components/time-ago';
import { AnswerStatus, WebhookState } from './webhook-state';

const PAGE_SIZE = 25;
const TYPES = ['project', 'organization'].map((value) => ({ value, label: value }));

export function Component(): ReactNode {
  const list = useListState('-id');
  const filters = { type: list.filter('type'), project_id: list.filter('project_id') };
  const query = useQuery({
    queryKey: ['webhooks', list.page, list.search, filters],
    queryFn: async ({ signal }) => {
      const page = { page: list.page, page_size: String(PAGE_SIZE), sort: list.sort };
      const conditions = given({ search: list.search, ...filters });
      return unwrap(await api.GET('/api/webhooks', { params: { query: { ...page, ...conditions } as never }, signal }));
    },
    placeholderData: keepPreviousData,
  });
  const project = list.filter('project_id');
  const create = (
    <Button
      component={Link}
      to={project === '' ? '/webhooks/new' : `/webhooks/new?project_id=${project}`}
      leftSection={<Icon name="plus" size={16} />}
    >
      New webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      subtitle={project === '' ? 'Tell other systems what happens here.' : `Of project ${project}`}
      actions={create}
    >
      <ListToolbar
        list={list}
        what="webhooks"
        placeholder="Address, description, owner …"
        filters={[{ name: 'type', label: 'Of', options: TYPES }]}
      />
      <PagedList
        query={query}
        list={list}
        pageSize={PAGE_SIZE}
        what="webhooks"
        empty={
          <EmptyState
            icon="webhook"
            title="No webhooks yet"
            text="A webhook is a signed message to an address of yours whenever something happens in a project or an organization. None is lost: what fails is tried again for days."
            action={create}
          />
        }
      >
        {(webhooks) => (
          <div className="panel table-scroll">
            <Table verticalSpacing="sm" miw={620}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Target</Table.Th>
                  <Table.Th>Of</Table.Th>
                  <Table.Th>Events</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th>Last delivery</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {webhooks.map((webhook) => (
                  <WebhookRow key={webhook.id} webhook={webhook} />
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </PagedList>
    </Page>
  );
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { last_status: status, last_delivery_date: date } = webhook;
  return (
    <Table.Tr>
      <Table.Td maw={360}>
        <Anchor component={Link} to={`/webhooks/${webhook.id}`} fw={600} size="sm" underline="hover">
          {webhook.target_url}
        </Anchor>
        {webhook.description !== '' && (
          <Text size="xs" c="dimmed">
            {webhook.description}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Text size="sm">{webhook.project_id === null ? webhook.type : `project ${webhook.project_id}`}</Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="default" tt="none" radius="sm">
          {webhook.events.length} {webhook.events.length === 1 ? 'event' : 'events'}
        </Badge>
      </Table.Td>
      <Table.Td>
        <WebhookState webhook={webhook} />
      </Table.Td>
      <Table.Td>
        {date === undefined || date === null ? (
          <Text size="sm" c="dimmed">
            None yet
          </Text>
        ) : (
          <Text size="sm">
            <AnswerStatus status={status ?? null} /> <TimeAgo date={date} />
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
