import { describe, expect, it } from '@jest/globals';
import { spaceProblem } from './health.service.js';

const DISK = { blocks: 1_000_000, bavail: 500_000, bsize: 4096, files: 1000, ffree: 500 };

describe('spaceProblem', () => {
  it.each([
    ['room', DISK, undefined],
    ['no byte', { ...DISK, bavail: 0 }, 'The disk of the data folder is full: 0 kB are free.'],
    ['a little', { ...DISK, bavail: 8000 }, 'The disk of the data folder is full: 32000 kB are free.'],
    ['enough', { ...DISK, bavail: 8192 }, undefined],
    ['no file', { ...DISK, ffree: 0 }, 'The disk of the data folder is full: it has no room for another file.'],
    ['unknown room', { blocks: 0, bavail: 0, bsize: 4096, files: 0, ffree: 0 }, undefined],
  ])('of a file system with %s', (_, stats, problem) => {
    expect(spaceProblem(stats)).toBe(problem);
  });
});
