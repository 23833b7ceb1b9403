import { Kbd, Modal, SimpleGrid, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { keyNames, SHORTCUTS } from '../data/shortcuts';
import classes from './shortcuts-dialog.module.css';

/** Lists all keyboard shortcuts. */
export function ShortcutsDialog({
  opened,
  onClose,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Keyboard shortcuts"
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        {SHORTCUTS.map(({ title, shortcuts }) => (
          <div key={title} role="group" aria-label={title}>
            <Title order={3} mb={8}>
              {title}
            </Title>
            <dl className={classes['keys']}>
              {shortcuts.map((shortcut) => (
                <div key={keyNames(shortcut).join()}>
                  <dt>{shortcut.title}</dt>
                  <dd>
                    {keyNames(shortcut).map((name) => (
                      <Kbd key={name}>{name}</Kbd>
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
