import { ListField, nameItem } from '../../../core/http/composite-fields.js';
import { Invalid } from '../../../core/http/errors.js';
import { ChoiceField, FloatField, IntField } from '../../../core/http/fields.js';
import { MAX_SEED } from '../../../engines/media/random.js';

export const VALIDATION_MODES = ['gt', 'gt_pool'] as const;
export const SELECTION_METHODS = ['random_uniform', 'random_per_job', 'manual'] as const;

/** Which frames of a task are validation frames. */
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

const METHODS = {
  gt: ['manual', 'random_uniform', 'random_per_job'],
  gt_pool: ['manual', 'random_uniform'],
} as const;

const UNIFORM = ['frame_count', 'frame_share'] as const;
const PER_JOB = ['frames_per_job_count', 'frames_per_job_share'] as const;

/**
 * Checks which parameters can be combined. The worker checks what depends on the files.
 * @throws Invalid
 */
export function requireValidation(params: ValidationParamsDto): void {
  const { mode, frame_selection_method: method, frames } = params;
  for (const name of ['frame_share', 'frames_per_job_share'] as const) {
    const share = params[name] ?? 0;
    if (share < 0 || share > 1) throw refusal(name, 'Value must be in the range [0; 1]');
  }
  const methods: readonly string[] = METHODS[mode];
  if (!methods.includes(method)) {
    throw crossField(`The "frame_selection_method" field must be one of ${methods.join(', ')}`);
  }
  if (method === 'random_uniform') requireOne(params, UNIFORM);
  if (method === 'random_per_job' || mode === 'gt_pool') requireOne(params, PER_JOB);
  if (method === 'manual') {
    if (frames === undefined) throw crossField('The "frames" field is required');
    if (new Set(frames).size !== frames.length) throw refusal('frames', 'Frames must not repeat');
  } else if ((frames ?? []).length > 0) {
    throw crossField('"frames" can only be used when "frame_selection_method" is "manual"');
  }
}

function requireOne(params: ValidationParamsDto, names: readonly (keyof ValidationParamsDto)[]): void {
  const given = names.filter((name) => params[name] !== undefined && params[name] !== null);
  const quoted = names.map((name) => `"${name}"`).join(', ');
  if (given.length === 0) throw crossField(`One of the fields ${quoted} required`);
  if (given.length > 1) throw crossField(`Only 1 of the fields ${quoted} can be used`);
}

const crossField = (text: string): Invalid => refusal('non_field_errors', text);
const refusal = (field: string, text: string): Invalid => new Invalid({ validation_params: { [field]: [text] } });
