import { ListField, nameItem } from '../../../core/http/composite-fields.js';
import { MAX_SEED } from '../../../engines/media/random.js';
import { ChoiceField, FloatField, IntField } from '../../../core/http/fields.js';

export const VALIDATION_MODES = ['gt', 'gt_pool'] as const;
export const SELECTION_METHODS = ['random_uniform', 'random_per_job', 'manual'] as const;

/** Which frames of a task its annotations are checked by. */
export class ValidationParamsDto {
  @ChoiceField(VALIDATION_MODES, {
    description: 'gt: a ground truth job over some frames; gt_pool: frames that are repeated in the jobs as honeypots',
  })
  mode!: (typeof VALIDATION_MODES)[number];
  @ChoiceField(SELECTION_METHODS, { description: 'random_per_job only with gt' })
  frame_selection_method!: (typeof SELECTION_METHODS)[number];
  @ListField(nameItem(), { optional: true, description: 'Names of images, with manual' }) frames?: string[];
  @IntField({ optional: true, nullable: true, min: 1, description: 'With random_uniform: this or frame_share' })
  frame_count?: number | null;
  @FloatField({ optional: true, nullable: true, description: '0 to 1' }) frame_share?: number | null;
  @IntField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'With random_per_job and with gt_pool: this or frames_per_job_share',
  })
  frames_per_job_count?: number | null;
  @FloatField({ optional: true, nullable: true, description: '0 to 1' }) frames_per_job_share?: number | null;
  @IntField({
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_SEED,
    description: 'The same seed chooses the same frames',
  })
  random_seed?: number | null;
}
