import { Kbd, Modal, SimpleGrid, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { nameOf, rowsOf } from './custom-shortcuts';
import { useSettings } from './settings';
import classes from './shortcuts-dialog.module.css';

interface ShortcutsDialogProps {
  /** Of the job. */
  readonly dimension: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Lists the keyboard shortcuts of a job. */
export function ShortcutsDialog({ dimension, opened, onClose }: ShortcutsDialogProps): ReactNode {
  const { keys } = useSettings();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Keyboard shortcuts"
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        {rowsOf(keys, dimension).map(({ title, rows }) => (
          <div key={title} role="group" aria-label={title}>
            <Title order={3} mb={8}>
              {title}
            </Title>
            <dl className={classes['keys']}>
              {rows.map(({ action, title: name, combinations }) => (
                <div key={action}>
                  <dt>{name}</dt>
                  <dd>
                    {combinations.map((combination) => (
                      <Kbd key={nameOf(combination)}>{nameOf(combination)}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </SimpleGrid>
    </Modal>
  );
}
