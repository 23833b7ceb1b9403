import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel';

interface ConfirmProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly text: ReactNode;
  /** What the button says: the deed itself. */
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks before something that cannot be undone. A refusal is told here, and the question stays. */
export function Confirm({ opened, onClose, title, text, action, onConfirm }: ConfirmProps): ReactNode {
  const deed = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = (): void => {
    deed.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} centered>
      <Stack>
        <Text size="sm" component="div">
          {text}
        </Text>
        {deed.error !== null && <ErrorPanel error={deed.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={deed.isPending} onClick={() => deed.mutate()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
