import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { Page } from '../../components/page';
import { useMayMake } from '../../components/rights';
import { TaskList } from '../../components/task-list';
import { RestoreButton } from '../../components/restore-button';

export function Component(): ReactNode {
  const mayMake = useMayMake();
  const create = mayMake === true && (
    <Button component={Link} to="/tasks/new" leftSection={<Icon name="plus" size={16} />}>
      New task
    </Button>
  );
  return (
    <Page
      title="Tasks"
      subtitle="Images and videos to be annotated, in parts called jobs."
      actions={
        mayMake === true && (
          <>
            {create}
            <RestoreButton kind="task" />
          </>
        )
      }
    >
      <TaskList
        empty={
          <EmptyState
            icon="task"
            title="No tasks yet"
            text={
              mayMake !== false
                ? 'Drop images, a video, folders or an archive into a new task, say which labels it has, and share out its jobs.'
                : 'Tasks that you are given here appear in this list. Your work is under Jobs.'
            }
            action={create}
          />
        }
      />
    </Page>
  );
}
