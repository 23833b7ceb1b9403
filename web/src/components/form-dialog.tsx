import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel';
import { submitting } from './submitting';

interface FormDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** Label of the submit button. */
  readonly action: string;
  readonly mutation: { readonly mutate: () => void; readonly isPending: boolean; readonly error: unknown };
  /** Disables the submit button, while required input is missing. */
  readonly disabled?: boolean;
  /** Another action, left of the buttons. */
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}

/** A dialog with a form. Errors are shown below the fields, which keep their values. */
export function FormDialog({
  opened,
  onClose,
  title,
  action,
  mutation,
  disabled,
  extra,
  children,
}: FormDialogProps): ReactNode {
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <form onSubmit={submitting(mutation)}>
        <Stack>
          {children}
          {mutation.error !== null && <ErrorPanel error={mutation.error} />}
          <Group justify="flex-end">
            {extra}
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={mutation.isPending} disabled={disabled === true}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
