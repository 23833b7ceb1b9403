import { describe, expect, it } from '@jest/globals';
import { jobStatus, taskStatus } from './job-progress.js';

describe('jobStatus', () => {
  it.each([
    ['annotation', 'new', 'annotation'],
    ['annotation', 'completed', 'annotation'],
    ['validation', 'completed', 'validation'],
    ['acceptance', 'in progress', 'validation'],
    ['acceptance', 'rejected', 'validation'],
    ['acceptance', 'completed', 'completed'],
  ])('%s and %s give %s', (stage, state, status) => {
    expect(jobStatus(stage, state)).toBe(status);
  });
});

describe('taskStatus', () => {
  it.each([
    [['completed', 'validation', 'annotation'], 'annotation'],
    [['completed', 'validation'], 'validation'],
    [['completed'], 'completed'],
  ])('%j give %s', (jobs, status) => {
    expect(taskStatus(jobs)).toBe(status);
  });
});
