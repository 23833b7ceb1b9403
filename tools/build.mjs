// Builds the server (dist/) and the web app (web/dist/) if they are missing or older than their sources, so that `npm
// start` works in a fresh checkout and is fast afterwards. With `--optional` it does nothing if the compilers are not
// installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const tool = (...path) => join(root, 'node_modules', ...path);
const PARTS = [
  {
    built: 'dist/cli.js',
    sources: ['src', 'tsconfig.json', 'nest-cli.json', 'package.json'],
    command: [tool('@nestjs', 'cli', 'bin', 'nest.js'), 'build'],
  },
  {
    built: 'web/dist/index.html',
    sources: [
      'web/src',
      'web/index.html',
      'web/vite.config.js',
      'web/tsconfig.json',
      'clients/typescript/src',
      'package.json',
    ],
    command: [tool('vite', 'bin', 'vite.js'), 'build', 'web', '--logLevel', 'warn'],
  },
];

for (const { built, sources, command } of PARTS) {
  const result = join(root, built);
  if (existsSync(result) && sources.every((path) => newest(join(root, path)) <= statSync(result).mtimeMs)) continue;
  if (!existsSync(command[0]) && process.argv.includes('--optional')) continue;
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  utimesSync(result, new Date(), new Date());
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
