import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOrganizationSlug } from '../../app/organization';
import { useOrganizations, useSwitchOrganization } from '../../app/organization-menu';
import { EmptyState } from '../../components/empty-state';
import { JobList } from '../../components/job-list';
import { Page } from '../../components/page';
import { useSeesJobsAnywhere } from '../../components/rights';

export const Component = (): ReactNode => (
  <Page title="Jobs" subtitle="Parts of tasks, each for one person at a time.">
    <JobList empty={<NoJobs />} />
  </Page>
);

const OFFERED = 5;

/** What is true of an empty list: in the personal space, jobs of organizations are not in it. */
function NoJobs(): ReactNode {
  const slug = useOrganizationSlug();
  const isAnywhere = useSeesJobsAnywhere();
  const { data: organizations = [] } = useOrganizations();
  const switchTo = useSwitchOrganization('/jobs');
  if (slug !== '' || isAnywhere || organizations.length === 0)
    return (
      <EmptyState
        icon="job"
        title="No jobs yet"
        text="The server splits a task into jobs when it has processed the images. Jobs that are assigned to you appear here, too."
      />
    );
  return (
    <EmptyState
      icon="job"
      title="No jobs in your personal space"
      text="Jobs of an organization are listed when you work in it. Switch to one with the menu at the top, or here."
      action={
        <Group gap="xs" justify="center">
          {organizations.slice(0, OFFERED).map((each) => (
            <Button key={each.id} variant="default" onClick={() => switchTo(each.slug)}>
              {`Switch to ${each.name || each.slug}`}
            </Button>
          ))}
        </Group>
      }
    />
  );
}
