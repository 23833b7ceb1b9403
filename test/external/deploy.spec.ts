import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { describeWith, findProgram } from './support/programs.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

/** Runs a program in the project's folder; an exit code other than 0 fails with its output. */
async function output(program: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(findProgram(program) ?? program, [...args], { cwd: root });
  return `${stdout}${stderr}`.trim();
}

describeWith(['python-for-deployment'], 'the Helm chart', () => {
  it('renders valid objects of Kubernetes, and rejects invalid values', async () => {
    const text = await output('python-for-deployment', ['deploy/helm/check.py']);
    expect(text.split('\n').map((line) => line.split(':')[0])).toEqual(['ok', 'ok', 'ok', 'ok']);
  });
});

describeWith(['hadolint'], 'the Dockerfile', () => {
  it('has no findings', async () => {
    expect(await output('hadolint', ['Dockerfile'])).toBe('');
  });
});

describeWith(['promtool'], 'the alerts', () => {
  it('are valid', async () => {
    expect(await output('promtool', ['check', 'rules', 'deploy/prometheus/alerts.yaml'])).toContain('SUCCESS');
  });
});
