import { describe, expect, it } from '@jest/globals';
import { shapeFrom, tagFrom } from './rows-of-jobs.js';

describe('COPY lines', () => {
  it('become tags, with escaped characters', () => {
    const line = '9\t5\t2\t10\t\\N\ta\\\\b\\tc\t[{"spec_id":1,"value":"x\\\\n\\\\"y\\\\""}]';
    expect(tagFrom(line)).toEqual({
      id: 5,
      job_id: 9,
      label_id: 2,
      frame: 10,
      group_id: null,
      source: 'a\\b\tc',
      attributes: '[{"spec_id":1,"value":"x\\n\\"y\\""}]',
    });
  });

  it('become shapes', () => {
    const line = '9\t9007199254740991\t7\t2\trectangle\t10\t0\tmanual\tt\tf\t-1\t10.5\t0.25\t[1,2.5,3e-7,4]\t[]';
    expect(shapeFrom(line)).toEqual({
      id: 9007199254740991,
      job_id: 9,
      parent_id: 7,
      label_id: 2,
      type: 'rectangle',
      frame: 10,
      group_id: 0,
      source: 'manual',
      occluded: true,
      outside: false,
      z_order: -1,
      rotation: 10.5,
      score: 0.25,
      points: '[1,2.5,3e-7,4]',
      attributes: '[]',
    });
    expect(shapeFrom(line.replace('\t7\t', '\t\\N\t').replace('\t0\t', '\t\\N\t'))).toMatchObject({
      parent_id: null,
      group_id: null,
    });
  });
});
