import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebFiles } from '../../../src/modules/web/web-files.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const SCRIPT = 'console.log(1);'.repeat(200);

describe('files of the web app', () => {
  let folder: string;
  let files: WebFiles | null;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-web-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<meta property="csp-nonce" nonce="%CSP_NONCE%">');
    await writeFile(join(folder, 'assets', 'a.js'), SCRIPT);
    await writeFile(join(folder, 'assets', 'a.js.br'), brotliCompressSync(SCRIPT));
    await writeFile(join(folder, 'assets', 'a.js.gz'), gzipSync(SCRIPT));
    files = await WebFiles.read(folder);
  });

  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    [['br', 'gzip'], 'br'],
    [['gzip', 'deflate'], 'gzip'],
    [['identity'], 'identity'],
  ])('are sent to those who take %j as %s', (accepts, encoding) => {
    expect(files?.asset('a.js', accepts)).toMatchObject({ encoding, type: 'text/javascript; charset=utf-8' });
  });

  it.each(['b.js', '../index.html', 'a.js.br', '__proto__'])('do not include %s', (name) => {
    expect(files?.asset(name, ['br'])).toBeUndefined();
  });

  it('name a new nonce in each page and in its policy', () => {
    const pages = [files?.index(), files?.index()];
    const nonces = pages.map((page) => /nonce="([^"]+)"/.exec(page?.html ?? '')?.[1]);
    expect(new Set(nonces).size).toBe(2);
    pages.forEach((page, index) => expect(page?.policy).toContain(`'nonce-${nonces[index]}'`));
  });

  it('are unavailable before the build', async () => {
    expect(await WebFiles.read(join(folder, 'nowhere'))).toBeNull();
  });
});

describe('paths of the web app', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });

  afterAll(() => app.close());

  it.each(['/', '/login', '/projects', '/tasks/1', '/jobs/7', '/webhooks/1/deliveries', '/auth/register/invitation'])(
    'show the page at %s, by the policy that lets nothing of others in',
    async (path) => {
      const answer = await app.http.get(path).expect(200).expect('Content-Type', 'text/html; charset=utf-8');
      const policy = answer.headers['content-security-policy'];
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      expect(answer.headers['cache-control']).toBe('no-cache');
      expect(answer.text).toContain('<div id="root">');
    },
  );

  it('let browsers cache the files of the page forever', async () => {
    const page = await app.http.get('/');
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1] ?? '';
    const answer = await app.http.get(script).set('Accept-Encoding', 'gzip').expect(200);
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
  });

  it.each(['/admin', '/assets/nothing.js', '/static/nothing', '/projectsandmore', '/api/nothing'])(
    'are not found at %s',
    (path) => app.http.get(path).expect(404),
  );

  it('that are unknown show the app’s page in browsers only', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const page = await app.http.get('/nowhere').set('Accept', accept).expect(404);
    expect(page.text).toContain('<div id="root">');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await app.http.get('/nowhere').expect(404)).body).toEqual({ detail: 'Not found.' });
    expect((await app.http.get('/assets/nothing.js').set('Accept', accept).expect(404)).text).not.toContain('root');
    expect((await app.http.post('/nowhere').set('Accept', accept).expect(404)).text).not.toContain('root');
  });
});
