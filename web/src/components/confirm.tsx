import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
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

interface ConfirmButtonProps extends Omit<ConfirmProps, 'opened' | 'onClose'> {
  /** What the button says; the deed itself, if nothing else is given. */
  readonly children?: string;
  /** What screen readers say, where several buttons say the same. */
  readonly label?: string;
}

/** A button for something that cannot be undone: it asks first. */
export function ConfirmButton({ children, label, ...asked }: ConfirmButtonProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button size="xs" variant="subtle" color="red" aria-label={label} onClick={() => setAsking(true)}>
        {children ?? asked.action}
      </Button>
      <Confirm opened={isAsking} onClose={() => setAsking(false)} {...asked} />
    </>
  );
}
