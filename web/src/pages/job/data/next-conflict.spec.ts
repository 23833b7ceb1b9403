import { describe, expect, it } from '@jest/globals';
import type { QualityConflict } from '../../../app/api';
import { conflictFrom } from './next-conflict';

const CONFLICTS = [
  { id: 11, frame: 2 },
  { id: 12, frame: 2 },
  { id: 13, frame: 5 },
  { id: 14, frame: 9 },
] as unknown as QualityConflict[];

const from = (frame: number, conflict: number | null, by: 1 | -1): number | undefined =>
  conflictFrom(CONFLICTS, { frame, conflict }, by)?.id;

describe('the next conflict', () => {
  it('follows the open one, and the first one follows the last one', () => {
    expect([from(2, 11, 1), from(2, 12, 1), from(9, 14, 1)]).toEqual([12, 13, 11]);
    expect([from(5, 13, -1), from(2, 11, -1)]).toEqual([12, 14]);
  });

  it('is on the frame or the nearest one, if none is open', () => {
    expect([from(2, null, 1), from(2, null, -1)]).toEqual([11, 11]);
    expect([from(3, null, 1), from(3, null, -1)]).toEqual([13, 12]);
    expect([from(10, null, 1), from(0, null, -1)]).toEqual([11, 14]);
    expect(from(5, 11, 1)).toBe(13); // the user has left the frame of the open one
  });

  it('does not exist without conflicts', () => {
    expect(conflictFrom([], { frame: 0, conflict: null }, 1)).toBeUndefined();
  });
});
