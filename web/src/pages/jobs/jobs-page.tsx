import type { ReactNode } from 'react';
import { EmptyState } from '../../components/empty-state';
import { JobList } from '../../components/job-list';
import { Page } from '../../components/page';

export const Component = (): ReactNode => (
  <Page title="Jobs" subtitle="Parts of tasks, each for one person at a time.">
    <JobList
      empty={
        <EmptyState
          icon="job"
          title="No jobs yet"
          text="The server cuts a task into jobs when its images have been processed. Those assigned to you are here, too."
        />
      }
    />
  </Page>
);
