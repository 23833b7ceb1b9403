// Runs all checks that need no running server, in sequence. A failure does not stop the following checks.
//
//   npm run check                 everything
//   npm run check -- lint dead    some
import { spawnSync } from 'node:child_process';

const CHECKS = ['types', 'lint', 'format', 'dead', 'imports', 'openapi', 'client'];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !CHECKS.includes(name));
if (unknown.length > 0) {
  console.error(`There is no check "${unknown.join('", "')}". Checks: ${CHECKS.join(', ')}.`);
  process.exit(2);
}

const failed = [];
for (const name of asked.length > 0 ? asked : CHECKS) {
  const start = performance.now();
  const { status, stdout, stderr } = run(name);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (status === 0) continue;
  failed.push(name);
  process.stdout.write(`${stdout}${stderr}\n`);
}
if (asked.length === 0) process.stdout.write(run('size').stdout);
console.log(failed.length === 0 ? 'All checks passed.' : `Checks that failed: ${failed.join(', ')}.`);
process.exit(failed.length === 0 ? 0 : 1);

function run(name) {
  return spawnSync('npm', ['run', '--silent', `check:${name}`], { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
}
