import { intItem, ListField } from '../../core/http/composite-fields.js';
import { ChoiceField, FloatField, IntField } from '../../core/http/fields.js';
import { MAX_SEED } from '../../engines/media/random.js';
import { JOB_STAGES, JOB_STATES, JOB_TYPES } from '../jobs/index.js';

const FRAME_SELECTION_METHODS = ['random_uniform', 'random_per_job', 'manual'] as const;

/** A new job. Clients can only create ground truth jobs. */
export class CreateJobDto {
  @IntField() task_id!: number;
  @ChoiceField(JOB_TYPES, { description: 'Must be ground_truth' }) type!: string;
  @IntField({ optional: true, nullable: true }) assignee?: number | null;
  @ChoiceField(JOB_STAGES, { optional: true }) stage?: string;
  @ChoiceField(JOB_STATES, { optional: true }) state?: string;
  @ChoiceField(FRAME_SELECTION_METHODS, { optional: true, description: 'Required' })
  frame_selection_method?: (typeof FRAME_SELECTION_METHODS)[number];
  @ListField(intItem({ min: 0 }), { optional: true, notEmpty: true, description: 'Frames of the task, for manual' })
  frames?: number[];
  @IntField({ optional: true, min: 1, description: 'For random_uniform: either this or frame_share' })
  frame_count?: number;
  @FloatField({ optional: true, description: '0 to 1' }) frame_share?: number;
  @IntField({ optional: true, min: 1, description: 'For random_per_job: either this or frames_per_job_share' })
  frames_per_job_count?: number;
  @FloatField({ optional: true, description: '0 to 1' }) frames_per_job_share?: number;
  @IntField({ optional: true, min: 0, max: MAX_SEED, description: 'The same seed selects the same frames' })
  random_seed?: number;
  @IntField({ optional: true, min: 0, max: MAX_SEED, description: 'Old name of random_seed' }) seed?: number;
}
