import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api';
import { useUser } from '../../app/session';
import type { JobChange } from '../job-change';
import { JOB_VALUES } from '../job-value-select';
import { pageOf, useListState } from '../list-state';
import { ListToolbar } from '../list-toolbar';
import { useKnown } from '../names';
import { showProblem, showSuccess } from '../notify';
import { PagedList } from '../paged-list';
import { BulkBar } from './bulk-bar';
import { useOpenIssues } from '../open-issues';
import { type Selection, JobTable } from './job-table';
import { useJobRights, useSeesJobsAnywhere } from '../rights';
import { counted } from '../counted';

const PAGE_SIZE = 50;
const SORTS = [
  { value: '-id', label: 'Newest first' },
  { value: 'id', label: 'Oldest first' },
  { value: '-updated_date', label: 'Recently updated' },
];
const asOptions = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: value }));

interface JobListProps {
  /** Only the jobs of this task. */
  readonly taskId?: number;
  readonly empty: ReactNode;
}

/** A table of jobs that can be edited one by one, or several in one transaction. */
export function JobList({ taskId, empty }: JobListProps): ReactNode {
  const list = useListState(taskId === undefined ? '-id' : 'id');
  const user = useUser();
  const client = useQueryClient();
  const [selected, setSelected] = useState<Selection>(new Map());
  const isAnywhere = useSeesJobsAnywhere();
  const query = useQuery(
    pageOf('/api/jobs', list, {
      pageSize: PAGE_SIZE,
      filters: ['stage', 'state', 'assignee', 'project_id'],
      within: { task_id: taskId },
      isAnywhere,
    }),
  );
  const rights = useJobRights(query.data?.results ?? []);
  const openIssues = useOpenIssues(query.data?.results);
  const tasks = useKnown('tasks', taskId === undefined ? (query.data?.results ?? []).map((job) => job.task_id) : []);
  const change = useMutation({
    mutationFn: async ({ ids, what }: { readonly ids: readonly number[]; readonly what: JobChange }) =>
      unwrap(await api.PATCH('/api/jobs', { body: { ids: [...ids], ...what } as never })),
    onSuccess: async ({ count }) => {
      await Promise.all(['jobs', 'job', 'tasks', 'task'].map((key) => client.invalidateQueries({ queryKey: [key] })));
      if (count > 1) showSuccess(`${counted(count, 'job')} updated.`);
    },
    onError: (error) => {
      showProblem(error);
      void client.invalidateQueries({ queryKey: ['jobs'] }); // reset the fields to the saved values
    },
  });
  const remove = async (id: number): Promise<void> => {
    unwrap(await api.DELETE('/api/jobs/{id}', { params: { path: { id } } }));
    setSelected((before) => new Map([...before].filter(([each]) => each !== id)));
    await Promise.all(['jobs', 'tasks', 'task'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  };
  return (
    <>
      <ListToolbar
        list={list}
        what="jobs"
        placeholder="Task, project, assignee, state …"
        sorts={SORTS}
        filters={[
          { name: 'stage', label: 'Stage', options: asOptions(JOB_VALUES.stage.values) },
          { name: 'state', label: 'State', options: asOptions(JOB_VALUES.state.values) },
          { name: 'assignee', label: 'Assignee', options: [{ value: user.username, label: 'Me' }] },
        ]}
      />
      <PagedList query={query} list={list} pageSize={PAGE_SIZE} what="jobs" empty={empty}>
        {(jobs) => (
          <JobTable
            jobs={jobs}
            rights={rights}
            openIssues={openIssues}
            tasks={taskId === undefined ? tasks.rows : undefined}
            selected={selected}
            onSelect={setSelected}
            onChange={(job, what) => change.mutate({ ids: [job.id], what })}
            onDelete={remove}
          />
        )}
      </PagedList>
      {selected.size > 0 && (
        <BulkBar
          selected={selected}
          isBusy={change.isPending}
          onChange={(what, onSuccess) => change.mutate({ ids: [...selected.keys()], what }, { onSuccess })}
          onClear={() => setSelected(new Map())}
        />
      )}
    </>
  );
}
