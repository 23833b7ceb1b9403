import { describe, expect, it } from '@jest/globals';
import { Invalid } from '../../../core/http/errors/errors.js';
import { readDataParameters } from './data-parameters.js';

const read = (raw: Record<string, unknown>): unknown => readDataParameters({ image_quality: 70, ...raw });

describe('readDataParameters', () => {
  it('reads forms as well as JSON', () => {
    expect(
      read({ image_quality: '70', chunk_size: '3', use_cache: 'true', frame_filter: ' step = 2 ', stop_frame: '0' }),
    ).toEqual({
      image_quality: 70,
      chunk_size: 3,
      use_cache: true,
      frame_filter: 'step = 2',
      stop_frame: 0,
    });
  });

  it.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ image_quality: undefined }, { image_quality: ['This field is required.'] }],
    [{ image_quality: 101 }, { image_quality: ['Ensure this value is less than or equal to 100.'] }],
    [{ chunk_size: 0 }, { chunk_size: ['Chunk size must be a positive integer'] }],
    [{ chunk_size: -1 }, { chunk_size: ['Ensure this value is greater than or equal to 0.'] }],
    [{ start_frame: 5, stop_frame: 4 }, { non_field_errors: ['Stop frame must be more or equal start frame'] }],
    [{ start_frame: 1, stop_frame: 0 }, { non_field_errors: ['Stop frame must be more or equal start frame'] }],
    [{ frame_filter: 'step=0' }, { frame_filter: ['Invalid frame filter expression'] }],
    [{ sorting_method: 'x' }, { sorting_method: ['"x" is not a valid choice.'] }],
    [{ job_file_mapping: [[]] }, { job_file_mapping: { 0: ['This list may not be empty.'] } }],
    [
      { job_file_mapping: [['a'], ['a']] },
      { job_file_mapping: ["The same file 'a' cannot be used multiple times in the job file mapping"] },
    ],
    [
      { filename_pattern: '*', server_files_exclude: ['a'] },
      { non_field_errors: ['The filename_pattern and server_files_exclude cannot be used together'] },
    ],
    [
      { filename_pattern: '*', server_files: ['a.png'] },
      { non_field_errors: ['The filename_pattern can only be used with specified manifest or without server_files'] },
    ],
  ])('%j', (raw, fields) => {
    expect(() => read(raw)).toThrow(new Invalid(fields));
  });

  it('does not check whether remote files are available', () => {
    const sent = { image_quality: 70, server_files: ['a'], cloud_storage_id: 7 };
    expect(read(sent)).toEqual(sent);
  });
});
