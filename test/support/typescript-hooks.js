// Lets plain Node import the project's TypeScript (types stripped, decorators compiled, `./x.js` found as `./x.ts`):
//   node --import ./test/support/typescript-hooks.js some/script.ts
// Jest needs it for its global setup, which Node itself loads.
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export function resolve(specifier, context, next) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const typescript = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
    if (existsSync(typescript)) return next(typescript.href, context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { transformFile } = await import('@swc/core');
  const { code } = await transformFile(fileURLToPath(url), { sourceMaps: 'inline' });
  return { format: 'module', source: code, shortCircuit: true };
}
