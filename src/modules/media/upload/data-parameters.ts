import { ApiAcceptedResponse, ApiProperty } from '@nestjs/swagger';
import { validated } from '../../../core/http/body/body.js';
import { ListField, nameItem, NestedField } from '../../../core/http/body/composite-fields.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { BoolField, ChoiceField, IntField, TextField, FloatField } from '../../../core/http/body/fields.js';
import { parseFrameStep } from '../../../engines/media/frames.js';
import { MAX_SEED } from '../../../engines/media/random.js';

const VALIDATION_MODES = ['gt', 'gt_pool'] as const;
const SELECTION_METHODS = ['random_uniform', 'random_per_job', 'manual'] as const;

/** Which frames of a task are validation frames. */
export class ValidationParamsDto {
  @ChoiceField(VALIDATION_MODES, {
    description:
      '`gt`: a ground truth job with some of the frames. `gt_pool`: frames that are repeated in the jobs as honeypots',
  })
  mode!: (typeof VALIDATION_MODES)[number];
  @ChoiceField(SELECTION_METHODS, { description: '`random_per_job` requires the mode `gt`' })
  frame_selection_method!: (typeof SELECTION_METHODS)[number];
  @ListField(nameItem(), { optional: true, description: 'Names of images. Only with the method `manual`' })
  frames?: string[];
  @IntField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'With `random_uniform`: either this or `frame_share`',
  })
  frame_count?: number | null;
  @FloatField({ optional: true, nullable: true, description: '0 to 1' }) frame_share?: number | null;
  @IntField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'With `random_per_job` or `gt_pool`: either this or `frames_per_job_share`',
  })
  frames_per_job_count?: number | null;
  @FloatField({ optional: true, nullable: true, description: '0 to 1' }) frames_per_job_share?: number | null;
  @IntField({
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_SEED,
    description: 'The same seed selects the same frames',
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

export const SORTING_METHODS = ['lexicographical', 'natural', 'predefined', 'random'] as const;

const listOfNames = {
  api: { type: 'array', items: { type: 'string' } } as const,
  size: (value: unknown) => (Array.isArray(value) ? value.length : 1),
  check: (value: unknown): string | undefined => {
    if (!Array.isArray(value)) return 'Expected a list of items.';
    if (value.length === 0) return 'This list may not be empty.';
    return value.every((name) => typeof name === 'string') ? undefined : 'Not a valid string.';
  },
};

/** The parameters of a task's media. Sent as JSON or as a form with files. */
export class DataParametersDto {
  @IntField({
    optional: true,
    nullable: true,
    min: 0,
    description: 'Number of frames per chunk. The default depends on the size of the frames.',
  })
  chunk_size?: number | null;
  @IntField({ min: 0, max: 100, description: 'JPEG quality of compressed chunks' }) image_quality!: number;
  @IntField({ optional: true, min: 0 }) start_frame?: number;
  @IntField({ optional: true, min: 0, description: 'Last frame. 0: up to the end' }) stop_frame?: number;
  @TextField({ optional: true, blank: true, max: 256, example: 'step=5' }) frame_filter?: string;
  @ListField(nameItem(), { optional: true, description: 'Files and folders of the shared folder or cloud storage' })
  server_files?: string[];
  @ListField(nameItem(), {
    optional: true,
    description: 'http and https URLs. Files are named after the last part of their path.',
  })
  remote_files?: string[];
  @ListField(nameItem(), { optional: true, description: 'Files and folders to leave out' })
  server_files_exclude?: string[];
  @BoolField({ optional: true, description: 'Only has an effect for videos' }) use_zip_chunks?: boolean;
  @BoolField({ optional: true, description: 'Has no effect: chunks are always created on demand and cached' })
  use_cache?: boolean;
  @BoolField({
    optional: true,
    description: 'Copy `server_files` to the server. By default they are read where they are.',
  })
  copy_data?: boolean;
  @ChoiceField(['cache', 'file_system'], { optional: true, description: 'Has no effect: always `cache`' })
  storage_method?: string;
  @ChoiceField(['cloud_storage', 'local', 'share'], { optional: true }) storage?: string;
  @IntField({ optional: true, nullable: true, description: 'Location of `server_files`' }) cloud_storage_id?:
    number | null;
  @ChoiceField(SORTING_METHODS, { optional: true }) sorting_method?: (typeof SORTING_METHODS)[number];
  @TextField({
    optional: true,
    nullable: true,
    blank: true,
    max: 1024,
    description: 'Selects files in the manifest or the cloud storage by name: `*`, `?`, `[a-z]`',
  })
  filename_pattern?: string | null;
  @ListField(listOfNames, { optional: true, description: 'The names of the files of each job' })
  job_file_mapping?: string[][];
  @ListField(nameItem(), { optional: true, description: 'Only with the sorting method `predefined`' })
  upload_file_order?: string[];
  @NestedField(() => ValidationParamsDto, {
    optional: true,
    nullable: true,
    description: 'Selects the validation frames of the task',
  })
  validation_params?: ValidationParamsDto | null;
}

/** The background request that was queued. */
export class RequestIdDto {
  @ApiProperty({ example: 'action=create&target=task&target_id=5' }) rq_id!: string;
}

/** Documents the response to an upload. @param what is queued */
export function ApiQueued(what: string): MethodDecorator {
  const description = `${what}. For Upload-Start, nothing happens, and the response has no body.`;
  // OpenAPI cannot say that the body is absent for some requests only.
  const response = { type: RequestIdDto, description, 'x-empty-for': 'Upload-Start' };
  return ApiAcceptedResponse(response);
}

/** Sent with files that are uploaded before the parameters. */
export class UploadedFilesDto {
  @IntField({ min: 0, max: 100 }) image_quality!: number;
}

/**
 * Reads and validates the parameters of task data.
 * @throws Invalid with the contract's texts
 */
export function readDataParameters(raw: Readonly<Record<string, unknown>>): DataParametersDto {
  const dto = validated(DataParametersDto, raw);
  if (dto.chunk_size === 0) throw new Invalid({ chunk_size: ['Chunk size must be a positive integer'] });
  if (dto.frame_filter !== undefined && parseFrameStep(dto.frame_filter) === null) {
    throw new Invalid({ frame_filter: ['Invalid frame filter expression'] });
  }
  requireDistinct(dto.job_file_mapping ?? []);
  requireConsistent(dto);
  if (dto.validation_params != null) requireValidation(dto.validation_params);
  return dto;
}

function requireDistinct(mapping: readonly (readonly string[])[]): void {
  const seen = new Set<string>();
  for (const name of mapping.flat()) {
    if (seen.has(name)) {
      const text = `The same file '${name}' cannot be used multiple times in the job file mapping`;
      throw new Invalid({ job_file_mapping: [text] });
    }
    seen.add(name);
  }
}

function requireConsistent(dto: DataParametersDto): void {
  const { start_frame: start = 0, stop_frame: stop, filename_pattern: pattern, server_files: files = [] } = dto;
  const problem =
    stop !== undefined && start > stop
      ? 'Stop frame must be more or equal start frame'
      : pattern && (dto.server_files_exclude ?? []).length > 0
        ? 'The filename_pattern and server_files_exclude cannot be used together'
        : pattern && files.length > 0 && !files.some((file) => file.endsWith('.jsonl'))
          ? 'The filename_pattern can only be used with specified manifest or without server_files'
          : undefined;
  if (problem !== undefined) throw new Invalid({ non_field_errors: [problem] });
}
