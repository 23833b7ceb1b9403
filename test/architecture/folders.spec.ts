import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const core = join(import.meta.dirname, '../../src/core');
/** The module lists the providers of all folders. */
const ROOT_FILE = 'core.module.ts';

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** Which folders of `core` import which, including imports of types. Files directly in `core` are the folder `.`. */
function importsOfFolders(): Imports {
  const imports = new Map<string, Set<string>>();
  const files = readdirSync(core, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && name !== ROOT_FILE)) {
    const from = dirname(file);
    const targets = imports.get(from) ?? new Set();
    imports.set(from, targets);
    for (const [, path = ''] of readFileSync(join(core, file), 'utf8').matchAll(
      /(?:from|import)\s*\(?\s*'(\.[^']+)'/g,
    )) {
      const to = relative(core, dirname(join(core, from, path))) || '.';
      if (to !== from && !to.startsWith('..')) targets.add(to);
    }
  }
  return imports;
}

/** @returns a cycle such as `a`, `b`, `a`; undefined if there is none */
function findCycle(imports: Imports): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (folder: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder];
    if (done.has(folder)) return undefined;
    for (const next of imports.get(folder) ?? []) {
      const cycle = visit(next, [...path, folder]);
      if (cycle !== undefined) return cycle;
    }
    done.add(folder);
    return undefined;
  };
  for (const folder of imports.keys()) {
    const cycle = visit(folder, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe('the folders of core', () => {
  it('import each other in one direction', () => {
    const imports = importsOfFolders();
    expect(imports.get('events')).toContain('database');
    expect(imports.get('http/app')).toContain('http/errors');
    expect(findCycle(imports)).toBeUndefined();
  });

  it('would fail the test above with a cycle', () => {
    const imports = new Map(
      Object.entries({ a: ['b'], b: ['c', 'd'], c: [], d: ['a'] }).map(([k, v]) => [k, new Set(v)]),
    );
    expect(findCycle(imports)).toEqual(['a', 'b', 'd', 'a']);
  });
});
