import { expect, it } from '@jest/globals';
import { ProgressLine } from './progress-line.js';

/** @returns what is written for updates at these times, in milliseconds */
function written(isTTY: boolean, times: readonly number[]): string[] {
  const texts: string[] = [];
  let now = 0;
  const line = new ProgressLine({ isTTY, write: (text) => texts.push(text) }, () => now);
  for (const time of times) {
    now = time;
    line.update({ step: 'files', done: time });
  }
  line.end();
  return texts;
}

it('changes one line of a terminal, and removes it at the end', () => {
  expect(written(true, [100, 300, 400, 600])).toEqual([
    '\r\u001B[2KCopying files: 300 files',
    '\r\u001B[2KCopying files: 600 files',
    '\r\u001B[2K',
  ]);
});

it('writes a line every ten seconds if there is no terminal', () => {
  expect(written(false, [0, 5_000, 10_000, 12_000, 21_000])).toEqual([
    'Copying files: 10,000 files, 1,000 files/s\n',
    'Copying files: 21,000 files, 1,000 files/s\n',
  ]);
});

it('writes nothing for a short import', () => expect(written(false, [0, 100])).toEqual([]));
