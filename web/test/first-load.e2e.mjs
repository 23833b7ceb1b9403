// The size of the first load of each page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startApp } from './support.mjs';

/** Ten KB less than the documented limit, as a reserve. */
const MAX_BYTES = 240 * 1024;
/**
 * Taken from the age of each page, so that `loadLater` does not load anything during the measurement, also on a slow
 * machine.
 */
const YOUNGER_MS = 1e9;

let app;

before(async () => {
  app = await startApp();
  await app.api('POST', '/projects', { name: 'Stones', labels: [{ name: 'stone' }] });
  await app.api('POST', '/tasks', { name: 'Shore', project_id: 1 });
  await app.api('POST', '/webhooks', {
    target_url: `${app.url}/inspect/x`,
    type: 'project',
    project_id: 1,
    events: ['update:project'],
  });
});

after(() => app.stop());

for (const [path, loggedIn, ready] of [
  ['/', true, 'Search projects'],
  ['/', false, 'Password'],
  ['/my-work', true, 'Jobs to show'],
  ['/tasks', true, 'Search tasks'],
  ['/jobs', true, 'Search jobs'],
  ['/webhooks', true, 'Search webhooks'],
  ['/projects/1', true, 'Search tasks'],
  ['/tasks/1', true, 'Files of the task'],
  ['/tasks/new', true, 'Files of the task'],
  ['/webhooks/1', true, 'Status'],
  ['/webhooks/new', true, 'Target URL'],
]) {
  test(`the first load of ${path} (${loggedIn ? 'logged in' : 'logged out'}) is light`, async (context) => {
    const page = await app.newPage({ loggedIn });
    await page.addInitScript((younger) => {
      const now = performance.now.bind(performance);
      performance.now = () => now() - younger;
    }, YOUNGER_MS);
    const files = [];
    const onResponse = (response) => {
      const { pathname } = new URL(response.url());
      if (/\.(js|css)$/.test(pathname)) files.push(weigh(response));
    };
    page.on('response', onResponse);
    await page.goto(path);
    await page.getByLabel(ready).first().waitFor();
    await page.waitForLoadState('networkidle');
    page.off('response', onResponse); // what is loaded later may be interrupted by the end of the test
    const weighed = (await Promise.all(files)).toSorted((a, b) => b.bytes - a.bytes);
    const sum = weighed.reduce((total, { bytes }) => total + bytes, 0);
    const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
    const list = weighed.map(({ name, bytes }) => `${kilobytes(bytes)} ${name}`).join(', ');
    context.diagnostic(`${path}: ${kilobytes(sum)} gzip in ${weighed.length} files`);
    assert.ok(weighed.length > 1);
    assert.ok(sum <= MAX_BYTES, `${kilobytes(sum)} gzip: ${list}`);
    await page.context().close();
  });
}

async function weigh(response) {
  return { name: new URL(response.url()).pathname, bytes: gzipSync(await response.body(), { level: 9 }).length };
}
