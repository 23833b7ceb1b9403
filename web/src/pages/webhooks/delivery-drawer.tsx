import { Accordion, Alert, Button, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type WebhookAttempt } from '../../app/api';
import { CodeBlock } from '../../components/code-block';
import { Icon } from '../../components/icons';
import { Loaded } from '../../components/loaded';
import { showProblem, showSuccess } from '../../components/notify';
import { formatDate } from '../../components/time-ago';
import { ResponseStatus } from './webhook-state';

interface DeliveryDrawerProps {
  readonly webhookId: number;
  readonly deliveryId: number | null;
  readonly onClose: () => void;
}

const REFRESH_MS = 2_000;

/** One delivery: its payload, its response, and each attempt with timings and error. */
export function DeliveryDrawer({ webhookId, deliveryId, onClose }: DeliveryDrawerProps): ReactNode {
  return (
    <Drawer
      opened={deliveryId !== null}
      onClose={onClose}
      position="right"
      size="xl"
      title={`Delivery ${deliveryId ?? ''}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {deliveryId !== null && <Delivery webhookId={webhookId} deliveryId={deliveryId} />}
    </Drawer>
  );
}

function Delivery({ webhookId, deliveryId }: { readonly webhookId: number; readonly deliveryId: number }): ReactNode {
  const client = useQueryClient();
  const path = { id: webhookId, delivery: deliveryId };
  const query = useQuery({
    queryKey: ['deliveries', webhookId, 'one', deliveryId],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/webhooks/{id}/deliveries/{delivery}', { params: { path }, signal })),
    refetchInterval: REFRESH_MS,
  });
  const attempts = useQuery({
    queryKey: ['deliveries', webhookId, 'attempts', deliveryId],
    queryFn: async ({ signal }) =>
      unwrap(await api.GET('/api/webhooks/{id}/deliveries/{delivery}/attempts', { params: { path }, signal })),
    refetchInterval: REFRESH_MS,
  });
  const redeliver = useMutation({
    mutationFn: async () =>
      unwrap(await api.POST('/api/webhooks/{id}/deliveries/{delivery}/redelivery', { params: { path } })),
    onSuccess: () => {
      showSuccess('Redelivery queued.');
      return client.invalidateQueries({ queryKey: ['deliveries', webhookId] });
    },
    onError: showProblem,
  });
  return (
    <Loaded query={query}>
      {({ event, status_code: status, error, request, response }) => (
        <Stack>
          <Group justify="space-between">
            <Text fw={600}>
              {event} <ResponseStatus status={status} error={error} />
            </Text>
            <Button
              size="xs"
              loading={redeliver.isPending}
              leftSection={<Icon name="refresh" size={14} />}
              onClick={() => redeliver.mutate()}
            >
              Redeliver
            </Button>
          </Group>
          <Title order={3}>Attempts</Title>
          <Loaded query={attempts}>{(list) => <Attempts attempts={list} />}</Loaded>
          <Title order={3}>Payload</Title>
          <CodeBlock text={JSON.stringify(request, null, 2)} label="Payload" />
          {response !== '' && (
            <>
              <Title order={3}>Response</Title>
              <CodeBlock text={response} label="Response" />
            </>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

function Attempts({ attempts }: { readonly attempts: readonly WebhookAttempt[] }): ReactNode {
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No attempts yet.
      </Text>
    );
  }
  return (
    <Accordion variant="contained" multiple defaultValue={attempts.length === 1 ? ['1'] : []}>
      {attempts.map((attempt) => (
        <Attempt key={attempt.number} attempt={attempt} />
      ))}
    </Accordion>
  );
}

const TIMES = [
  ['dns', 'DNS lookup'],
  ['connect', 'Connect'],
  ['tls', 'TLS'],
  ['first_byte', 'First byte'],
  ['total', 'Total'],
] as const;

function Attempt({ attempt }: { readonly attempt: WebhookAttempt }): ReactNode {
  const { number, started_at: start, status_code: status, error, request, response, addresses, timings } = attempt;
  return (
    <Accordion.Item value={String(number)}>
      <Accordion.Control>
        <Text size="sm">
          {number}. <ResponseStatus status={status} error={error} /> {formatDate(start)}
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          {error !== null && error !== '' && (
            <Alert color="red" variant="light" title="Error">
              {error}
            </Alert>
          )}
          <Table withTableBorder verticalSpacing={4}>
            <Table.Tbody>
              {TIMES.map(([name, title]) => (
                <Table.Tr key={name}>
                  <Table.Th w={140}>{title}</Table.Th>
                  <Table.Td>{timings[name] === null ? 'none' : `${timings[name].toFixed(1)} ms`}</Table.Td>
                </Table.Tr>
              ))}
              <Table.Tr>
                <Table.Th>IP addresses</Table.Th>
                <Table.Td>{addresses.join(', ') || 'none'}</Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
          <Section title="Request headers" text={headersOf(request)} label={`Request headers of attempt ${number}`} />
          <Section
            title="Response"
            text={`${headersOf(response)}\n\n${bodyOf(response)}`.trim()}
            label={`Response to attempt ${number}`}
          />
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

interface Message {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const headersOf = (message: unknown): string =>
  Object.entries((message as Message | null)?.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const bodyOf = (message: unknown): string => (message as Message | null)?.body ?? '';

/** A titled block of text, left out when the text is empty. */
const Section = ({
  title,
  text,
  label,
}: {
  readonly title: string;
  readonly text: string;
  readonly label: string;
}): ReactNode =>
  text === '' ? null : (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <CodeBlock text={text} label={label} />
    </div>
  );
