// Lets plain Node import the project's TypeScript (types stripped, decorators compiled, `./x.js` and `./x` found as
// `./x.ts`), the client of the API, and a test file `@jest/globals`:
//   node --import ./test/runner/typescript-hooks.js some/script.ts
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { compiledPath } from './compiled-path.cjs';

if (isMainThread) register(import.meta.url);

const replacements = {
  '@jest/globals': new URL('globals.js', import.meta.url).href,
  'cairn-client': new URL('../../clients/typescript/src/index.ts', import.meta.url).href,
  'cairn-client/accept': new URL('../../clients/typescript/src/accept.ts', import.meta.url).href,
  'cairn/extension': new URL('../../src/extension.ts', import.meta.url).href,
};

export function resolve(specifier, context, next) {
  const fromTypescript = context.parentURL?.endsWith('.ts') ?? false;
  const replacement = replacements[specifier];
  if (fromTypescript && replacement !== undefined) return next(replacement, context);
  if (fromTypescript && /^\.{1,2}\//.test(specifier)) {
    const typescript = new URL(specifier.replace(/(\.js)?$/, '.ts'), context.parentURL);
    if (existsSync(typescript)) return next(typescript.href, context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: await compiled(fileURLToPath(url)), shortCircuit: true };
}

/** The JavaScript of a TypeScript file; cached after the first compilation. */
async function compiled(filename) {
  const source = await readFile(filename, 'utf8');
  const kept = compiledPath(source);
  if (existsSync(kept)) return readFile(kept, 'utf8');
  const { transform } = await import('@swc/core');
  const { code, map } = await transform(source, { filename, sourceMaps: true });
  await mkdir(dirname(kept), { recursive: true });
  await writeWhole(`${kept}.map`, map);
  await writeWhole(kept, code);
  return code;
}

/** Writes atomically: other processes compile the same file at the same time and must not read a partial one. */
async function writeWhole(path, text) {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, path);
}
