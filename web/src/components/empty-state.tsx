import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';
import { Icon, type IconName } from './icons';

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text: ReactNode;
  readonly action?: ReactNode;
}

/** Shown in place of an empty list: what it would contain, and how to start. */
export const EmptyState = ({ icon, title, text, action }: EmptyStateProps): ReactNode => (
  <div className={classes['frame']}>
    <span className={classes['icon']}>
      <Icon name={icon} size={28} />
    </span>
    <Title order={2} size="h3">
      {title}
    </Title>
    <Text c="dimmed" size="sm" maw={460}>
      {text}
    </Text>
    {action}
  </div>
);
