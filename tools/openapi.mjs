// Writes openapi.json, the API description generated from the sources. `--check` checks that the file is up to date.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const file = join(root, 'openapi.json');

const command = ['--import', './test/runner/typescript-hooks.js', 'src/cli.ts', 'openapi'];
const { status, stdout, stderr } = spawnSync(process.execPath, command, {
  cwd: root,
  env: { ...process.env, CAIRN_EXTENSIONS: '' }, // ignore extensions of the local installation
  encoding: 'utf8',
  maxBuffer: 64 * 2 ** 20,
});
if (status !== 0) {
  process.stderr.write(stderr);
  process.exit(1);
}

if (!process.argv.includes('--check')) {
  writeFileSync(file, stdout);
} else if (!existsSync(file) || readFileSync(file, 'utf8') !== stdout) {
  console.error('openapi.json is not what the sources describe: run "npm run openapi" and commit it.');
  process.exit(1);
}
