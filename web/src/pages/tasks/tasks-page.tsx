import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icons';
import { Page } from '../../components/page';
import { useMayCreate } from '../../components/rights';
import { TaskList } from '../../components/task-list';
import { RestoreButton } from '../../components/restore-button';

export function Component(): ReactNode {
  const mayCreate = useMayCreate();
  const create = mayCreate === true && (
    <Button component={Link} to="/tasks/new" leftSection={<Icon name="plus" size={16} />}>
      New task
    </Button>
  );
  return (
    <Page
      title="Tasks"
      subtitle="Images and videos to annotate, split into jobs."
      actions={
        mayCreate === true && (
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
              mayCreate !== false
                ? 'Create a task from images, a video, folders or an archive, define its labels, and assign its jobs.'
                : 'Tasks that are assigned to you appear here. Your jobs are on the Jobs page.'
            }
            action={create}
          />
        }
      />
    </Page>
  );
}
