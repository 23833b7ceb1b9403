import { Anchor, Badge, Button, Group, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { lazy, memo, type ReactNode, Suspense } from 'react';
import { Link, useNavigate } from 'react-router';
import { api, inOrganization, type Job, type Presence } from '../../../app/api';
import type { JobChange } from '../../../components/job-change';
import { JOB_VALUES, JobValueSelect } from '../../../components/job-value-select';
import { showProblem, showSuccess } from '../../../components/notify';
import { displayName } from '../../../components/person';
import { UserSelect } from '../../../components/user-select';
import { jobKey } from '../data/job-queries';
import type { Surroundings } from '../data/queries';
import classes from '../job-page.module.css';
import { GuideButton } from './guide-button';

// Loaded when it is known who is in the job.
const People = lazy(async () => ({ default: (await import('../people/people')).People }));

const followCheck = async (job: Job): Promise<void> =>
  (await import('../quality-check')).followQualityCheck(job).catch(() => undefined);

interface TopBarProps {
  readonly job: Job;
  readonly surroundings: Surroundings | undefined;
  /** The people who have the job open; undefined while they are unknown. */
  readonly people: Presence['people'] | undefined;
  /** Runs before the job changes, because its next worker must find everything. */
  readonly saveAnnotations: () => Promise<void>;
}

/** The name and progress of the job. Fields that the user can change are editable. */
export const TopBar = memo(function TopBar({ job, surroundings, people, saveAnnotations }: TopBarProps): ReactNode {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: async (body: JobChange) => {
      await saveAnnotations();
      return unwrap(await api.PATCH('/api/jobs/{id}', { params: { path: { id: job.id } }, body }));
    },
    onSuccess: async (changed) => {
      client.setQueryData(jobKey(job.id), changed);
      showSuccess(`Job ${job.id} updated.`);
      if (changed.state === 'completed' && job.state !== 'completed') void followCheck(changed);
      await Promise.all(['jobs', 'tasks', 'task'].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
    onError: showProblem,
  });
  const { rights } = surroundings ?? {};
  return (
    <header className={classes['top']}>
      <Group gap={10} wrap="nowrap" className={classes['name']}>
        <Title order={1} size="h4" textWrap="nowrap">
          Job {job.id}
        </Title>
        {job.type !== 'annotation' && <Badge variant="default">{job.type.replaceAll('_', ' ')}</Badge>}
        {surroundings?.seesTask === true ? (
          <Anchor component={Link} to={`/tasks/${job.task_id}`} size="sm" truncate title={job.task_name}>
            {job.task_name}
          </Anchor>
        ) : (
          <Text size="sm" c="dimmed" truncate title={job.task_name}>
            {job.task_name}
          </Text>
        )}
        <NextJobButton job={job} organization={surroundings?.organization} />
        {job.guide_id !== null && <GuideButton id={job.guide_id} />}
      </Group>
      <Group gap={8} wrap="nowrap" className={classes['facts']}>
        {people !== undefined && (
          <Suspense fallback={null}>
            <People people={people} />
          </Suspense>
        )}
        {(['stage', 'state'] as const).map((name) =>
          rights?.[JOB_VALUES[name].right] === true ? (
            <JobValueSelect
              key={name}
              name={name}
              of="of the job"
              value={job[name]}
              resetsState={job.state !== 'new'}
              width={128}
              isDisabled={change.isPending}
              onChange={change.mutate}
            />
          ) : (
            <Badge key={name} variant="default" size="lg" radius="sm" tt="none" fw={500}>
              {JOB_VALUES[name].title}: {job[name]}
            </Badge>
          ),
        )}
        {rights?.changeAssignee === true ? (
          <UserSelect
            label="Assignee"
            hiddenLabel
            size="xs"
            w={170}
            value={job.assignee}
            disabled={change.isPending}
            onChange={(user) => change.mutate({ assignee: user?.id ?? null })}
          />
        ) : (
          <Text size="sm" c="dimmed" truncate maw={190} title={job.assignee?.username ?? ''}>
            Assigned to {job.assignee === null ? 'nobody' : displayName(job.assignee)}
          </Text>
        )}
      </Group>
    </header>
  );
});

interface NextJobButtonProps {
  readonly job: Job;
  /** Slug of the job's organization, in which maintainers see all jobs. Empty if the user is not a member. */
  readonly organization: string | undefined;
}

/** Opens the next job of the task that the user can see; after the last one, the first that is not completed. */
function NextJobButton({ job, organization }: NextJobButtonProps): ReactNode {
  const navigate = useNavigate();
  const go = useMutation({
    mutationFn: async () => {
      const first = async (filter: object): Promise<Job | undefined> => {
        const query = { task_id: job.task_id, filter: JSON.stringify(filter), sort: 'id', page_size: '1' };
        const headers = inOrganization(organization);
        return unwrap(await api.GET('/api/jobs', { params: { query: query as never }, headers })).results[0];
      };
      const isBefore = { '<': [{ var: 'id' }, job.id] };
      return (
        (await first({ '>': [{ var: 'id' }, job.id] })) ??
        (await first({ and: [isBefore, { '!': { '==': [{ var: 'state' }, 'completed'] } }] }))
      );
    },
    onSuccess: (next) =>
      next === undefined ? showSuccess('This is your last job in this task.') : navigate(`/jobs/${next.id}`),
    onError: showProblem,
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      flex="none"
      disabled={organization === undefined} // without it, jobs of others would be missing
      loading={go.isPending}
      onClick={() => go.mutate()}
    >
      Next job
    </Button>
  );
}
