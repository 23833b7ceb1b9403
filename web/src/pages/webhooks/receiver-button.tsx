import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon } from '../../components/icons';
import { showProblem } from '../../components/notify';
import { makeReceiver, newSecret, RECEIVERS, useReceivers } from './receivers';

interface ReceiverButtonProps {
  /** That is typed already; empty: one is made. */
  readonly secret: string;
  readonly onMade: (address: string, secret: string) => void;
}

/** Makes a receiver of the server the target, with a secret that both know. Not there where they are switched off. */
export function ReceiverButton({ secret, onMade }: ReceiverButtonProps): ReactNode {
  const client = useQueryClient();
  const receivers = useReceivers();
  const make = useMutation({
    mutationFn: async () => {
      const shared = secret === '' ? newSecret() : secret;
      return { url: (await makeReceiver(shared)).url, shared };
    },
    onSuccess: ({ url, shared }) => {
      onMade(url, shared);
      void client.invalidateQueries({ queryKey: RECEIVERS });
    },
    onError: showProblem,
  });
  if (receivers.data === undefined) return null;
  return (
    <Group gap="xs" mt={-8}>
      <Button
        size="compact-sm"
        variant="default"
        loading={make.isPending}
        leftSection={<Icon name="webhook" size={14} />}
        onClick={() => make.mutate()}
      >
        Use a receiver of this server
      </Button>
      <Text size="xs" c="dimmed">
        To see what arrives, and whether the signature is right.
      </Text>
    </Group>
  );
}
