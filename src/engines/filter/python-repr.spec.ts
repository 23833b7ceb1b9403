import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../json/json-value.js';
import { pythonRepr } from './python-repr.js';

/** JSON values and CPython 3.11's output for each. */
const PYTHON_PRINTS: readonly (readonly [JsonValue, string])[] = [
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
  [1, '1'],
  [-5, '-5'],
  [0.5, '0.5'],
  [1.25e-7, '1.25e-07'],
  [0.00012, '0.00012'],
  ['a', "'a'"],
  ["it's", '"it\'s"'],
  ['say "x"', '\'say "x"\''],
  ['it\'s "x"', "'it\\'s \"x\"'"],
  [
    'a\\b\n\r\t\u0000\u001f\u007f\u0080\u00a0\u2028\u200b\ufeff\ue000\u00e9\ud83d\ude00\udb40\udc01',
    "'a\\\\b\\n\\r\\t\\x00\\x1f\\x7f\\x80\\xa0\\u2028\\u200b\\ufeff\\ue000\u00e9\ud83d\ude00\\U000e0001'",
  ],
  [[], '[]'],
  [{}, '{}'],
  [[{ var: 'id' }, 2], "[{'var': 'id'}, 2]"],
  [{ a: [null, true], "b'c": {} }, "{'a': [None, True], \"b'c\": {}}"],
];

describe('pythonRepr', () => {
  it.each(PYTHON_PRINTS)('%j', (value, text) => {
    expect(pythonRepr(value)).toBe(text);
  });

  it('writes large integers in full', () => {
    expect(pythonRepr(2 ** 70)).toBe('1180591620717411303424');
    expect(pythonRepr(JSON.parse('1e999') as JsonValue)).toBe('inf');
  });
});
