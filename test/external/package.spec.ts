import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../tools/free-port.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

/** The package contains what `npm ci` has built. */
const describeIfBuilt = existsSync(join(root, 'dist', 'cli.js')) ? describe : describe.skip;

describeIfBuilt('the npm package', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-package-'));
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root, maxBuffer: 2 ** 24 });
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const options = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
    await run('npm', ['install', ...options, `./${archive}`], { cwd: folder, maxBuffer: 2 ** 24 });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('starts with npx in an empty folder, without development dependencies', async () => {
    expect(existsSync(join(folder, 'node_modules', 'vite'))).toBe(false);
    const [port, monitoring] = [await freePort(), await freePort()];
    const env = {
      ...process.env,
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      MONITORING_PORT: String(monitoring),
    };
    const child = spawn(process.execPath, ['node_modules/cairn/dist/cli.js', 'serve'], { cwd: folder, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const exit = once(child, 'exit');
    try {
      while (!output.includes('Cairn is ready') && child.exitCode === null) await pause(50);
      const get = (path: string, of = port): Promise<Response> => fetch(`http://127.0.0.1:${of}${path}`);
      const page = await (await get('/')).text();
      const [script = 'no script'] = /\/assets\/[\w.-]+\.js/.exec(page) ?? [];
      expect([output, (await get(script)).status]).toEqual([output, 200]);
      expect((await get('/api/docs')).status).toBe(200);
      expect((await get('/ready', monitoring)).status).toBe(200);
    } finally {
      child.kill('SIGTERM');
    }
    expect((await exit)[0]).toBe(0);
  });
});
