// Builds dist/ when it is missing or older than the sources, so that `npm start` works from a fresh checkout and is
// quick afterwards. `--optional` (after an installation without the compiler) does nothing then.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const built = join(root, 'dist', 'cli.js');
const newest = (path) => {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
};
const sources = ['src', 'tsconfig.json', 'nest-cli.json', 'package.json'].map((name) => join(root, name));

if (existsSync(built) && sources.every((path) => newest(path) <= statSync(built).mtimeMs)) process.exit(0);
if (!existsSync(join(root, 'node_modules', '@nestjs', 'cli')) && process.argv.includes('--optional')) process.exit(0);

const nest = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
const result = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: 'inherit' });
if (result.status === 0) utimesSync(built, new Date(), new Date());
process.exit(result.status ?? 1);
