import type { Job } from '../app/api';

export const STAGES = ['annotation', 'validation', 'acceptance'] as const;
export const STATES = ['new', 'in progress', 'completed', 'rejected'] as const;

/** What is to become of one or several jobs. */
export interface JobChange {
  readonly assignee?: number | null;
  readonly stage?: Job['stage'];
  readonly state?: Job['state'];
}
