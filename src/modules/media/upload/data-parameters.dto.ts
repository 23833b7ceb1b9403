import { ListField, NestedField, nameItem } from '../../../core/http/composite-fields.js';
import { BoolField, ChoiceField, IntField, TextField } from '../../../core/http/fields.js';
import { ValidationParamsDto } from './validation-params.dto.js';

export const SORTING_METHODS = ['lexicographical', 'natural', 'predefined', 'random'] as const;

const listOfNames = {
  api: { type: 'array', items: { type: 'string' } } as const,
  check: (value: unknown): string | undefined => {
    if (!Array.isArray(value)) return 'Expected a list of items.';
    if (value.length === 0) return 'This list may not be empty.';
    return value.every((name) => typeof name === 'string') ? undefined : 'Not a valid string.';
  },
};

/** What a task is to be made of, and how. Sent as JSON or as a form beside files. */
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
