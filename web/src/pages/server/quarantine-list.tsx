import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { ANYWHERE, api, type QuarantinedEvent } from '../../app/api';
import { counted } from '../../components/counted';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { pageOf, useListState } from '../../components/list-state';
import { showProblem, showSuccess } from '../../components/notify';
import { PagedList } from '../../components/paged-list';
import { TimeAgo } from '../../components/time-ago';

const PAGE_SIZE = 20;
const POLL_MS = 5_000;

/** Which events to handle again; absent keys: all. */
interface Selection {
  readonly listener?: string;
  readonly events?: number[];
}

/** Events that a listener could not handle, with buttons to try again. */
export function QuarantineList(): ReactNode {
  const list = useListState('-id');
  const client = useQueryClient();
  const query = useQuery({
    ...pageOf('/api/events/quarantine', list, { pageSize: PAGE_SIZE, filters: [], isAnywhere: true }),
    refetchInterval: POLL_MS,
  });
  const retry = useMutation({
    mutationFn: async (body: Selection) =>
      unwrap(await api.POST('/api/events/quarantine/retry', { headers: ANYWHERE, body })),
    onSuccess: ({ count }) => showSuccess(`Retrying ${counted(count, 'event')}.`),
    onError: showProblem,
    onSettled: () =>
      Promise.all(
        ['events/quarantine', 'events/listeners'].map((name) => client.invalidateQueries({ queryKey: [name] })),
      ),
  });
  return (
    <PagedList
      query={query}
      list={list}
      pageSize={PAGE_SIZE}
      what="events"
      empty={
        <EmptyState icon="check" title="No events in quarantine" text="Listeners have handled all their events." />
      }
    >
      {(events) => (
        <>
          <Group justify="space-between" mb="sm">
            <Text size="sm" c="dimmed">
              Listeners have gone on without these events. Remove the cause of the error, then retry.
            </Text>
            <Button
              variant="default"
              size="sm"
              loading={retry.isPending}
              leftSection={<Icon name="refresh" size={16} />}
              onClick={() => retry.mutate({})}
            >
              Retry all
            </Button>
          </Group>
          <DataTable rows={events} columns={columnsFor(retry.mutate)} keyOf={({ id }) => id} minWidth={820} />
        </>
      )}
    </PagedList>
  );
}

const columnsFor = (retry: (selection: Selection) => void): readonly Column<QuarantinedEvent>[] => [
  { title: 'Listener', cell: ({ listener }) => listener },
  {
    title: 'Event',
    cell: ({ event, event_id: id }) => (
      <>
        <code>{event}</code>
        <Text size="xs" c="dimmed">
          #{id}
        </Text>
      </>
    ),
  },
  { title: 'Object', isText: true, cell: ({ object_id: id }) => id },
  { title: 'Error', isText: true, cell: ({ error }) => error },
  {
    title: 'Last attempt',
    cell: ({ last_failed_date: date, attempts }) => (
      <Text size="sm" c="dimmed">
        <TimeAgo date={date} />, {counted(attempts, 'attempt')}
      </Text>
    ),
  },
  {
    title: 'Actions',
    isActions: true,
    cell: ({ listener, event_id: id, returned_date: returned }) =>
      returned === null ? (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={`Retry event ${id} for ${listener}`}
          onClick={() => retry({ listener, events: [id] })}
        >
          Retry
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          retrying
        </Text>
      ),
  },
];
