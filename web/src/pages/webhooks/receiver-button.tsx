import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon } from '../../components/icons';
import { showProblem } from '../../components/notify';
import { createReceiver, newSecret, RECEIVERS, useReceivers } from './receivers';

interface ReceiverButtonProps {
  /** The secret in the form. If empty, one is generated. */
  readonly secret: string;
  readonly onCreated: (url: string, secret: string) => void;
}

/** Creates a receiver with the webhook's secret and uses its URL as target. Hidden if receivers are disabled. */
export function ReceiverButton({ secret, onCreated }: ReceiverButtonProps): ReactNode {
  const client = useQueryClient();
  const receivers = useReceivers();
  const create = useMutation({
    mutationFn: async () => {
      const shared = secret === '' ? newSecret() : secret;
      return { url: (await createReceiver(shared)).url, shared };
    },
    onSuccess: ({ url, shared }) => {
      onCreated(url, shared);
      void client.invalidateQueries({ queryKey: RECEIVERS });
    },
    onError: showProblem,
  });
  if (receivers.data === undefined || receivers.data === null) return null;
  return (
    <Group gap="xs" mt={-8}>
      <Button
        size="compact-sm"
        variant="default"
        loading={create.isPending}
        leftSection={<Icon name="webhook" size={14} />}
        onClick={() => create.mutate()}
      >
        Use a receiver on this server
      </Button>
      <Text size="xs" c="dimmed">
        It shows the requests it receives and verifies their signatures.
      </Text>
    </Group>
  );
}
