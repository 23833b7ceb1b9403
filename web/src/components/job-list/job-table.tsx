import { Anchor, Checkbox, Group, Select, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { Job } from '../../app/api';
import { ActionsMenu } from '../actions-menu';
import { Confirm } from '../confirm';
import { type Column, DataTable } from '../data-table';
import { exchangeTarget, ExportDialog, ImportDialog } from '../exchange';
import { type JobChange, STAGES, STATES } from '../job-change';
import { TimeAgo } from '../time-ago';
import { UserSelect } from '../user-select';
import classes from './job-list.module.css';

type Change = (job: Job, what: JobChange) => void;

const JOB: Column<Job> = {
  title: 'Job',
  cell: ({ id, type }) => (
    <Group gap={8} wrap="nowrap">
      <img className={classes['preview']} src={`/api/jobs/${id}/preview`} alt="" loading="lazy" />
      <div>
        <Anchor underline="hover" component={Link} to={`/jobs/${id}`} fw={600} size="sm" textWrap="nowrap">
          Job {id}
        </Anchor>
        {type !== 'annotation' && (
          <Text size="xs" c="dimmed" textWrap="nowrap">
            {type.replaceAll('_', ' ')}
          </Text>
        )}
      </div>
    </Group>
  ),
};

const taskColumn = (names: ReadonlyMap<number, string>): Column<Job> => ({
  title: 'Task',
  isText: true,
  cell: ({ task_id: task }) => {
    const name = names.get(task);
    if (name === undefined) return <Text size="sm">Task {task}</Text>; // not to be seen by whoever has but the job
    return (
      <Anchor underline="hover" component={Link} to={`/tasks/${task}`} size="sm" lineClamp={2} title={name}>
        {name}
      </Anchor>
    );
  },
});

const FRAMES: Column<Job> = {
  title: 'Frames',
  cell: ({ start_frame: first, stop_frame: last }) => (
    <Text size="sm">{first === last ? first : `${first}–${last}`}</Text>
  ),
};

const assigneeColumn = (onChange: Change): Column<Job> => ({
  title: 'Assignee',
  cell: (job) => (
    <UserSelect
      label={`Assignee of job ${job.id}`}
      hiddenLabel
      size="xs"
      w={136}
      value={job.assignee}
      onChange={(assignee) => onChange(job, { assignee: assignee?.id ?? null })}
    />
  ),
});

/** One of few values, chosen where it stands. */
const valueColumn = (
  title: string,
  name: 'stage' | 'state',
  values: readonly string[],
  onChange: Change,
): Column<Job> => ({
  title,
  cell: (job) => (
    <Select
      size="xs"
      w={112}
      aria-label={`${title} of job ${job.id}`}
      allowDeselect={false}
      data={[...values]}
      value={job[name]}
      onChange={(value) => onChange(job, { [name]: value })}
    />
  ),
});

const ISSUES: Column<Job> = {
  title: 'Issues',
  cell: ({ issues: { count } }) => <Text size="sm">{count === 0 ? '–' : count}</Text>,
};

const CHANGED: Column<Job> = {
  title: 'Changed',
  cell: ({ updated_date: date }) => (
    <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
      <TimeAgo date={date} />
    </Text>
  ),
};

interface Exchange {
  readonly job: Job;
  /** Null once the dialog is closed. */
  readonly kind: 'export' | 'import' | null;
}

interface JobTableProps {
  readonly jobs: readonly Job[];
  /** Names of the jobs' tasks, as far as they are known; undefined where all are of one task. */
  readonly taskNames: ReadonlyMap<number, string> | undefined;
  readonly chosen: ReadonlySet<number>;
  readonly onChoose: (ids: ReadonlySet<number>) => void;
  readonly onChange: Change;
  readonly onDelete: (id: number) => Promise<void>;
}

/** Jobs of one page of the list, to be chosen, changed, exported and imported into. */
export function JobTable({ jobs, taskNames, chosen, onChoose, onChange, onDelete }: JobTableProps): ReactNode {
  const [first] = jobs;
  const [exchange, setExchange] = useState<Exchange | null>(first === undefined ? null : { job: first, kind: null });
  const target = exchange && exchangeTarget('job', exchange.job, `job ${exchange.job.id}`);
  const close = (): void => setExchange((known) => known && { ...known, kind: null });
  const [doomed, setDoomed] = useState<Job | null>(null);
  const columns = [
    choiceColumn(jobs, chosen, onChoose),
    JOB,
    ...(taskNames === undefined ? [] : [taskColumn(taskNames)]),
    FRAMES,
    assigneeColumn(onChange),
    valueColumn('Stage', 'stage', STAGES, onChange),
    valueColumn('State', 'state', STATES, onChange),
    ISSUES,
    CHANGED,
    actionsColumn((job, kind) => setExchange({ job, kind }), setDoomed),
  ];
  return (
    <>
      <DataTable
        rows={jobs}
        columns={columns}
        keyOf={({ id }) => id}
        minWidth={860}
        verticalSpacing={8}
        isMarked={({ id }) => chosen.has(id)}
      />
      {target !== null && <ExportDialog target={target} opened={exchange?.kind === 'export'} onClose={close} />}
      {target !== null && <ImportDialog target={target} opened={exchange?.kind === 'import'} onClose={close} />}
      <Confirm
        opened={doomed !== null}
        onClose={() => setDoomed(null)}
        title={`Delete job ${doomed?.id ?? ''}?`}
        text="Its annotations of ground truth and its issues go with it. This cannot be undone."
        action="Delete the job"
        onConfirm={async () => onDelete(doomed?.id ?? 0)}
      />
    </>
  );
}

function choiceColumn(
  jobs: readonly Job[],
  chosen: ReadonlySet<number>,
  onChoose: (ids: ReadonlySet<number>) => void,
): Column<Job> {
  const all = jobs.every(({ id }) => chosen.has(id));
  const toggle = (toggled: readonly Job[], on: boolean): void => {
    const next = new Set(chosen);
    for (const { id } of toggled) {
      if (on) next.add(id);
      else next.delete(id);
    }
    onChoose(next);
  };
  return {
    title: 'Choice',
    head: (
      <Checkbox
        aria-label="Choose all jobs of this page"
        checked={all}
        indeterminate={!all && jobs.some(({ id }) => chosen.has(id))}
        onChange={(event) => toggle(jobs, event.currentTarget.checked)}
      />
    ),
    width: 40,
    cell: (job) => (
      <Checkbox
        aria-label={`Choose job ${job.id}`}
        checked={chosen.has(job.id)}
        onChange={(event) => toggle([job], event.currentTarget.checked)}
      />
    ),
  };
}

const actionsColumn = (
  onExchange: (job: Job, kind: 'export' | 'import') => void,
  onDelete: (job: Job) => void,
): Column<Job> => ({
  title: 'Actions',
  isActions: true,
  cell: (job) => (
    <ActionsMenu
      of={`job ${job.id}`}
      actions={[
        { title: 'Export', icon: 'download', onClick: () => onExchange(job, 'export') },
        { title: 'Import annotations', icon: 'upload', onClick: () => onExchange(job, 'import') },
        ...(job.type === 'ground_truth'
          ? [{ title: 'Delete', icon: 'trash' as const, isDangerous: true, onClick: () => onDelete(job) }]
          : []),
      ]}
    />
  ),
});
