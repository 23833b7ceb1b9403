import { expect, it } from '@jest/globals';
import { csvLine, masked, unmasked } from './csv.js';

it.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "no"\n', '"say ""no""\n"'],
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['\n=1', `"'\n=1"`],
  ['＝1', "'＝1"],
  ["'=1", "''=1"],
  ["'a", "'a"],
  ['a=1', 'a=1'],
  ['', ''],
])('writes %j so that a spreadsheet shows it as text', (text, cell) => {
  expect(csvLine([text, 'x'])).toBe(`${cell},x\r\n`);
});

it('writes numbers and nothing as they are', () => {
  expect(csvLine([-1.5, null, 0])).toBe('-1.5,,0\r\n');
});

it.each(['=1', "'=1", "''-a", 'a', "'a", '', '@x'])('finds the text %j again', (text) =>
  expect(unmasked(masked(text))).toBe(text),
);
