import { expect, it } from '@jest/globals';
import { openFilesProblem } from './open-files.js';

it.each([600, 1024, Infinity])('a process starts with %s open files', (limit) =>
  expect(openFilesProblem(limit)).toBeNull(),
);

it.each([0, 40, 599])('a process does not start with %s open files, and says what to do', (limit) =>
  expect(openFilesProblem(limit)).toMatch(new RegExp(`only ${limit} files .* at least 600.*ulimit -n 65536`)),
);

it('this process can open enough files', () => expect(openFilesProblem()).toBeNull());
