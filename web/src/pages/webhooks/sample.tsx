import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api, type Webhook } from '../../app/api';
import { CodeBlock } from '../../components/code-block';
import { Icon } from '../../components/icons';
import { Loaded } from '../../components/loaded';
import { showProblem } from '../../components/notify';
import { useEvents } from './event-fields';
import { Outcome } from './outcome';

interface SampleProps {
  readonly webhook: Webhook;
  readonly onShow: (delivery: number) => void;
}

/** Shows the payload that the webhook would send for an event, and sends it on request. */
export function Sample({ webhook, onShow }: SampleProps): ReactNode {
  const { id, type } = webhook;
  const events = useEvents(type);
  const client = useQueryClient();
  const [event, setEvent] = useState<string | null>(null);
  const sample = useQuery({
    queryKey: ['webhook', id, 'sample', event],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { event: event ?? '' } };
      return unwrap(await api.GET('/api/webhooks/{id}/sample', { params, signal }));
    },
    enabled: event !== null,
  });
  const send = useMutation({
    mutationFn: async (name: string) =>
      unwrap(await api.POST('/api/webhooks/{id}/sample', { params: { path: { id } }, body: { event: name } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries', id] }),
    onError: showProblem,
  });
  return (
    <Stack maw={860}>
      <Group className="panel panel--padded" align="flex-end">
        <Select
          label="Event"
          placeholder="Select an event"
          searchable
          w={320}
          maw="100%"
          data={[...(events.data ?? [])]}
          value={event}
          onChange={(name) => {
            setEvent(name);
            send.reset();
          }}
        />
        <Button
          leftSection={<Icon name="webhook" size={16} />}
          loading={send.isPending}
          disabled={event === null}
          onClick={() => (event === null ? undefined : send.mutate(event))}
        >
          Send sample
        </Button>
        <Text size="sm" c="dimmed">
          The sample is sent even if the webhook is disabled or its filter excludes the event.
        </Text>
      </Group>
      {send.data !== undefined && (
        <Outcome what="sample" delivery={send.data} onShow={onShow} onHide={() => send.reset()} />
      )}
      {event !== null && (
        <Loaded query={sample}>
          {({ is_generated: isGenerated, passes_filter: passes, payload }) => (
            <section aria-label="Sample">
              <Text size="sm" mb="sm">
                {isGenerated
                  ? 'There is no stored event of this type. The values are examples.'
                  : 'The newest stored event of this type, as this webhook sends it.'}
              </Text>
              {!passes && (
                <Alert color="orange" variant="light" mb="sm" title="The filter excludes this event">
                  The webhook would not send it automatically.
                </Alert>
              )}
              <CodeBlock label="Sample payload" text={JSON.stringify(payload, null, 2)} />
            </section>
          )}
        </Loaded>
      )}
    </Stack>
  );
}
