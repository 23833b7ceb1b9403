import { Anchor, Checkbox, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { counted } from '../counted';
import type { Job } from '../../app/api';
import { ActionsMenu, type MenuAction } from '../actions-menu';
import { Confirm } from '../confirm';
import { type Column, DataTable } from '../data-table';
import { exchangeTarget, ExportDialog, ImportDialog } from '../exchange';
import type { JobChange } from '../job-change';
import { JOB_VALUES, type JobValueName, JobValueSelect } from '../job-value-select';
import { displayName } from '../person';
import type { JobRights } from '../rights';
import { TimeAgo } from '../time-ago';
import { UserSelect } from '../user-select';
import classes from './job-list.module.css';

type Change = (job: Job, what: JobChange) => void;
/** Undefined while loading. */
type RightsOf = ((job: Job) => JobRights) | undefined;

/** IDs of the selected jobs, with the user's permissions for each. */
export type Selection = ReadonlyMap<number, JobRights>;

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

/** @param visible tasks; users with access to the job only cannot open its task */
const taskColumn = (visible: ReadonlyMap<number, unknown>): Column<Job> => ({
  title: 'Task',
  isText: true,
  cell: ({ task_id: task, task_name: name }) =>
    visible.has(task) ? (
      <Anchor underline="hover" component={Link} to={`/tasks/${task}`} size="sm" lineClamp={2} title={name}>
        {name}
      </Anchor>
    ) : (
      <Text size="sm" lineClamp={2} title={name}>
        {name}
      </Text>
    ),
});

/** Ground truth has single frames of its task. */
function framesOf({ start_frame: first, stop_frame: last, frame_count: count }: Job): string {
  if (count < last - first + 1) return counted(count, 'frame');
  return first === last ? String(first) : `${first}–${last}`;
}

const FRAMES: Column<Job> = {
  title: 'Frames',
  cell: (job) => <Text size="sm">{framesOf(job)}</Text>,
};

const assigneeColumn = (rights: RightsOf, onChange: Change): Column<Job> => ({
  title: 'Assignee',
  cell: (job) =>
    rights?.(job).changeAssignee === false ? (
      <Text size="sm" truncate maw={136} title={job.assignee?.username ?? ''}>
        {job.assignee === null ? '–' : displayName(job.assignee)}
      </Text>
    ) : (
      <UserSelect
        label={`Assignee of job ${job.id}`}
        hiddenLabel
        size="xs"
        w={136}
        disabled={rights === undefined}
        value={job.assignee}
        onChange={(assignee) => onChange(job, { assignee: assignee?.id ?? null })}
      />
    ),
});

/** A field with a fixed set of values, editable in place. */
const valueColumn = (name: JobValueName, rights: RightsOf, onChange: Change): Column<Job> => {
  const { title, right } = JOB_VALUES[name];
  return {
    title,
    cell: (job) =>
      rights?.(job)[right] === false ? (
        <Text size="sm">{job[name]}</Text>
      ) : (
        <JobValueSelect
          name={name}
          of={`of job ${job.id}`}
          value={job[name]}
          resetsState={job.state !== 'new'}
          width={112}
          isDisabled={rights === undefined}
          onChange={(what) => onChange(job, what)}
        />
      ),
  };
};

const issuesColumn = (openIssues: ReadonlyMap<number, number> | undefined): Column<Job> => ({
  title: 'Open issues',
  cell: ({ id }) => <Text size="sm">{openIssues === undefined ? '…' : (openIssues.get(id) ?? '–')}</Text>,
});

const UPDATED: Column<Job> = {
  title: 'Updated',
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
  /** The tasks that the user can see, by id. Undefined if all jobs belong to one task. */
  readonly tasks: ReadonlyMap<number, unknown> | undefined;
  readonly rights: RightsOf;
  /** Number of unresolved issues by job. Undefined while loading. */
  readonly openIssues: ReadonlyMap<number, number> | undefined;
  readonly selected: Selection;
  readonly onSelect: (selected: Selection) => void;
  readonly onChange: Change;
  readonly onDelete: (id: number) => Promise<void>;
}

/** One page of jobs, with the controls that the user has permissions for. */
export function JobTable(props: JobTableProps): ReactNode {
  const { jobs, rights, openIssues, tasks, selected, onSelect, onChange, onDelete } = props;
  const [first] = jobs;
  const [exchange, setExchange] = useState<Exchange | null>(first === undefined ? null : { job: first, kind: null });
  const target = exchange && exchangeTarget('job', exchange.job, `job ${exchange.job.id}`);
  const close = (): void => setExchange((known) => known && { ...known, kind: null });
  const [deleting, setDeleting] = useState<Job | null>(null);
  const columns = [
    selectionColumn(jobs, rights, selected, onSelect),
    JOB,
    ...(tasks === undefined ? [] : [taskColumn(tasks)]),
    FRAMES,
    assigneeColumn(rights, onChange),
    valueColumn('stage', rights, onChange),
    valueColumn('state', rights, onChange),
    issuesColumn(openIssues),
    UPDATED,
    actionsColumn(rights, (job, kind) => setExchange({ job, kind }), setDeleting),
  ];
  return (
    <>
      <DataTable
        rows={jobs}
        columns={columns}
        keyOf={({ id }) => id}
        minWidth={860}
        verticalSpacing={8}
        isMarked={({ id }) => selected.has(id)}
      />
      {target !== null && <ExportDialog target={target} opened={exchange?.kind === 'export'} onClose={close} />}
      {target !== null && <ImportDialog target={target} opened={exchange?.kind === 'import'} onClose={close} />}
      <Confirm
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        title={`Delete job ${deleting?.id ?? ''}?`}
        text="This deletes its ground truth annotations and its issues. This cannot be undone."
        action="Delete job"
        onConfirm={async () => onDelete(deleting?.id ?? 0)}
      />
    </>
  );
}

/** Checkboxes for the jobs that the user can change. */
function selectionColumn(
  jobs: readonly Job[],
  rights: RightsOf,
  selected: Selection,
  onSelect: (selected: Selection) => void,
): Column<Job> {
  const rightsOf = new Map(jobs.map((job) => [job.id, rights?.(job)]));
  const changeable = jobs.filter(({ id }) => rightsOf.get(id)?.changeState === true);
  const all = changeable.length > 0 && changeable.every(({ id }) => selected.has(id));
  const toggle = (toggled: readonly Job[], on: boolean): void => {
    const next = new Map(selected);
    for (const { id } of toggled) {
      const theirs = rightsOf.get(id);
      if (on && theirs !== undefined) next.set(id, theirs);
      else next.delete(id);
    }
    onSelect(next);
  };
  return {
    title: 'Selection',
    head: (
      <Checkbox
        size="md"
        aria-label="Select all jobs on this page"
        disabled={changeable.length === 0}
        checked={all}
        indeterminate={!all && changeable.some(({ id }) => selected.has(id))}
        onChange={(event) => toggle(changeable, event.currentTarget.checked)}
      />
    ),
    width: 40,
    cell: (job) => (
      <Checkbox
        size="md"
        aria-label={`Select job ${job.id}`}
        disabled={!changeable.includes(job)}
        checked={selected.has(job.id)}
        onChange={(event) => toggle([job], event.currentTarget.checked)}
      />
    ),
  };
}

const actionsColumn = (
  rights: RightsOf,
  onExchange: (job: Job, kind: 'export' | 'import') => void,
  onDelete: (job: Job) => void,
): Column<Job> => ({
  title: 'Actions',
  isActions: true,
  cell: (job) => {
    const own = rights?.(job);
    const actions: MenuAction[] = [];
    if (own?.export === true)
      actions.push({ title: 'Export', icon: 'download', onClick: () => onExchange(job, 'export') });
    if (own?.importAnnotations === true)
      actions.push({ title: 'Import annotations', icon: 'upload', onClick: () => onExchange(job, 'import') });
    if (own?.delete === true && job.type === 'ground_truth')
      actions.push({ title: 'Delete', icon: 'trash', isDangerous: true, onClick: () => onDelete(job) });
    return <ActionsMenu of={`job ${job.id}`} actions={actions} />;
  },
});
