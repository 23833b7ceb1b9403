import { Alert } from '@mantine/core';
import { type ReactNode, useCallback, useRef } from 'react';
import { useParams } from 'react-router';
import { InItsOrganization } from '../../components/in-its-organization';
import { Loaded } from '../../components/loaded';
import { usePageTitle } from '../../components/page';
import { type JobContent, useJobContent, useSurroundings } from './data/queries';
import classes from './job-page.module.css';
import { TopBar } from './panels/top-bar';
import { Workspace } from './workspace';

/** The page of a job: frames, annotations and issues. */
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
  const saver = useRef<() => Promise<void>>(undefined);
  const onSaver = useCallback((save: (() => Promise<void>) | undefined) => {
    saver.current = save;
  }, []);
  return (
    <div className={classes['page']}>
      <TopBar job={job} surroundings={surroundings} saveAnnotations={async () => saver.current?.()} />
      {frames.count === 0 ? (
        <Unavailable title="This job has no frames">The task has no data yet.</Unavailable>
      ) : (
        <Workspace key={job.id} job={job} frames={frames} surroundings={surroundings} onSaver={onSaver} />
      )}
    </div>
  );
}

const Unavailable = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <div className="page">
    <Alert title={title} variant="light">
      {children}
    </Alert>
  </div>
);
