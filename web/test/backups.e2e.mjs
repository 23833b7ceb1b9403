// Backups of tasks and projects: created, followed, downloaded, and restored from this computer and from a cloud storage.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import '../../test/runner/typescript-hooks.js';
import { createTask } from './annotated-task.mjs';
import { fits, worksByKeyboard } from './page-rules.mjs';
import { inspect, photo, startApp } from './support.mjs';

const { storageBody } = await import('../../test/support/given-storage.ts');
const { createObjectStore } = await import('../../test/support/object-store.ts');

let app;
let page;
let store;
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-backups-'));
  store = await createObjectStore();
  store.buckets.set('archive', new Map());
  app = await startApp({ REMOTE_ALLOW: '127.0.0.1' });
  const { api, url, username, password } = app;
  const { key } = await api('POST', '/auth/login', { username, password });
  await api('POST', '/projects', { name: 'Animals', labels: [{ name: 'cat' }] });
  await createTask(api, { url, key }, [photo('chelsea.jpg'), photo('coffee.jpg')]);
  await api('POST', '/tasks', { name: 'Without frames', labels: [{ name: 'cat' }] });
  page = await app.newPage({ width: 1024, height: 720 });
});

after(async () => {
  await app?.stop();
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});

const open = async (path, of, item) => {
  await page.goto(path);
  await page.getByRole('button', { name: `Actions for ${of}` }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
  await page.getByRole('dialog').waitFor();
};

test('a backup of a task is created, followed and downloaded', async () => {
  await open('/tasks/1', 'Photographs of animals', 'Back up');
  await inspect(page);
  await page.getByLabel('File name').fill('animals.zip');
  await page.getByRole('button', { name: 'Create backup' }).click();
  await page.getByRole('link', { name: 'Download file' }).waitFor();
  await page.goto('/requests');
  const row = page.getByRole('row').filter({ hasText: 'Backup' });
  await row.getByText('finished').waitFor();
  await row.getByRole('link', { name: 'Photographs of animals' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('link', { name: 'Download' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'animals.zip');
  await download.saveAs(join(folder, 'animals.zip'));
  assert.equal((await readFile(join(folder, 'animals.zip'))).subarray(0, 2).toString(), 'PK');
});

test('a task without frames offers no backup', async () => {
  await page.goto('/tasks/2');
  await page.getByRole('button', { name: 'Actions for Without frames' }).click();
  await page.getByRole('menuitem', { name: 'Export' }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Back up' }).count(), 0);
});

test('a task is restored from a file, and other file types are rejected', async () => {
  await page.goto('/tasks');
  await page.getByRole('button', { name: 'Restore backup' }).click();
  const file = page.getByRole('dialog').locator('input[type=file]');
  await file.setInputFiles(photo('coffee.jpg'));
  await page.getByText('Select a .zip file.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Restore', exact: true }).isDisabled());
  await file.setInputFiles(join(folder, 'animals.zip'));
  await inspect(page);
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('The backup has been restored').waitFor();
  await page.getByRole('link', { name: 'Open task' }).click();
  await page.waitForURL('**/tasks/3');
  await page.getByRole('link', { name: /^Job / }).first().waitFor();
  const task = await app.api('GET', '/tasks/3');
  assert.deepEqual([task.name, task.size], ['Photographs of animals', 2]);
  await page.goto('/requests');
  const row = page.getByRole('row').filter({ hasText: 'Restore from backup' });
  await row.getByRole('link', { name: 'Photographs of animals' }).waitFor();
  await inspect(page);
});

test('restoring an invalid file shows the error', async () => {
  await page.goto('/projects');
  await page.getByRole('button', { name: 'Restore backup' }).click();
  const broken = { name: 'broken.zip', mimeType: 'application/zip', buffer: Buffer.from('no archive') };
  await page.getByRole('dialog').locator('input[type=file]').setInputFiles(broken);
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText('The backup could not be restored').waitFor();
  await page.getByText('File is not a zip file').waitFor();
  assert.equal((await app.api('GET', '/projects')).count, 1);
});

test('a project is backed up into a cloud storage and restored from it', async () => {
  await app.api('POST', '/cloudstorages', storageBody(store, 'archive', { display_name: 'Archive' }));
  await open('/projects/1', 'Animals', 'Back up');
  await page.getByRole('combobox', { name: 'Destination' }).click();
  await page.getByRole('option', { name: /^Archive/ }).click();
  await page.getByLabel('File name').fill('all-animals.zip');
  await page.getByRole('button', { name: 'Create backup' }).click();
  await page.getByText('The backup is in the cloud storage.').waitFor();
  assert.ok(store.buckets.get('archive').has('all-animals.zip'));
  await page.goto('/projects');
  await page.getByRole('button', { name: 'Restore backup' }).click();
  await page.getByRole('combobox', { name: 'Source' }).click();
  await page.getByRole('option', { name: /^Archive/ }).click();
  await page.getByRole('checkbox', { name: 'Select all-animals.zip' }).check();
  await inspect(page);
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('link', { name: 'Open project' }).click();
  await page.waitForURL('**/projects/2');
  await page.getByRole('heading', { name: 'Animals' }).waitFor();
});

test('backup dialogs fit a phone and work with the keyboard', async () => {
  await page.setViewportSize({ width: 375, height: 740 });
  await open('/tasks/1', 'Photographs of animals', 'Back up');
  await fits(page);
  await page.keyboard.press('Escape');
  await page.goto('/tasks');
  await page.getByRole('button', { name: 'Restore backup' }).waitFor();
  await fits(page);
  await worksByKeyboard(page);
  await page.getByRole('button', { name: 'Restore backup' }).click();
  await page.getByRole('dialog').waitFor();
  await fits(page);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Restore backup');
});
