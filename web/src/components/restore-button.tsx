import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { RestoreDialog } from './exchange';
import { Icon } from './icons';

/** Opens the dialog that creates a project or task from a backup. */
export function RestoreButton({ kind }: { readonly kind: 'project' | 'task' }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<Icon name="upload" size={16} />} onClick={() => setOpen(true)}>
        Restore backup
      </Button>
      <RestoreDialog kind={kind} opened={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
