import { Alert } from '@mantine/core';
import { CairnError } from 'cairn-client';
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import { useParams } from 'react-router';
import { InItsOrganization } from '../../components/in-its-organization';
import { Loaded } from '../../components/loaded';
import { usePageTitle } from '../../components/page';
import { AbandonedWork } from './abandoned-work';
import { type JobContent, useJobContent, useSurroundings } from './data/queries';
import type { OpenSession } from './editing/use-editing';
import classes from './job-page.module.css';
import { TopBar } from './panels/top-bar';
import { useLive } from './people/use-live';
import { useFocusReturn } from './use-focus-return';
import { Workspace } from './workspace';

// Loaded when the stream has said something for the first time.
const JobNotice = lazy(async () => ({ default: (await import('./people/job-notice')).JobNotice }));

export { prefetch } from './prefetch';

/** The page of a job: frames, annotations and issues. */
export function Component(): ReactNode {
  const id = Number(useParams()['jobId']);
  const query = useJobContent(id);
  return (
    <Loaded query={query} pageTitle={`Job ${id}`} belowError={isGone(query.error) && <AbandonedWork jobId={id} />}>
      {(content) => (
        <InItsOrganization key={id} id={content.job.organization}>
          <JobView {...content} />
        </InItsOrganization>
      )}
    </Loaded>
  );
}

/** Whether the job was deleted, or the user has no access. */
const isGone = (error: unknown): boolean =>
  error instanceof CairnError && (error.status === 403 || error.status === 404);

function JobView({ job, frames }: JobContent): ReactNode {
  const surroundings = useSurroundings(job);
  usePageTitle(`Job ${job.id}`);
  const [session, setSession] = useState<OpenSession>();
  const focusReturn = useFocusReturn();
  const saveAnnotations = useCallback(async () => session?.save(), [session]);
  const live = useLive(job.id, session !== undefined, ({ job: known, revision }) => {
    if (known !== null) session?.follower.follow(revision);
  });
  return (
    <div className={classes['page']} {...focusReturn}>
      <TopBar job={job} surroundings={surroundings} people={live?.people} saveAnnotations={saveAnnotations} />
      {live !== undefined && session !== undefined && (
        <Suspense fallback={null}>
          <JobNotice job={job} live={live} session={session} />
        </Suspense>
      )}
      {frames.count === 0 ? (
        <Unavailable title="This job has no frames">The task has no data yet.</Unavailable>
      ) : (
        <Workspace key={job.id} job={job} frames={frames} surroundings={surroundings} onSession={setSession} />
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
