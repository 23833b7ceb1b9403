// Writes the types of the TypeScript client from openapi.json; `--check` tells whether they are up to date. The check
// needs nothing installed: the file says of which document it was made. With the generator there (npm ci in
// clients/typescript) it compares the whole file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'clients', 'typescript');
const document = join(root, 'openapi.json');
const file = join(folder, 'src', 'schema.ts');
const generator = join(folder, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');

const digest = createHash('sha256').update(readFileSync(document)).digest('hex');
const heading = `// Made by "npm run openapi:client" of openapi.json, SHA-256 ${digest}\n`;

if (!process.argv.includes('--check')) {
  if (!existsSync(generator)) run('npm', ['ci', '--no-audit', '--no-fund']);
  writeFileSync(file, generated());
} else if (!isFresh()) {
  console.error(
    'clients/typescript/src/schema.ts is not made of openapi.json: run "npm run openapi:client" and commit it.',
  );
  process.exit(1);
}

function isFresh() {
  const present = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return existsSync(generator) ? present === generated() : present.startsWith(heading);
}

function generated() {
  // a field with a default may still be left out of a body
  return heading + run(process.execPath, [generator, document, '--default-non-nullable', 'false']);
}

function run(program, parameters) {
  const result = spawnSync(program, parameters, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
  if (result.status === 0) return result.stdout;
  process.stderr.write(result.stderr);
  process.exit(1);
}
