import { Accordion, Badge, Button, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { api, type Receiver } from '../../app/api';
import { CodeBlock } from '../../components/code-block';
import { Crumbs } from '../../components/crumbs';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { formatDate } from '../../components/time-ago';
import { type Arrival, useArrivals } from './receivers';
import { counted } from '../../components/counted';

export function Component(): ReactNode {
  const box = useParams()['boxId'] ?? '';
  const query = useQuery({
    queryKey: ['receiver', box],
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/inspect/{box}', { params: { path: { box } }, signal })),
  });
  const { arrivals, isLive } = useArrivals(box, query.dataUpdatedAt, () => void query.refetch());
  const crumbs = [
    { to: '/webhooks', title: 'Webhooks' },
    { to: '/webhooks/receivers', title: 'Receivers' },
  ];
  return (
    <Page
      title="Received requests"
      above={<Crumbs crumbs={crumbs} />}
      subtitle={query.data === undefined ? undefined : <Subtitle receiver={query.data} isLive={isLive} />}
      actions={query.data === undefined ? undefined : <Actions url={query.data.url} />}
    >
      <Loaded query={query}>{({ has_secret }) => <Arrivals arrivals={arrivals} isVerified={has_secret} />}</Loaded>
    </Page>
  );
}

const Subtitle = ({ receiver, isLive }: { readonly receiver: Receiver; readonly isLive: boolean }): ReactNode => (
  <Text span size="sm">
    <Badge className="status" variant="light" color={isLive ? 'teal' : 'gray'} tt="none" radius="sm" role="status">
      {isLive ? 'live' : 'connecting'}
    </Badge>{' '}
    {receiver.url} · expires {formatDate(receiver.expiry_date)}
  </Text>
);

const Actions = ({ url }: { readonly url: string }): ReactNode => (
  <>
    <CopyButton value={url}>
      {({ copied, copy }) => (
        <Button variant="default" leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />} onClick={copy}>
          {copied ? 'Copied' : 'Copy URL'}
        </Button>
      )}
    </CopyButton>
    <Button
      component={Link}
      to={`/webhooks/new?target_url=${encodeURIComponent(url)}`}
      leftSection={<Icon name="plus" size={16} />}
    >
      Create webhook
    </Button>
  </>
);

interface ArrivalsProps {
  readonly arrivals: readonly Arrival[];
  readonly isVerified: boolean;
}

function Arrivals({ arrivals, isVerified }: ArrivalsProps): ReactNode {
  if (arrivals.length === 0)
    return (
      <EmptyState icon="webhook" title="No requests yet" text="POST requests to the URL appear here automatically." />
    );
  return (
    <Stack>
      <Text size="sm" c="dimmed" aria-live="polite">
        {counted(arrivals.length, 'request')}
        {isVerified ? '' : '. Signatures are not verified, because the receiver has no secret.'}
      </Text>
      <Accordion multiple variant="contained" radius="lg">
        {arrivals.map((arrival) => (
          <Accordion.Item key={arrival.id} value={String(arrival.id)}>
            <Accordion.Control>
              <Head arrival={arrival} />
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="sm">
                <CodeBlock label={`Headers of request ${arrival.id}`} text={linesOf(arrival.headers)} />
                <CodeBlock label={`Body of request ${arrival.id}`} text={indented(arrival.body)} />
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  );
}

function Head({ arrival: { received_date: date, body, size, signatures } }: { readonly arrival: Arrival }): ReactNode {
  return (
    <Group gap="xs">
      <Text size="sm" fw={600}>
        {eventOf(body) ?? 'Request'}
      </Text>
      <Text size="sm" c="dimmed">
        {formatDate(date)} · {size.toLocaleString('en')} bytes
      </Text>
      {signatures !== null && (
        <>
          <Verdict header="webhook-signature" problem={signatures.standard} />
          <Verdict header="X-Signature-256" problem={signatures.body} />
        </>
      )}
    </Group>
  );
}

const Verdict = ({ header, problem }: { readonly header: string; readonly problem: string | null }): ReactNode => (
  <Badge
    className="status"
    variant="light"
    color={problem === null ? 'teal' : 'red'}
    tt="none"
    radius="sm"
    h="auto"
    styles={{ label: { whiteSpace: 'normal' } }}
  >
    {problem ?? `${header} is valid`}
  </Badge>
);

function eventOf(body: string): string | null {
  const parsed = parsedOf(body);
  const event = typeof parsed === 'object' && parsed !== null && 'event' in parsed ? parsed.event : null;
  return typeof event === 'string' ? event : null;
}

/** Text that is not valid JSON, such as a truncated body, is shown as received. */
const indented = (body: string): string => {
  const parsed = parsedOf(body);
  return parsed === undefined ? body : JSON.stringify(parsed, null, 2);
};

function parsedOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
