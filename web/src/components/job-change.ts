import type { Job } from '../app/api';

/** What is to become of one or several jobs. */
export interface JobChange {
  readonly assignee?: number | null;
  readonly stage?: Job['stage'];
  readonly state?: Job['state'];
}
