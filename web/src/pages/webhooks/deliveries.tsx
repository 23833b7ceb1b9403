import { Button, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type Webhook, type WebhookDelivery } from '../../app/api';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { given, readPage, useListState } from '../../components/list-state';
import { ListToolbar } from '../../components/list-toolbar';
import { PagedList } from '../../components/paged-list';
import { TimeAgo } from '../../components/time-ago';
import { ResponseStatus } from './webhook-state';

const PAGE_SIZE = 25;
const REFRESH_MS = 2_000;
const STATUSES = ['pending', 'leased', 'delivered', 'failed'].map((value) => ({
  value,
  label: value === 'leased' ? 'sending' : value,
}));

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  {
    title: 'Event',
    isText: true,
    cell: ({ id, event, redelivery: isRedelivery, changed_fields: changed, error }) => (
      <>
        <Text size="sm" fw={600}>
          {event}
        </Text>
        <Text size="xs" c="dimmed">
          #{id}
          {isRedelivery ? ' · redelivered' : ''}
          {changed === '' ? '' : ` · ${changed.replaceAll(',', ', ')}`}
        </Text>
        {error !== null && (
          <Text size="xs" lineClamp={2}>
            {error}
          </Text>
        )}
      </>
    ),
  },
  { title: 'Response', cell: ({ status_code: status, error }) => <ResponseStatus status={status} error={error} /> },
  { title: 'Attempts', cell: ({ attempt }) => attempt ?? 0 },
  { title: 'Duration', cell: ({ request_duration: took }) => (took === null ? '–' : `${took} ms`) },
  { title: 'Updated', cell: ({ updated_date: date }) => <TimeAgo date={date} /> },
];

const actionsColumn = (onShow: (id: number) => void): Column<WebhookDelivery> => ({
  title: 'Actions',
  isActions: true,
  cell: ({ id }) => (
    <Button size="xs" variant="default" aria-label={`View delivery ${id}`} onClick={() => onShow(id)}>
      View
    </Button>
  ),
});

interface DeliveriesProps {
  readonly webhook: Webhook;
  readonly onShow: (id: number) => void;
}

/** The delivery log of a webhook, refreshed while it is open. */
export function Deliveries({ webhook, onShow }: DeliveriesProps): ReactNode {
  const list = useListState('-updated_date');
  const filters = { status: list.filter('status'), event: list.filter('event') };
  const query = useQuery({
    queryKey: ['deliveries', webhook.id, list.page, filters],
    queryFn: ({ signal }) =>
      readPage(list.page, PAGE_SIZE, async (page) => {
        const query = { page, page_size: String(PAGE_SIZE), ...given(filters) };
        const params = { path: { id: webhook.id }, query: query as never };
        return unwrap(await api.GET('/api/webhooks/{id}/deliveries', { params, signal }));
      }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const columns = [...COLUMNS, actionsColumn(onShow)];
  return (
    <>
      <ListToolbar
        list={list}
        what="deliveries"
        withSearch={false}
        filters={[
          { name: 'status', label: 'Status', options: STATUSES },
          {
            name: 'event',
            label: 'Event',
            options: ['ping', ...webhook.events].map((value) => ({ value, label: value })),
          },
        ]}
      />
      <PagedList
        query={query}
        list={list}
        pageSize={PAGE_SIZE}
        what="deliveries"
        empty={
          <EmptyState
            icon="webhook"
            title="No deliveries yet"
            text="Send a ping to test the webhook, or change something that it subscribes to. Deliveries appear here automatically."
          />
        }
      >
        {(deliveries) => <DataTable rows={deliveries} columns={columns} keyOf={({ id }) => id} minWidth={560} />}
      </PagedList>
    </>
  );
}
