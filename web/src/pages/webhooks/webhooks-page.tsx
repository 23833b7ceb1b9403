import { Anchor, Badge, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Webhook } from '../../app/api';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { pageOf, useListState } from '../../components/list-state';
import { ListToolbar } from '../../components/list-toolbar';
import { useNames } from '../../components/names';
import { Page } from '../../components/page';
import { PagedList } from '../../components/paged-list';
import { useMayCreateWebhook } from '../../components/rights';
import { TimeAgo } from '../../components/time-ago';
import { ResponseStatus, WebhookState } from './webhook-state';

const PAGE_SIZE = 25;
const TYPES = ['project', 'organization', 'server'].map((value) => ({ value, label: value }));

/** @param projects names of projects */
const columns = (projects: ReadonlyMap<number, string>): readonly Column<Webhook>[] => [
  {
    title: 'Target',
    isText: true,
    maxWidth: 360,
    cell: ({ id, target_url: url, description }) => (
      <>
        <Anchor component={Link} to={`/webhooks/${id}`} fw={600} size="sm" underline="hover" lineClamp={2} title={url}>
          {url}
        </Anchor>
        {description !== '' && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {description}
          </Text>
        )}
      </>
    ),
  },
  { title: 'Scope', isText: true, maxWidth: 220, cell: (webhook) => <Scope webhook={webhook} projects={projects} /> },
  {
    title: 'Events',
    cell: ({ events: { length } }) => (
      <Badge variant="default" tt="none" radius="sm">
        {length} {length === 1 ? 'event' : 'events'}
      </Badge>
    ),
  },
  { title: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { title: 'Last delivery', cell: (webhook) => <LastDelivery webhook={webhook} /> },
];

interface ScopeProps {
  readonly webhook: Webhook;
  readonly projects: ReadonlyMap<number, string>;
}

/** The project whose events are sent, or `organization` or `server`. */
function Scope({ webhook: { project_id: id, type }, projects }: ScopeProps): ReactNode {
  if (id === null) return type;
  const name = projects.get(id) ?? `Project ${id}`;
  return (
    <Anchor component={Link} to={`/projects/${id}`} size="sm" underline="hover" lineClamp={2} title={name}>
      {name}
    </Anchor>
  );
}

function LastDelivery({ webhook: { last_status: status, last_delivery_date: date } }: { readonly webhook: Webhook }) {
  if (date === undefined || date === null)
    return (
      <Text size="sm" c="dimmed">
        None yet
      </Text>
    );
  return (
    <Text size="sm">
      <ResponseStatus status={status ?? null} /> <TimeAgo date={date} />
    </Text>
  );
}

export function Component(): ReactNode {
  const list = useListState('-id');
  const query = useQuery(pageOf('/api/webhooks', list, { pageSize: PAGE_SIZE, filters: ['type', 'project_id'] }));
  const project = list.filter('project_id');
  const ids = (query.data?.results ?? []).map(({ project_id: id }) => id);
  const projects = useNames('projects', project === '' ? ids : [Number(project)]);
  const mayCreate = useMayCreateWebhook(project === '' ? null : Number(project));
  const create = mayCreate === true && (
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
      subtitle={
        project === ''
          ? 'Notify other systems of events in your projects.'
          : `Events of ${projects.get(Number(project)) ?? `project ${project}`}`
      }
      actions={
        <>
          <Button component={Link} to="/webhooks/receivers" variant="default">
            Receivers
          </Button>
          {create}
        </>
      }
    >
      <ListToolbar
        list={list}
        what="webhooks"
        placeholder="URL, description, owner …"
        filters={[{ name: 'type', label: 'Scope', options: TYPES }]}
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
            text="A webhook sends a signed HTTP request to a URL of yours for each event in a project or an organization. Failed deliveries are retried for days."
            action={create}
          />
        }
      >
        {(webhooks) => <DataTable rows={webhooks} columns={columns(projects)} keyOf={({ id }) => id} minWidth={620} />}
      </PagedList>
    </Page>
  );
}
