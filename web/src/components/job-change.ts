import type { Job } from '../app/api';

/** Filter of lists for jobs that are not completed. */
export const UNFINISHED = JSON.stringify({ '!': { '==': [{ var: 'state' }, 'completed'] } });

/** A change to one or more jobs. */
export interface JobChange {
  readonly assignee?: number | null;
  readonly stage?: Job['stage'];
  readonly state?: Job['state'];
}
