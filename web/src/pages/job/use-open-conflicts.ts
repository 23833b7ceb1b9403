import { type Dispatch, useEffect } from 'react';
import { useSearchParams } from 'react-router';
import type { Job } from '../../app/api';
import { type JobConflicts, stepTo, useConflicts } from './data/conflicts';
import { currentParameters } from './data/modes';
import type { Step } from './data/review';

interface Context {
  readonly job: Job;
  readonly organization: string | undefined;
  readonly isWanted: boolean;
  readonly step: Dispatch<Step>;
}

/** The conflicts of the newest quality report. Opens the one that the URL names. */
export function useOpenConflicts({ job, organization, isWanted, step }: Context): JobConflicts | undefined {
  const [search, setSearch] = useSearchParams();
  const known = useConflicts({ job, organization, isWanted }) ?? undefined;
  const wanted = search.get('conflict');
  useEffect(() => {
    if (known === undefined || wanted === null) return;
    const conflict = known.conflicts.find(({ id }) => String(id) === wanted);
    if (conflict !== undefined) step(stepTo(conflict, job));
    // Only once: the user may open others.
    setSearch(() => new URLSearchParams([...currentParameters()].filter(([name]) => name !== 'conflict')), {
      replace: true,
    });
  }, [known, wanted, job, step, setSearch]);
  return isWanted ? known : undefined;
}
