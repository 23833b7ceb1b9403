import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { describeJsonError } from './python-json-error.js';

/** Texts and CPython 3.11's `json.loads` error for each. */
const PYTHON_SAYS: readonly (readonly [string, string])[] = [
  ['', 'Expecting value: line 1 column 1 (char 0)'],
  ['  ', 'Expecting value: line 1 column 3 (char 2)'],
  ['xx', 'Expecting value: line 1 column 1 (char 0)'],
  ['{', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
  ['{a', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
  ['{"a"', "Expecting ':' delimiter: line 1 column 5 (char 4)"],
  ['{"a" 1', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
  ['{"a":', 'Expecting value: line 1 column 6 (char 5)'],
  ['{"a":1', "Expecting ',' delimiter: line 1 column 7 (char 6)"],
  ['{"a":1,', 'Expecting property name enclosed in double quotes: line 1 column 8 (char 7)'],
  ['{"a":1,}', 'Expecting property name enclosed in double quotes: line 1 column 8 (char 7)'],
  ['{"a":1 "b"', "Expecting ',' delimiter: line 1 column 8 (char 7)"],
  ['{,}', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
  ['{1:2}', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
  ['[', 'Expecting value: line 1 column 2 (char 1)'],
  ['[1', "Expecting ',' delimiter: line 1 column 3 (char 2)"],
  ['[1,', 'Expecting value: line 1 column 4 (char 3)'],
  ['[1,]', 'Expecting value: line 1 column 4 (char 3)'],
  ['[1 2]', "Expecting ',' delimiter: line 1 column 4 (char 3)"],
  ['[,]', 'Expecting value: line 1 column 2 (char 1)'],
  [']', 'Expecting value: line 1 column 1 (char 0)'],
  ['1 2', 'Extra data: line 1 column 3 (char 2)'],
  ['{} x', 'Extra data: line 1 column 4 (char 3)'],
  ['01', 'Extra data: line 1 column 2 (char 1)'],
  ['1.', 'Extra data: line 1 column 2 (char 1)'],
  ['-', 'Expecting value: line 1 column 1 (char 0)'],
  ['+1', 'Expecting value: line 1 column 1 (char 0)'],
  ['.5', 'Expecting value: line 1 column 1 (char 0)'],
  ['1e', 'Extra data: line 1 column 2 (char 1)'],
  ['nul', 'Expecting value: line 1 column 1 (char 0)'],
  ['truex', 'Extra data: line 1 column 5 (char 4)'],
  ['True', 'Expecting value: line 1 column 1 (char 0)'],
  ['"abc', 'Unterminated string starting at: line 1 column 1 (char 0)'],
  ['"a\nb"', 'Invalid control character at: line 1 column 3 (char 2)'],
  ['"a\tb"', 'Invalid control character at: line 1 column 3 (char 2)'],
  ['"\\x"', 'Invalid \\escape: line 1 column 2 (char 1)'],
  ['"\\', 'Unterminated string starting at: line 1 column 1 (char 0)'],
  ['"\\u12', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
  ['"\\u12"', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
  ['"\\u12g4"', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
  ['"\\u1234', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
  ['"\\ud800\\u12g4"', 'Invalid \\uXXXX escape: line 1 column 9 (char 8)'],
  ['\ufeff{}', 'Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)'],
  ['{\n "a": 1,\n "b" 2\n}', "Expecting ':' delimiter: line 3 column 6 (char 16)"],
  ['["\u00e9\ud83d\ude00", x]', 'Expecting value: line 1 column 8 (char 7)'],
  ['"\ud83d\ude00\n"', 'Invalid control character at: line 1 column 3 (char 2)'],
  ['\n\n  @', 'Expecting value: line 3 column 3 (char 4)'],
  ['[[[]', "Expecting ',' delimiter: line 1 column 5 (char 4)"],
  ['[{"a":[1,{"b":}]}]', 'Expecting value: line 1 column 15 (char 14)'],
  ["{'a':1}", 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
  ['\u00a01', 'Expecting value: line 1 column 1 (char 0)'],
  ['\f1', 'Expecting value: line 1 column 1 (char 0)'],
  ['"\u007f"x', 'Extra data: line 1 column 4 (char 3)'],
  ['--1', 'Expecting value: line 1 column 1 (char 0)'],
  ['-a', 'Expecting value: line 1 column 1 (char 0)'],
  ['"\\ud83d\\ude00" 1', 'Extra data: line 1 column 16 (char 15)'],
  ['[1,2]]', 'Extra data: line 1 column 6 (char 5)'],
  ['nullnull', 'Extra data: line 1 column 5 (char 4)'],
];

describe('describeJsonError', () => {
  it.each(PYTHON_SAYS)('%j', (text, message) => {
    expect(describeJsonError(text)).toBe(message);
  });

  it.each(['NaN', '[Infinity]', '{"a": -Infinity}'])('%s is refused as in a strict parser', (text) => {
    const constant = /-?[NI]\w+/.exec(text)?.[0];
    expect(describeJsonError(text)).toBe(`Out of range float values are not JSON compliant: '${constant}'`);
  });

  it('reads deep nesting without recursion', () => {
    expect(describeJsonError('['.repeat(200_000))).toBe('Expecting value: line 1 column 200001 (char 200000)');
  });

  it('finds an error in exactly the texts that JSON.parse refuses', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      'u',
      '00e9',
      'n',
      '1',
      '-',
      '.',
      'e',
      ' ',
      '\n',
      'null',
      'true',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(describeJsonError(text) === 'The text cannot be read').toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
    fc.assert(fc.property(fc.json(), (text) => expect(describeJsonError(text)).toBe('The text cannot be read')));
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
