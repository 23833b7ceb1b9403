import { describe, expect, test } from '@jest/globals';
import { toCsv } from './csv';

describe('a table as CSV', () => {
  const columns = [
    { title: 'Label', value: ([name]: readonly [string, number | null]) => name },
    { title: 'Accuracy', value: ([, share]: readonly [string, number | null]) => share },
  ];

  test('has a header, and quotes what contains separators', () => {
    const rows = [
      ['car, red', 0.5],
      ['"van"', null],
    ] as const;
    expect(toCsv(columns, rows)).toBe('Label,Accuracy\r\n"car, red",0.5\r\n"""van""",\r\n');
  });

  test.each(['=1+1', '+1', '-1', '@sum'])('does not let spreadsheets run %s', (name) => {
    expect(toCsv(columns, [[name, -1]])).toBe(`Label,Accuracy\r\n'${name},-1\r\n`);
  });
});
