import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { ANYWHERE, api, type HealthCheck, type Listener } from '../../app/api';
import { isAdministrator, useUser } from '../../app/session';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Status } from '../../components/status';
import { QuarantineList } from './quarantine-list';
import { isLate, waitingTime } from './waiting';

const POLL_MS = 5_000;

/** Whether the server works, what waits, and events that could not be handled. For administrators. */
export function Component(): ReactNode {
  if (isAdministrator(useUser())) return <Server />;
  return (
    <Page title="Server">
      <EmptyState icon="settings" title="Only for administrators" text="Administrators see how the server works." />
    </Page>
  );
}

function Server(): ReactNode {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => {
      const query = { format: 'json', details: 'true' };
      const { data, error } = await api.GET('/api/server/health/', { params: { query }, signal });
      return (data ?? error) as unknown as HealthCheck; // a problem of the server is what the page shows
    },
    refetchInterval: POLL_MS,
  });
  const listeners = useQuery({
    queryKey: ['events/listeners'],
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/events/listeners', { headers: ANYWHERE, signal })),
    refetchInterval: POLL_MS,
  });
  return (
    <Page title="Server" subtitle="The state of the server and of its background work.">
      <Stack gap="xl">
        <Section title="Health">
          <Loaded query={health}>
            {({ details, ...checks }) => (
              <Stack>
                <DataTable rows={Object.entries(checks)} columns={CHECKS} keyOf={([name]) => name} minWidth={420} />
                <DataTable
                  rows={Object.entries(details ?? {})}
                  columns={QUEUES}
                  keyOf={([name]) => name}
                  minWidth={420}
                  empty="Queues are not known while the database does not respond."
                />
              </Stack>
            )}
          </Loaded>
        </Section>
        <Section title="Listeners of events">
          <Loaded query={listeners}>
            {(rows) => <DataTable rows={rows} columns={LISTENERS} keyOf={({ name }) => name} minWidth={720} />}
          </Loaded>
        </Section>
        <Section title="Events in quarantine">
          <QuarantineList />
        </Section>
      </Stack>
    </Page>
  );
}

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <section aria-label={title}>
    <Title order={2} size="h4" mb="sm">
      {title}
    </Title>
    {children}
  </section>
);

/** A value that needs attention, or not. */
const Value = ({ isBad, text }: { readonly isBad: boolean; readonly text: string }): ReactNode => (
  <Text size="sm" c={isBad ? 'var(--mantine-color-error)' : ''} fw={isBad ? 600 : 400}>
    {text}
  </Text>
);

const Waiting = ({ seconds }: { readonly seconds: number | null }): ReactNode => (
  <Value isBad={isLate(seconds)} text={waitingTime(seconds)} />
);

const CHECKS: readonly Column<readonly [string, unknown]>[] = [
  { title: 'Check', cell: ([name]) => name },
  {
    title: 'State',
    isText: true,
    cell: ([, state]) => (state === 'working' ? <Status value="working" /> : <Value isBad text={String(state)} />),
  },
];

type Queue = readonly [string, { readonly waiting: number; readonly oldest_seconds: number | null }];

const QUEUES: readonly Column<Queue>[] = [
  { title: 'Queue', cell: ([name]) => name },
  { title: 'Waiting', cell: ([, { waiting }]) => waiting.toLocaleString('en') },
  { title: 'Oldest', cell: ([, { oldest_seconds: seconds }]) => <Waiting seconds={seconds} /> },
];

const LISTENERS: readonly Column<Listener>[] = [
  {
    title: 'Listener',
    cell: ({ name, installed }) => (
      <>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        {!installed && (
          <Text size="xs" c="dimmed">
            not installed any more
          </Text>
        )}
      </>
    ),
  },
  { title: 'Waiting', cell: ({ waiting }) => waiting.toLocaleString('en') },
  { title: 'Oldest', cell: ({ oldest_seconds: seconds }) => <Waiting seconds={seconds} /> },
  {
    title: 'In quarantine',
    cell: ({ quarantined }) => <Value isBad={quarantined > 0} text={quarantined.toLocaleString('en')} />,
  },
  {
    title: 'Error',
    isText: true,
    cell: ({ error, attempts }) => (error === null ? '–' : `${error} (attempt ${attempts}, will be repeated)`),
  },
];
