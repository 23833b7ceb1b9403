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

/** What the webhook would get for an event, to look at and to try the target with. */
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
          placeholder="Choose one"
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
          Send it
        </Button>
        <Text size="sm" c="dimmed">
          Also while the webhook is off, and whatever the filter says.
        </Text>
      </Group>
      {send.data !== undefined && (
        <Outcome what="sample" delivery={send.data} onShow={onShow} onHide={() => send.reset()} />
      )}
      {event !== null && (
        <Loaded query={sample}>
          {({ is_made_up: isMadeUp, passes_filter: passes, payload }) => (
            <section aria-label="Sample">
              <Text size="sm" mb="sm">
                {isMadeUp
                  ? 'No such event is kept: the values are made up.'
                  : 'The newest such event that is kept, in the form in which this webhook gets it.'}
              </Text>
              {!passes && (
                <Alert color="orange" variant="light" mb="sm" title="The filter is false for it">
                  By itself it would not be sent.
                </Alert>
              )}
              <CodeBlock label="Payload of the sample" text={JSON.stringify(payload, null, 2)} />
            </section>
          )}
        </Loaded>
      )}
    </Stack>
  );
}
