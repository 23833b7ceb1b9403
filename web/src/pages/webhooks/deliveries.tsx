import { Button, Table, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type Webhook } from '../../app/api';
import { EmptyState } from '../../components/empty-state';
import { given, useListState } from '../../components/list-state';
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
    queryFn: async ({ signal }) => {
      const page = { page: list.page, page_size: String(PAGE_SIZE) };
      const params = { path: { id: webhook.id }, query: { ...page, ...given(filters) } as never };
      return unwrap(await api.GET('/api/webhooks/{id}/deliveries', { params, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });
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
        {(deliveries) => (
          <div className="panel table-scroll">
            <Table verticalSpacing="sm" miw={560} highlightOnHover>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Event</Table.Th>
                  <Table.Th>Answer</Table.Th>
                  <Table.Th>Attempts</Table.Th>
                  <Table.Th>Took</Table.Th>
                  <Table.Th>When</Table.Th>
                  <Table.Th>
                    <span className="visually-hidden">Actions</span>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {deliveries.map((delivery) => (
                  <Table.Tr key={delivery.id}>
                    <Table.Td>
                      <Text size="sm" fw={600}>
                        {delivery.event}
                      </Text>
                      <Text size="xs" c="dimmed">
                        #{delivery.id}
                        {delivery.redelivery ? ' · sent again' : ''}
                        {delivery.changed_fields === '' ? '' : ` · ${delivery.changed_fields}`}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <AnswerStatus status={delivery.status_code} />
                    </Table.Td>
                    <Table.Td>{delivery.attempt ?? 0}</Table.Td>
                    <Table.Td>{delivery.request_duration === null ? '–' : `${delivery.request_duration} ms`}</Table.Td>
                    <Table.Td>
                      <TimeAgo date={delivery.updated_date} />
                    </Table.Td>
                    <Table.Td ta="right">
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`Details of delivery ${delivery.id}`}
                        onClick={() => onShow(delivery.id)}
                      >
                        Details
                      </Button>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </PagedList>
    </>
  );
}
