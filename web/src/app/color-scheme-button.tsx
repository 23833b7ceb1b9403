import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../components/icons';

export function ColorSchemeButton(): ReactNode {
  const { setColorScheme } = useMantineColorScheme();
  const present = useComputedColorScheme('light');
  const other = present === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={`Use ${other} colours`}
      onClick={() => setColorScheme(other)}
    >
      <Icon name={present === 'dark' ? 'sun' : 'moon'} />
    </ActionIcon>
  );
}
