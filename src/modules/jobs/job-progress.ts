/** The stage and state of a job, and the status, which is derived from them. */
export interface JobProgress {
  readonly stage: string;
  readonly state: string;
  readonly status: string;
}

/** Derives the status of a job from its stage and state. */
export function jobStatus(stage: string, state: string): string {
  if (stage === 'annotation') return 'annotation';
  return stage === 'acceptance' && state === 'completed' ? 'completed' : 'validation';
}

/** Status of a task: that of its least advanced job. */
export function taskStatus(jobStatuses: readonly string[]): string {
  return ['annotation', 'validation'].find((status) => jobStatuses.includes(status)) ?? 'completed';
}

/** The progress after a change. A new stage resets the state to new, unless the change sets a state too. */
export function progressAfter(
  before: JobProgress,
  { stage, state }: { readonly stage?: string; readonly state?: string },
): JobProgress {
  if (stage === undefined && state === undefined) {
    return { stage: before.stage, state: before.state, status: before.status };
  }
  const newStage = stage ?? before.stage;
  const newState = state ?? (newStage === before.stage ? before.state : 'new');
  return { stage: newStage, state: newState, status: jobStatus(newStage, newState) };
}
