import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Task } from '../app/api';
import { useUser } from '../app/session';
import { Card } from './card';
import { JobProgress } from './job-progress';
import { pageOf, useListState } from './list-state';
import { ListToolbar } from './list-toolbar';
import { PagedList } from './paged-list';
import { Person } from './person';
import { Status } from './status';
import { TimeAgo } from './time-ago';
import { counted } from './counted';

const PAGE_SIZE = 24;
const SORTS = [
  { value: '-id', label: 'Newest first' },
  { value: 'id', label: 'Oldest first' },
  { value: '-updated_date', label: 'Recently updated' },
  { value: 'name', label: 'Name' },
];
const STATUSES = ['annotation', 'validation', 'completed'].map((value) => ({ value, label: value }));

interface TaskListProps {
  /** Only the tasks of this project. */
  readonly projectId?: number;
  readonly empty: ReactNode;
}

/** A paginated list of task cards. */
export function TaskList({ projectId, empty }: TaskListProps): ReactNode {
  const list = useListState('-id');
  const user = useUser();
  const query = useQuery(
    pageOf('/api/tasks', list, {
      pageSize: PAGE_SIZE,
      filters: ['status', 'assignee', 'owner', 'subset'],
      within: { project_id: projectId },
    }),
  );
  const mine = [{ value: user.username, label: 'Me' }];
  return (
    <>
      <ListToolbar
        list={list}
        what="tasks"
        sorts={SORTS}
        filters={[
          { name: 'status', label: 'Status', options: STATUSES },
          { name: 'assignee', label: 'Assignee', options: mine },
          { name: 'owner', label: 'Owner', options: mine },
        ]}
      />
      <PagedList query={query} list={list} pageSize={PAGE_SIZE} what="tasks" empty={empty}>
        {(tasks) => (
          <ul className="cards" aria-label="Tasks">
            {tasks.map((task) => (
              <TaskCard key={task.id} task={task} />
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

function TaskCard({ task }: { readonly task: Task }): ReactNode {
  const frames = task.size ?? 0;
  return (
    <Card
      to={`/tasks/${task.id}`}
      title={task.name}
      preview={frames === 0 ? null : `/api/tasks/${task.id}/preview`}
      badge={<Status value={task.status} />}
    >
      <JobProgress jobs={task.jobs} />
      <Group justify="space-between" wrap="nowrap" gap="xs" mt="auto">
        <Person user={task.assignee ?? task.owner} />
        <Text size="xs" c="dimmed" ta="right">
          #{task.id} · {counted(frames, 'frame')}
          {task.subset === '' ? '' : ` · ${task.subset}`}
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        Updated <TimeAgo date={task.updated_date} />
      </Text>
    </Card>
  );
}
