import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/env.js';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** Variables that the code reads. */
const asked = [...read('src/config/env.ts').matchAll(/read\.\w+\(\s*'([A-Z][A-Z0-9_]+)'/g)].map(
  ([, name = '']) => name,
);
const variables = [...new Set(asked)].sort();

const entries = (text: string, pattern: RegExp): Record<string, string> =>
  Object.fromEntries([...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]));

describe.each([
  ['docs/configuration.md', /^\| `([A-Z0-9_]+)` \| (?:`(.*?)`)? \| .+ \|$/gm],
  ['.env.example', /^# ([A-Z0-9_]+)=(.*)$/gm],
])('%s', (name, pattern) => {
  const told = entries(read(name), pattern);

  it('documents every variable and no other', () => {
    expect(variables.length).toBeGreaterThan(30);
    expect(Object.keys(told).sort()).toEqual(variables);
  });

  it('documents the actual defaults', () => {
    expect(readConfig(told)).toEqual(readConfig({}));
  });
});
