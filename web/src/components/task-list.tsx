import { Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import type { ReactNode } from 'react';
import { api, type Task } from '../app/api';
import { useUser } from '../app/session';
import { Card } from './card';
import { JobProgress } from './job-progress';
import { given, useListState } from './list-state';
import { ListToolbar } from './list-toolbar';
import { PagedList } from './paged-list';
import { Person } from './person';
import { Status } from './status';
import { TimeAgo } from './time-ago';

const PAGE_SIZE = 24;
const SORTS = [
  { value: '-id', label: 'Newest first' },
  { value: 'id', label: 'Oldest first' },
  { value: '-updated_date', label: 'Last changed' },
  { value: 'name', label: 'Name' },
];
const STATUSES = ['annotation', 'validation', 'completed'].map((value) => ({ value, label: value }));

interface TaskListProps {
  /** Only the tasks of this project. */
  readonly projectId?: number;
  readonly empty: ReactNode;
}

/** Tasks as cards, page by page. */
export function TaskList({ projectId, empty }: TaskListProps): ReactNode {
  const list = useListState('-id');
  const user = useUser();
  const filters = {
    status: list.filter('status'),
    assignee: list.filter('assignee'),
    owner: list.filter('owner'),
    subset: list.filter('subset'),
  };
  const query = useQuery({
    queryKey: ['tasks', projectId ?? null, list.page, list.search, list.sort, filters],
    queryFn: async ({ signal }) => {
      const conditions = given({ search: list.search, project_id: projectId, ...filters });
      const page = { page: list.page, page_size: String(PAGE_SIZE), sort: list.sort };
      return unwrap(await api.GET('/api/tasks', { params: { query: { ...page, ...conditions } as never }, signal }));
    },
    placeholderData: keepPreviousData,
  });
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
          #{task.id} · {frames.toLocaleString('en')} {frames === 1 ? 'frame' : 'frames'}
          {task.subset === '' ? '' : ` · ${task.subset}`}
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        Changed <TimeAgo date={task.updated_date} />
      </Text>
    </Card>
  );
}
