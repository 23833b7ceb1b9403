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
import { AnswerStatus } from './webhook-state';

const PAGE_SIZE = 25;
const LIVE_MS = 2_000;
const STATUSES = ['pending', 'leased', 'delivered', 'failed'].map((value) => ({
  value,
  label: value === 'leased' ? 'being sent' : value,
}));

const COLUMNS: readonly Column<WebhookDelivery>[] = [
  {
    title: 'Event',
    isText: true,
    cell: ({ id, event, redelivery: isRepeated, changed_fields: changed, error }) => (
      <>
        <Text size="sm" fw={600}>
          {event}
        </Text>
        <Text size="xs" c="dimmed">
          #{id}
          {isRepeated ? ' · sent again' : ''}
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
  { title: 'Answer', cell: ({ status_code: status }) => <AnswerStatus status={status} /> },
  { title: 'Attempts', cell: ({ attempt }) => attempt ?? 0 },
  { title: 'Took', cell: ({ request_duration: took }) => (took === null ? '–' : `${took} ms`) },
  { title: 'When', cell: ({ updated_date: date }) => <TimeAgo date={date} /> },
];

const detailsColumn = (onShow: (id: number) => void): Column<WebhookDelivery> => ({
  title: 'Actions',
  isActions: true,
  cell: ({ id }) => (
    <Button size="xs" variant="default" aria-label={`Details of delivery ${id}`} onClick={() => onShow(id)}>
      Details
    </Button>
  ),
});

interface DeliveriesProps {
  readonly webhook: Webhook;
  readonly onShow: (id: number) => void;
}

/** What was sent, and what came of it, as it happens. */
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
    refetchInterval: LIVE_MS,
  });
  const columns = [...COLUMNS, detailsColumn(onShow)];
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
            title="Nothing was sent yet"
            text="Send a ping to try it, or change something that it tells of. Deliveries appear here by themselves."
          />
        }
      >
        {(deliveries) => <DataTable rows={deliveries} columns={columns} keyOf={({ id }) => id} minWidth={560} />}
      </PagedList>
    </>
  );
}
