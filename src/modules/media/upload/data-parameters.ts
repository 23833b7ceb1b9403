import { validated } from '../../../core/http/body.js';
import { Invalid } from '../../../core/http/errors.js';
import { parseFrameStep } from '../../../engines/media/frames.js';
import { DataParametersDto } from './data-parameters.dto.js';
import { requireValidation } from './validation-params.js';

/**
 * Reads and checks the parameters of task data.
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
