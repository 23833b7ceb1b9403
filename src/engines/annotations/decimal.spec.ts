import { expect, it } from '@jest/globals';
import { decimal } from './decimal.js';

it.each([
  ['0', 0],
  ['-12.50', -12.5],
  ['+.5', 0.5],
  ['7.', 7],
  [' 1e3\n', 1000],
  ['2.5E-2', 0.025],
])('reads %j', (text, value) => {
  expect(decimal(text)).toBe(value);
});

it.each([
  '',
  ' ',
  '.',
  'x',
  '1 2',
  '1,5',
  '1_000',
  '--1',
  '1e',
  'e5',
  '0x10',
  '0b1',
  '0o7',
  'NaN',
  'Infinity',
  '1e400',
  '１',
  '1px',
])('rejects %j', (text) => {
  expect(decimal(text)).toBeNaN();
});
