import { validated } from '../../../core/http/body.js';
import { Invalid, InvalidList } from '../../../core/http/errors.js';
import { parseFrameStep } from '../../../engines/media/frames.js';
import { DataParametersDto } from './data-parameters.dto.js';

/**
 * Reads and checks the parameters of task data.
 * @throws Invalid, InvalidList with the contract's texts
 */
export function readDataParameters(raw: Readonly<Record<string, unknown>>): DataParametersDto {
  const dto = validated(DataParametersDto, raw);
  if (dto.chunk_size === 0) throw new Invalid({ chunk_size: ['Chunk size must be a positive integer'] });
  if (dto.frame_filter !== undefined && parseFrameStep(dto.frame_filter) === null) {
    throw new Invalid({ frame_filter: ['Invalid frame filter expression'] });
  }
  requireDistinct(dto.job_file_mapping ?? []);
  requireConsistent(dto);
  requireAvailable(dto);
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

/** Parameters that this server does not serve are refused, not ignored. */
function requireAvailable(dto: DataParametersDto): void {
  if (typeof dto.cloud_storage_id === 'number') throw new InvalidList('CloudStorage matching query does not exist.');
  const unavailable = {
    validation_params:
      Boolean(dto.validation_params) &&
      'Validation frames cannot be chosen here on this server. Create a ground truth job.',
  };
  const problems = Object.entries(unavailable).filter(([, problem]) => problem !== false);
  if (problems.length > 0) throw new Invalid(Object.fromEntries(problems.map(([name, problem]) => [name, [problem]])));
}
