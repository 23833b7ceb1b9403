import { ApiProperty } from '@nestjs/swagger';
import { intItem, ListField } from '../../core/http/body/composite-fields.js';
import { ChoiceField, FloatField, IntField } from '../../core/http/body/fields.js';
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

const METHODS = ['random_uniform', 'manual'] as const;
const MAX_FRAMES = 1_000_000;

const RealFramesField = (): PropertyDecorator =>
  ListField(intItem({ min: 0 }), {
    optional: true,
    maxItems: MAX_FRAMES,
    description: 'For manual: the frame of the pool that each honeypot repeats, in the order of the honeypots',
  });

/** The honeypots of a job. Without a validation pool all keys are absent. */
export class JobValidationLayoutDto {
  @ApiProperty({ required: false }) honeypot_count?: number;
  @ApiProperty({ type: Number, isArray: true, required: false, description: 'Frame numbers in the task' })
  honeypot_frames?: number[];
  @ApiProperty({
    type: Number,
    isArray: true,
    required: false,
    description: 'The frames of the pool that the honeypots repeat',
  })
  honeypot_real_frames?: number[];
}

/** The validation frames of a task. Without validation only the first two keys are present, with the value null. */
export class TaskValidationLayoutDto {
  @ApiProperty({ type: String, nullable: true, enum: ['gt', 'gt_pool'] }) mode!: string | null;
  @ApiProperty({ type: Number, nullable: true }) frames_per_job_count!: number | null;
  @ApiProperty({ type: Number, isArray: true, required: false, description: 'Frame numbers in the task' })
  validation_frames?: number[];
  @ApiProperty({
    type: Number,
    isArray: true,
    required: false,
    description: 'Validation frames that are left out of checks',
  })
  disabled_frames?: number[];
  @ApiProperty({ required: false, description: 'Only for gt_pool, like the next two' }) honeypot_count?: number;
  @ApiProperty({ type: Number, isArray: true, required: false }) honeypot_frames?: number[];
  @ApiProperty({ type: Number, isArray: true, required: false }) honeypot_real_frames?: number[];
}

export class UpdateJobValidationLayoutDto {
  @ChoiceField(METHODS, { description: 'How to select the frames that honeypots repeat' })
  frame_selection_method!: (typeof METHODS)[number];
  @RealFramesField() honeypot_real_frames?: number[];
}

export class UpdateTaskValidationLayoutDto {
  @ListField(intItem({ min: 0 }), {
    optional: true,
    maxItems: MAX_FRAMES,
    description: 'Replaces the list of validation frames that are left out of checks',
  })
  disabled_frames?: number[];
  @ChoiceField(METHODS, { optional: true, description: 'How to select the frames that honeypots repeat' })
  frame_selection_method?: (typeof METHODS)[number];
  @RealFramesField() honeypot_real_frames?: number[];
}
