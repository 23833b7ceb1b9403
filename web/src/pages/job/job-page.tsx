import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { InItsOrganization } from '../../components/in-its-organization';
import { Loaded } from '../../components/loaded';
import { usePageTitle } from '../../components/page';
import { type JobContent, useJobContent, useSurroundings } from './data/queries';
import classes from './job-page.module.css';
import { TopBar } from './panels/top-bar';
import { Workspace } from './workspace';

/** A job: its frames with their annotations, and the review of them. */
export function Component(): ReactNode {
  const id = Number(useParams()['jobId']);
  const query = useJobContent(id);
  return (
    <Loaded query={query} pageTitle={`Job ${id}`}>
      {(content) => (
        <InItsOrganization key={id} id={content.job.organization}>
          <JobView {...content} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

function JobView({ job, frames }: JobContent): ReactNode {
  const surroundings = useSurroundings(job);
  usePageTitle(`Job ${job.id}`);
  return (
    <div className={classes['page']}>
      <TopBar job={job} surroundings={surroundings} />
      {job.dimension === '3d' ? (
        <NothingToShow title="Point clouds are not shown here yet">
          This is a job of point clouds. Its data, annotations and issues are there for the API and for export; this
          page shows pictures only.
        </NothingToShow>
      ) : frames.count === 0 ? (
        <NothingToShow title="This job has no frames">Its task has no data yet.</NothingToShow>
      ) : (
        <Workspace key={job.id} job={job} frames={frames} surroundings={surroundings} />
      )}
    </div>
  );
}

const NothingToShow = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <div className="page">
    <Alert title={title} variant="light">
      {children}
    </Alert>
  </div>
);
