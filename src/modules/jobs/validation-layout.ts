/** Which frames of a task are checked against a ground truth job, as `media_data.validation_layout` keeps it. */
export interface ValidationLayout {
  /** Set when frames were chosen per job. */
  readonly frames_per_job_count: number | null;
  /** Frames of the ground truth job. Task-relative, ascending. */
  readonly frames: readonly number[];
  /** Those of `frames` that are left out of checks for now. */
  readonly disabled_frames: readonly number[];
}
