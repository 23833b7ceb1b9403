import { describe, expect, it } from '@jest/globals';
import { readYaml } from './yaml.js';

const many = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

describe('readYaml', () => {
  it('reads tens of thousands of keys', () => {
    const names = readYaml(many(30_000, (at) => `${at}: label ${at}\n`), 'data.yaml'); // prettier-ignore
    expect(Object.keys(names as object)).toHaveLength(30_000);
  });

  it.each([
    ['a key twice', 'a: 1\nb: 2\na: 3', "data.yaml: the key 'a' is there twice"],
    ['a key twice in a list', '- {a: 1}\n- {a: 1, b: 2, a: 1}', "data.yaml: the key 'a' is there twice"],
    ['an alias', 'a: &a [1]\nb: *a', 'data.yaml: the file is not YAML: Alias resolution is disabled'],
    ['broken syntax', 'a: [', 'data.yaml: the file is not YAML'],
    [
      'two values',
      'a: 1\nb: "x" "y"',
      'data.yaml: the file is not YAML: Unexpected double-quoted-scalar at node end at line 2, column 8',
    ],
    [
      'commas alone',
      `[${','.repeat(100_000)}]`,
      'data.yaml: the file is not YAML: there is nothing between two commas',
    ],
    ['lists in lists', '['.repeat(100_000), 'data.yaml: the file is nested more than 64 deep'],
    ['lists in lists on one line', '- '.repeat(100_000), 'data.yaml: the file is nested more than 64 deep'],
    ['keys of keys', '? '.repeat(100_000), 'data.yaml: the file is nested more than 64 deep'],
    ['tags', '!a '.repeat(100_000), 'data.yaml: the file has more than 1000 tags, anchors or directives'],
    ['directives', '%a\n'.repeat(100_000), 'data.yaml: the file has more than 1000 tags, anchors or directives'],
    ['empty lines', '\n'.repeat(1_000_000), 'data.yaml: the file has more than 400000 words and marks'],
  ])('refuses %s', (_, text, message) => {
    expect(() => readYaml(text, 'data.yaml')).toThrow(message);
  });
});
