/** How far a job is. The status follows from stage and state. */
export interface JobProgress {
  readonly stage: string;
  readonly state: string;
  readonly status: string;
}

/** Status of a job by its stage and state. */
export function jobStatus(stage: string, state: string): string {
  if (stage === 'annotation') return 'annotation';
  return stage === 'acceptance' && state === 'completed' ? 'completed' : 'validation';
}

/** Status of a task: the status of its job that is farthest behind. */
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
