import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel';
import { submitting } from './submitting';

interface FormDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What the button says: the deed itself. */
  readonly action: string;
  readonly deed: { readonly mutate: () => void; readonly isPending: boolean; readonly error: unknown };
  /** There is not yet enough to go by. */
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** Fields and one deed. A refusal is told below the fields, which stay. */
export function FormDialog({ opened, onClose, title, action, deed, disabled, children }: FormDialogProps): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <form onSubmit={submitting(deed)}>
        <Stack>
          {children}
          {deed.error !== null && <ErrorPanel error={deed.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={deed.isPending} disabled={disabled === true}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
