import type { Job } from '../app/api';

/** A change to one or more jobs. */
export interface JobChange {
  readonly assignee?: number | null;
  readonly stage?: Job['stage'];
  readonly state?: Job['state'];
}
