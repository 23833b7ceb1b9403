import { ApiProperty } from '@nestjs/swagger';
import { validated } from '../../../core/http/body.js';
import { ListField, nameItem, NestedField } from '../../../core/http/composite-fields.js';
import { Invalid } from '../../../core/http/errors.js';
import { BoolField, ChoiceField, IntField, TextField } from '../../../core/http/fields.js';
import { parseFrameStep } from '../../../engines/media/frames.js';
import { requireValidation, ValidationParamsDto } from './validation-params.js';

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
    description: 'Frames of a chunk; chosen by the size of the frames without it',
  })
  chunk_size?: number | null;
  @IntField({ min: 0, max: 100, description: 'JPEG quality of compressed chunks' }) image_quality!: number;
  @IntField({ optional: true, min: 0 }) start_frame?: number;
  @IntField({ optional: true, min: 0, description: 'Inclusive; 0: to the end' }) stop_frame?: number;
  @TextField({ optional: true, blank: true, max: 256, example: 'step=5' }) frame_filter?: string;
  @ListField(nameItem(), { optional: true, description: 'Files and folders of the shared folder or cloud storage' })
  server_files?: string[];
  @ListField(nameItem(), { optional: true, description: 'http and https addresses; files are called as their ends' })
  remote_files?: string[];
  @ListField(nameItem(), { optional: true, description: 'Files and folders that are left out' })
  server_files_exclude?: string[];
  @BoolField({ optional: true, description: 'Only matters for video' }) use_zip_chunks?: boolean;
  @BoolField({ optional: true, description: 'Chunks are always made on demand and cached' }) use_cache?: boolean;
  @BoolField({ optional: true, description: 'Copy server_files; without it they stay where they are' })
  copy_data?: boolean;
  @ChoiceField(['cache', 'file_system'], { optional: true, description: 'Always cache in effect' })
  storage_method?: string;
  @ChoiceField(['cloud_storage', 'local', 'share'], { optional: true }) storage?: string;
  @IntField({ optional: true, nullable: true, description: 'Where server_files are' }) cloud_storage_id?: number | null;
  @ChoiceField(SORTING_METHODS, { optional: true }) sorting_method?: (typeof SORTING_METHODS)[number];
  @TextField({
    optional: true,
    nullable: true,
    blank: true,
    max: 1024,
    description: 'Chooses names in the manifest of server_files, or in the cloud storage: `*`, `?`, `[a-z]`',
  })
  filename_pattern?: string | null;
  @ListField(listOfNames, { optional: true, description: 'The files of each job' }) job_file_mapping?: string[][];
  @ListField(nameItem(), { optional: true, description: 'With sorting_method predefined' })
  upload_file_order?: string[];
  @NestedField(() => ValidationParamsDto, {
    optional: true,
    nullable: true,
    description: "Which frames the task's annotations are checked by",
  })
  validation_params?: ValidationParamsDto | null;
}

/** The background request that was queued. */
export class RequestIdDto {
  @ApiProperty({ example: 'action=create&target=task&target_id=5' }) rq_id!: string;
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
