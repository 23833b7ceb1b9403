/** Status of a job by its stage and state. */
export function jobStatus(stage: string, state: string): string {
  if (stage === 'annotation') return 'annotation';
  return stage === 'acceptance' && state === 'completed' ? 'completed' : 'validation';
}

/** Status of a task: that of its job that is farthest behind. */
export function taskStatus(jobStatuses: readonly string[]): string {
  return ['annotation', 'validation'].find((status) => jobStatuses.includes(status)) ?? 'completed';
}
