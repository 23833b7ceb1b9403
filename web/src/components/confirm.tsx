import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ErrorPanel } from './error-panel';

interface ConfirmProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly text: ReactNode;
  /** Label of the button. */
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks for confirmation of something that cannot be undone. Errors are shown in the dialog, which stays open. */
export function Confirm({ opened, onClose, title, text, action, onConfirm }: ConfirmProps): ReactNode {
  const mutation = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = (): void => {
    mutation.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} centered>
      <Stack>
        <Text size="sm" component="div">
          {text}
        </Text>
        {mutation.error !== null && <ErrorPanel error={mutation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={mutation.isPending} onClick={() => mutation.mutate()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface ConfirmButtonProps extends Omit<ConfirmProps, 'opened' | 'onClose'> {
  /** Label of the button that opens the dialog. Default: `action`. */
  readonly children?: string;
  /** Accessible name, where several buttons have the same label. */
  readonly label?: string;
}

/** A button that asks for confirmation. */
export function ConfirmButton({ children, label, ...confirm }: ConfirmButtonProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button size="xs" variant="subtle" color="red" aria-label={label} onClick={() => setAsking(true)}>
        {children ?? confirm.action}
      </Button>
      <Confirm opened={isAsking} onClose={() => setAsking(false)} {...confirm} />
    </>
  );
}
