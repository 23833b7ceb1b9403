import { Anchor, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { api, type Job, type Task } from '../../app/api';
import { watchRequest } from '../../app/watched-requests';
import { Confirm } from '../../components/confirm';
import { counted } from '../../components/counted';
import { type Column, DataTable } from '../../components/data-table';
import { PageNumbers } from '../../components/page-numbers';
import { displayName } from '../../components/person';
import { startedOrRunning, useIsRunning } from '../../components/running-request';
import { Status } from '../../components/status';
import type { ReplicatedJob } from './replicas';

const PAGE_SIZE = 25;

interface ReplicaTableProps {
  readonly task: Task;
  readonly jobs: readonly ReplicatedJob[];
  readonly mayMerge: boolean;
}

/** The jobs with their replicas, and buttons that merge them. */
export function ReplicaTable({ task, jobs, mayMerge }: ReplicaTableProps): ReactNode {
  const [merged, setMerged] = useState<readonly ReplicatedJob[]>([]);
  const [isAsking, setAsking] = useState(false);
  const [page, setPage] = useState(1);
  const isRunning = useIsRunning(`action=merge&target=task&target_id=${task.id}`, ['jobs']);
  const ready = jobs.filter(({ isReady }) => isReady);
  const ask = (asked: readonly ReplicatedJob[]): void => {
    setMerged(asked);
    setAsking(true);
  };
  const columns = [...COLUMNS, ...(mayMerge ? [actionColumn((job) => ask([job]))] : [])];
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed" maw={720}>
          {ready.length} of {counted(jobs.length, 'job')} can be merged: the job is in the annotation stage, and work on
          at least one of its replicas has begun. Replicas that nobody has opened do not count.
        </Text>
        {mayMerge && (
          <Button disabled={ready.length === 0} loading={isRunning} onClick={() => ask(ready)}>
            Merge all jobs
          </Button>
        )}
      </Group>
      <DataTable
        rows={jobs.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
        columns={columns}
        keyOf={({ job: { id } }) => id}
        minWidth={680}
      />
      <PageNumbers label="Pages of jobs" pages={Math.ceil(jobs.length / PAGE_SIZE)} page={page} onChange={setPage} />
      <MergeDialog task={task} jobs={merged} opened={isAsking} onClose={() => setAsking(false)} />
    </>
  );
}

const JobLink = ({ job }: { readonly job: Job }): ReactNode => (
  <Anchor underline="hover" component={Link} to={`/jobs/${job.id}`} size="sm" textWrap="nowrap">
    Job {job.id}
  </Anchor>
);

const COLUMNS: readonly Column<ReplicatedJob>[] = [
  { title: 'Job', cell: ({ job }) => <JobLink job={job} /> },
  {
    title: 'Frames',
    cell: ({ job: { start_frame: first, stop_frame: last } }) => (first === last ? first : `${first}–${last}`),
  },
  {
    title: 'Stage and state',
    cell: ({ job: { stage, state } }) => (
      <>
        <Status value={stage} /> <Status value={state} />
      </>
    ),
  },
  {
    title: 'Replicas',
    cell: ({ replicas }) => (
      <ul style={{ margin: 0, padding: 0, listStyle: 'none' }}>
        {replicas.map((replica) => (
          <li key={replica.id}>
            <JobLink job={replica} />{' '}
            <Text span size="sm" c={replica.assignee === null ? 'dimmed' : ''}>
              {replica.assignee === null ? 'nobody' : displayName(replica.assignee)}
            </Text>{' '}
            <Status value={replica.stage === 'annotation' ? replica.state : replica.stage} />
          </li>
        ))}
      </ul>
    ),
  },
];

const actionColumn = (onMerge: (job: ReplicatedJob) => void): Column<ReplicatedJob> => ({
  title: 'Actions',
  isActions: true,
  cell: (row) =>
    row.isReady && (
      <Button size="xs" variant="default" aria-label={`Merge job ${row.job.id}`} onClick={() => onMerge(row)}>
        Merge
      </Button>
    ),
});

interface MergeDialogProps {
  readonly task: Task;
  /** One job, or all that are ready. */
  readonly jobs: readonly ReplicatedJob[];
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Warns about what a merge replaces. */
function MergeDialog({ task, jobs, opened, onClose }: MergeDialogProps): ReactNode {
  const client = useQueryClient();
  const [first] = jobs;
  const single = jobs.length === 1 && first !== undefined ? first.job : undefined;
  const what = single === undefined ? task.name : `job ${single.id}`;
  const merge = useMutation({
    mutationFn: () =>
      startedOrRunning(async () =>
        unwrap(
          await api.POST('/api/consensus/merges', {
            body: single === undefined ? { task_id: task.id } : { job_id: single.id },
          }),
        ),
      ),
    onSuccess: (id) => {
      void watchRequest(id, `Merge of ${what}`, 'The replicas are merged.');
      return client.invalidateQueries({ queryKey: ['requests', id] });
    },
  });
  const completed = jobs.filter(({ job: { state } }) => state === 'completed').length;
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={single === undefined ? `Merge ${counted(jobs.length, 'job')}?` : `Merge job ${single.id}?`}
      text={
        <>
          This replaces all annotations of {single === undefined ? 'these jobs' : 'the job'}, including manual changes,
          with the merged annotations of the replicas. The replicas stay as they are. This cannot be undone.
          {completed > 0 && (
            <Text size="sm" mt="xs" fw={600}>
              {single === undefined
                ? `${counted(completed, 'job')} among them ${completed === 1 ? 'is' : 'are'} completed, perhaps by an earlier merge.`
                : 'The job is completed, perhaps by an earlier merge.'}
            </Text>
          )}
        </>
      }
      action="Merge"
      onConfirm={() => merge.mutateAsync()}
    />
  );
}
