import { describe, expect, it } from '@jest/globals';
import { readFormFields } from './form-fields.js';

describe('readFormFields', () => {
  it('reads lists, nested lists and objects', () => {
    expect(
      readFormFields([
        ['image_quality', '70'],
        ['server_files[10]', 'c'],
        ['server_files[2]', 'b'],
        ['job_file_mapping[0][0]', 'x'],
        ['job_file_mapping[0][1]', 'y'],
        ['job_file_mapping[1][0]', 'z'],
        ['validation_params.frames[0]', 'f'],
        ['validation_params.mode', 'gt'],
        ['chunk_size', ''],
      ]),
    ).toEqual({
      image_quality: '70',
      server_files: ['b', 'c'],
      job_file_mapping: [['x', 'y'], ['z']],
      validation_params: { frames: ['f'], mode: 'gt' },
    });
  });

  it('keeps names with invalid nesting, and does not set prototypes', () => {
    const fields = readFormFields([
      ['a[x]', '1'],
      ['__proto__.b', '2'],
    ]);
    expect(Object.keys(fields)).toEqual(['a[x]', '__proto__']);
    expect(({} as { b?: string }).b).toBeUndefined();
  });
});
