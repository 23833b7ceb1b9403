import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOrganizationSlug } from '../../app/organization';
import { useOrganizations, useSwitchOrganization } from '../../app/organization-menu';
import { EmptyState } from '../../components/empty-state';
import { JobList } from '../../components/job-list';
import { Page } from '../../components/page';
import { useSeesJobsAnywhere } from '../../components/rights';

export const Component = (): ReactNode => (
  <Page title="Jobs" subtitle="Ranges of frames, each for one assignee.">
    <JobList empty={<NoJobs />} />
  </Page>
);

const MAX_SHOWN = 5;

/** Explains an empty list. In the personal space, it does not include jobs of organizations. */
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
        text="When you create a task, the server processes its images and splits them into jobs. Jobs that are assigned to you also appear here."
      />
    );
  return (
    <EmptyState
      icon="job"
      title="No jobs in your personal space"
      text="To see the jobs of an organization, switch to it here or in the menu at the top."
      action={
        <Group gap="xs" justify="center">
          {organizations.slice(0, MAX_SHOWN).map((each) => (
            <Button key={each.id} variant="default" onClick={() => switchTo(each.slug)}>
              {`Switch to ${each.name || each.slug}`}
            </Button>
          ))}
        </Group>
      }
    />
  );
}
