import { Anchor, Button, Checkbox, Group, Select, Table, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { api, type BasicUser, type Job } from '../app/api';
import { useUser } from '../app/session';
import { ActionsMenu } from './actions-menu';
import { Confirm } from './confirm';
import { ExportDialog, ImportDialog } from './exchange';
import classes from './job-list.module.css';
import { given, useListState } from './list-state';
import { ListToolbar } from './list-toolbar';
import { showProblem, showSuccess } from './notify';
import { PagedList } from './paged-list';
import { TimeAgo } from './time-ago';
import { UserSelect } from './user-select';

const PAGE_SIZE = 50;
const STAGES = ['annotation', 'validation', 'acceptance'] as const;
const STATES = ['new', 'in progress', 'completed', 'rejected'] as const;
const SORTS = [
  { value: '-id', label: 'Newest first' },
  { value: 'id', label: 'Oldest first' },
  { value: '-updated_date', label: 'Last changed' },
];
const asChoices = (values: readonly string[]): { value: string; label: string }[] =>
  values.map((value) => ({ value, label: value }));

interface JobListProps {
  /** Only the jobs of this task. */
  readonly taskId?: number;
  readonly empty: ReactNode;
}

interface JobChange {
  readonly assignee?: number | null;
  readonly stage?: Job['stage'];
  readonly state?: Job['state'];
}

/** Jobs in a table: each can be assigned and moved on, and several at once, in one commit. */
export function JobList({ taskId, empty }: JobListProps): ReactNode {
  const list = useListState(taskId === undefined ? '-id' : 'id');
  const user = useUser();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const filters = {
    stage: list.filter('stage'),
    state: list.filter('state'),
    assignee: list.filter('assignee'),
    project_id: list.filter('project_id'),
  };
  const query = useQuery({
    queryKey: ['jobs', taskId ?? null, list.page, list.search, list.sort, filters],
    queryFn: async ({ signal }) => {
      const conditions = given({ search: list.search, task_id: taskId, ...filters });
      const page = { page: list.page, page_size: String(PAGE_SIZE), sort: list.sort };
      return unwrap(await api.GET('/api/jobs', { params: { query: { ...page, ...conditions } as never }, signal }));
    },
    placeholderData: keepPreviousData,
  });
  const change = useMutation({
    mutationFn: async ({ ids, what }: { readonly ids: readonly number[]; readonly what: JobChange }) =>
      unwrap(await api.PATCH('/api/jobs', { body: { ids: [...ids], ...what } as never })),
    onSuccess: async ({ count }) => {
      await Promise.all(['jobs', 'job', 'tasks', 'task'].map((key) => client.invalidateQueries({ queryKey: [key] })));
      if (count > 1) showSuccess(`${count} jobs changed.`);
    },
    onError: (error) => {
      showProblem(error);
      void client.invalidateQueries({ queryKey: ['jobs'] }); // the fields show the truth again
    },
  });
  const remove = async (id: number): Promise<void> => {
    unwrap(await api.DELETE('/api/jobs/{id}', { params: { path: { id } } }));
    setChosen((before) => new Set([...before].filter((each) => each !== id)));
    await Promise.all(['jobs', 'tasks', 'task'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  };
  return (
    <>
      <ListToolbar
        list={list}
        what="jobs"
        sorts={SORTS}
        filters={[
          { name: 'stage', label: 'Stage', options: asChoices(STAGES) },
          { name: 'state', label: 'State', options: asChoices(STATES) },
          { name: 'assignee', label: 'Assignee', options: [{ value: user.username, label: 'Me' }] },
        ]}
      />
      {chosen.size > 0 && (
        <BulkBar
          count={chosen.size}
          isBusy={change.isPending}
          onChange={(what) => change.mutate({ ids: [...chosen], what })}
          onClear={() => setChosen(new Set())}
        />
      )}
      <PagedList query={query} list={list} pageSize={PAGE_SIZE} what="jobs" empty={empty}>
        {(jobs) => (
          <JobTable
            jobs={jobs}
            withTask={taskId === undefined}
            chosen={chosen}
            onChoose={setChosen}
            onChange={(job, what) => change.mutate({ ids: [job.id], what })}
            onDelete={remove}
          />
        )}
      </PagedList>
    </>
  );
}

interface BulkBarProps {
  readonly count: number;
  readonly isBusy: boolean;
  readonly onChange: (what: JobChange) => void;
  readonly onClear: () => void;
}

function BulkBar({ count, isBusy, onChange, onClear }: BulkBarProps): ReactNode {
  const [assignee, setAssignee] = useState<BasicUser | null>(null);
  return (
    <section className={classes['bulk']} aria-label="Change the chosen jobs">
      <Text size="sm" fw={600} aria-live="polite">
        {count} chosen
      </Text>
      <UserSelect
        label="Assignee for the chosen jobs"
        hiddenLabel
        size="xs"
        value={assignee}
        onChange={setAssignee}
        w={170}
      />
      <Button
        size="xs"
        variant="default"
        disabled={isBusy}
        onClick={() => onChange({ assignee: assignee?.id ?? null })}
      >
        {assignee === null ? 'Take the assignee away' : 'Assign'}
      </Button>
      <Select
        size="xs"
        w={140}
        aria-label="Stage for the chosen jobs"
        placeholder="Set stage"
        disabled={isBusy}
        data={[...STAGES]}
        value={null}
        onChange={(stage) => (stage === null ? undefined : onChange({ stage: stage }))}
      />
      <Select
        size="xs"
        w={140}
        aria-label="State for the chosen jobs"
        placeholder="Set state"
        disabled={isBusy}
        data={[...STATES]}
        value={null}
        onChange={(state) => (state === null ? undefined : onChange({ state: state }))}
      />
      <Button size="xs" variant="subtle" onClick={onClear}>
        Choose none
      </Button>
    </section>
  );
}

interface JobTableProps {
  readonly jobs: readonly Job[];
  readonly withTask: boolean;
  readonly chosen: ReadonlySet<number>;
  readonly onChoose: (ids: ReadonlySet<number>) => void;
  readonly onChange: (job: Job, what: JobChange) => void;
  readonly onDelete: (id: number) => Promise<void>;
}

function JobTable({ jobs, withTask, chosen, onChoose, onChange, onDelete }: JobTableProps): ReactNode {
  const [exchange, setExchange] = useState<{ readonly job: Job; readonly kind: 'export' | 'import' } | null>(null);
  const [doomed, setDoomed] = useState<Job | null>(null);
  const all = jobs.every(({ id }) => chosen.has(id));
  const toggle = (ids: readonly number[], on: boolean): void => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    onChoose(next);
  };
  const target = { kind: 'job' as const, id: exchange?.job.id ?? 0, name: `job ${exchange?.job.id ?? ''}` };
  return (
    <div className="panel table-scroll">
      <Table verticalSpacing={8} miw={860} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={40}>
              <Checkbox
                aria-label="Choose all jobs of this page"
                checked={all}
                indeterminate={!all && jobs.some(({ id }) => chosen.has(id))}
                onChange={(event) =>
                  toggle(
                    jobs.map(({ id }) => id),
                    event.currentTarget.checked,
                  )
                }
              />
            </Table.Th>
            <Table.Th>Job</Table.Th>
            {withTask && <Table.Th>Task</Table.Th>}
            <Table.Th>Frames</Table.Th>
            <Table.Th>Assignee</Table.Th>
            <Table.Th>Stage</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Issues</Table.Th>
            <Table.Th>Changed</Table.Th>
            <Table.Th>
              <span className="visually-hidden">Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {jobs.map((job) => (
            <Table.Tr key={job.id} {...(chosen.has(job.id) ? { bg: 'var(--mantine-color-slate-light)' } : {})}>
              <Table.Td>
                <Checkbox
                  aria-label={`Choose job ${job.id}`}
                  checked={chosen.has(job.id)}
                  onChange={(event) => toggle([job.id], event.currentTarget.checked)}
                />
              </Table.Td>
              <Table.Td>
                <Group gap={8} wrap="nowrap">
                  <img className={classes['preview']} src={`/api/jobs/${job.id}/preview`} alt="" loading="lazy" />
                  <Anchor underline="hover" component={Link} to={`/jobs/${job.id}`} fw={600} size="sm">
                    Job {job.id}
                  </Anchor>
                  {job.type !== 'annotation' && (
                    <Text size="xs" c="dimmed">
                      {job.type.replaceAll('_', ' ')}
                    </Text>
                  )}
                </Group>
              </Table.Td>
              {withTask && (
                <Table.Td>
                  <Anchor underline="hover" component={Link} to={`/tasks/${job.task_id}`} size="sm">
                    Task {job.task_id}
                  </Anchor>
                </Table.Td>
              )}
              <Table.Td>
                <Text size="sm">
                  {job.start_frame}–{job.stop_frame}
                </Text>
              </Table.Td>
              <Table.Td>
                <UserSelect
                  label={`Assignee of job ${job.id}`}
                  hiddenLabel
                  size="xs"
                  w={150}
                  value={job.assignee}
                  onChange={(assignee) => onChange(job, { assignee: assignee?.id ?? null })}
                />
              </Table.Td>
              <Table.Td>
                <Select
                  size="xs"
                  w={120}
                  aria-label={`Stage of job ${job.id}`}
                  allowDeselect={false}
                  data={[...STAGES]}
                  value={job.stage}
                  onChange={(stage) => onChange(job, { stage: stage as Job['stage'] })}
                />
              </Table.Td>
              <Table.Td>
                <Select
                  size="xs"
                  w={120}
                  aria-label={`State of job ${job.id}`}
                  allowDeselect={false}
                  data={[...STATES]}
                  value={job.state}
                  onChange={(state) => onChange(job, { state: state as Job['state'] })}
                />
              </Table.Td>
              <Table.Td>
                <Text size="sm">{job.issues.count === 0 ? '–' : job.issues.count}</Text>
              </Table.Td>
              <Table.Td>
                <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                  <TimeAgo date={job.updated_date} />
                </Text>
              </Table.Td>
              <Table.Td>
                <ActionsMenu
                  of={`job ${job.id}`}
                  actions={[
                    { title: 'Export', icon: 'download', onClick: () => setExchange({ job, kind: 'export' }) },
                    {
                      title: 'Import annotations',
                      icon: 'upload',
                      onClick: () => setExchange({ job, kind: 'import' }),
                    },
                    ...(job.type === 'ground_truth'
                      ? [
                          {
                            title: 'Delete',
                            icon: 'trash' as const,
                            isDangerous: true,
                            onClick: () => setDoomed(job),
                          },
                        ]
                      : []),
                  ]}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <ExportDialog target={target} opened={exchange?.kind === 'export'} onClose={() => setExchange(null)} />
      <ImportDialog target={target} opened={exchange?.kind === 'import'} onClose={() => setExchange(null)} />
      <Confirm
        opened={doomed !== null}
        onClose={() => setDoomed(null)}
        title={`Delete job ${doomed?.id ?? ''}?`}
        text="Its annotations of ground truth and its issues go with it. This cannot be undone."
        action="Delete the job"
        onConfirm={async () => onDelete(doomed?.id ?? 0)}
      />
    </div>
  );
}
