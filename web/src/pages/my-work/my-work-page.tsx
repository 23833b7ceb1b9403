import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Job, Organization } from '../../app/api';
import { lastFrames } from '../../app/last-frames';
import { useOrganizations } from '../../app/organization-menu';
import { useUser } from '../../app/session';
import { Card } from '../../components/card';
import { counted } from '../../components/counted';
import { EmptyState } from '../../components/empty-state';
import { UNFINISHED } from '../../components/job-change';
import { pageOf, useListState } from '../../components/list-state';
import { useOpenIssues } from '../../components/open-issues';
import { Page } from '../../components/page';
import { PagedList } from '../../components/paged-list';
import { Status } from '../../components/status';
import { TimeAgo } from '../../components/time-ago';

const PAGE_SIZE = 24;

/** The jobs that are assigned to the user, in all organizations and in the personal space. */
export function Component(): ReactNode {
  const user = useUser();
  const list = useListState('-updated_date');
  const isCompleted = list.filter('state') === 'completed';
  const query = useQuery(
    pageOf('/api/jobs', list, {
      pageSize: PAGE_SIZE,
      filters: ['state'],
      within: { assignee: user.username, filter: isCompleted ? undefined : UNFINISHED },
      isAnywhere: true,
    }),
  );
  const jobs = query.data?.results ?? [];
  const openIssues = useOpenIssues(jobs);
  const { data: organizations = [] } = useOrganizations();
  return (
    <Page title="My work" subtitle="Jobs that are assigned to you, in all organizations.">
      <SegmentedControl
        mb="md"
        aria-label="Jobs to show"
        data={[
          { value: '', label: 'To do' },
          { value: 'completed', label: 'Completed' },
        ]}
        value={isCompleted ? 'completed' : ''}
        onChange={(state) => list.set({ state })}
      />
      <PagedList
        query={query}
        list={{ ...list, isFiltered: false }} // each part has its own text if it is empty
        pageSize={PAGE_SIZE}
        what="jobs"
        empty={<Nothing isCompleted={isCompleted} />}
      >
        {(shown) => (
          <ul className="cards" aria-label="Jobs">
            {shown.map((job) => (
              <JobCard
                key={job.id}
                job={job}
                organization={organizations.find(({ id }) => id === job.organization)}
                openIssues={openIssues?.get(job.id) ?? 0}
              />
            ))}
          </ul>
        )}
      </PagedList>
    </Page>
  );
}

const Nothing = ({ isCompleted }: { readonly isCompleted: boolean }): ReactNode =>
  isCompleted ? (
    <EmptyState icon="job" title="No completed jobs" text="Jobs that you complete appear here." />
  ) : (
    <EmptyState
      icon="job"
      title="Nothing to do"
      text="Jobs appear here when somebody assigns them to you. You can also assign a job to yourself on the page of its task."
    />
  );

interface JobCardProps {
  readonly job: Job;
  /** Undefined in the personal space. */
  readonly organization: Organization | undefined;
  readonly openIssues: number;
}

function JobCard({ job, organization, openIssues }: JobCardProps): ReactNode {
  const { id, stage, state } = job;
  const frame = lastFrames.of(id);
  const to = frame === undefined ? `/jobs/${id}` : `/jobs/${id}?frame=${frame}`;
  const action = { new: 'Start', 'in progress': 'Continue', rejected: 'Continue', completed: 'Open' }[state];
  return (
    <Card to={to} title={job.task_name} preview={`/api/jobs/${id}/preview`} badge={<Status value={state} />}>
      <Text size="sm">
        Job {id} · {stage} · {counted(job.frame_count, 'frame')}
      </Text>
      <Text size="sm" c="dimmed">
        {organization === undefined ? 'Personal space' : organization.name || organization.slug}
        {openIssues > 0 && ` · ${counted(openIssues, 'open issue')}`}
      </Text>
      <Group justify="space-between" wrap="nowrap" gap="xs" mt="auto">
        <Text size="xs" c="dimmed">
          Updated <TimeAgo date={job.updated_date} />
        </Text>
        <Button
          component={Link}
          to={to}
          size="xs"
          pos="relative"
          variant={state === 'completed' ? 'default' : 'filled'}
        >
          {action}
          <span className="visually-hidden"> job {id}</span>
        </Button>
      </Group>
    </Card>
  );
}
