import { Alert, Badge, Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type components, unwrap } from 'cairn-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Webhook } from '../../app/api';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorPanel } from '../../components/error-panel';
import { formatDate } from '../../components/time-ago';
import { useEvents } from './event-fields';

interface ExplainProps {
  readonly webhook: Webhook;
  readonly onShow: (delivery: number) => void;
}

/** Timestamps in the server's texts. */
const TIMESTAMP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

const COLORS: Readonly<Record<string, string>> = { passes: 'teal', blocks: 'red', delays: 'orange' };

type Step = components['schemas']['ExplanationStep'];

const TITLES: Readonly<Record<Step['step'], string>> = {
  active: 'Enabled',
  subscribed: 'Subscription',
  event: 'Event',
  active_since: 'Enabled at the time',
  filter: 'Filter',
  paused: 'Pause',
  batch: 'Batch window',
  order: 'Order',
  rate: 'Limits',
};

const COLUMNS: readonly Column<Step>[] = [
  {
    title: 'Step',
    cell: ({ step }) => (
      <Text size="sm" fw={600}>
        {TITLES[step]}
      </Text>
    ),
  },
  {
    title: 'Result',
    cell: ({ verdict }) => (
      <Badge className="status" variant="light" color={COLORS[verdict] ?? 'gray'} tt="none" radius="sm">
        {verdict}
      </Badge>
    ),
  },
  {
    title: 'Reason',
    isText: true,
    cell: ({ reason, values }) => (
      <>
        <Text size="sm">{reason.replaceAll(TIMESTAMP, formatDate)}</Text>
        {values !== undefined && <Code block>{JSON.stringify(values, null, 2)}</Code>}
      </>
    ),
  },
];

/** Shows step by step whether the webhook fires for an event, and why. */
export function Explain({ webhook, onShow }: ExplainProps): ReactNode {
  const events = useEvents(webhook.type);
  const [event, setEvent] = useState<string | null>(null);
  const [object, setObject] = useState('');
  const request = useMutation({
    mutationFn: async () => {
      const query = { event: event ?? '', ...(object.trim() === '' ? {} : { object: object.trim() }) };
      return unwrap(await api.GET('/api/webhooks/{id}/explain', { params: { path: { id: webhook.id }, query } }));
    },
  });
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    request.mutate();
  };
  return (
    <Stack maw={860}>
      <form onSubmit={submit} className="panel panel--padded">
        <Group align="flex-end">
          <Select
            label="Event"
            placeholder="Select an event"
            required
            searchable
            w={300}
            maw="100%"
            data={[...(events.data ?? [])]}
            value={event}
            onChange={setEvent}
          />
          <TextInput
            label="Object ID"
            placeholder="Any"
            w={140}
            value={object}
            onChange={(typed) => setObject(typed.currentTarget.value)}
          />
          <Button type="submit" loading={request.isPending} disabled={event === null}>
            Explain
          </Button>
        </Group>
      </form>
      {request.error !== null && <ErrorPanel error={request.error} />}
      {request.data !== undefined && (
        <section aria-label="Explanation">
          <Alert
            variant="light"
            color={request.data.fires === true ? 'teal' : request.data.fires === false ? 'red' : 'gray'}
            title={
              request.data.fires === true
                ? 'The webhook sends this event'
                : request.data.fires === false
                  ? 'The webhook does not send this event'
                  : 'Whether the webhook sends this event depends on its content'
            }
            mb="md"
          />
          <DataTable rows={request.data.steps} columns={COLUMNS} keyOf={({ step }) => step} minWidth={520} />
          {request.data.delivery !== null && request.data.delivery !== undefined && (
            <Button
              mt="sm"
              size="xs"
              variant="default"
              onClick={() => onShow((request.data.delivery as { id: number }).id)}
            >
              View delivery
            </Button>
          )}
        </section>
      )}
    </Stack>
  );
}
