// Cloud storages: create, list, browse, edit and delete, with permissions.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import '../../test/runner/typescript-hooks.js';
import { fits, hasLargeTargets, worksByKeyboard } from './page-rules.mjs';
import { inspect, photo, startApp } from './support.mjs';

const { createObjectStore, STORE_KEY } = await import('../../test/support/object-store.ts');

const MANIFEST =
  '{"version":"1.1"}\n{"type":"images"}\n{"name":"cats/chelsea","extension":".jpg","width":451,"height":300}\n';

let app;
let page;
let store;

before(async () => {
  store = await createObjectStore();
  const image = await readFile(photo('chelsea.jpg'));
  store.buckets.set(
    'photos',
    new Map([
      ['cats/chelsea.jpg', image],
      ['cats/second.jpg', image],
      ['notes.pdf', image],
      ['manifest.jsonl', Buffer.from(MANIFEST)],
    ]),
  );
  app = await startApp({ REMOTE_ALLOW_PRIVATE: 'true' });
  page = await app.newPage({ width: 1024, height: 720 });
});

after(async () => {
  await app?.stop();
  await store?.close();
});

const choose = async (label, option) => {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
};

test('a cloud storage is created after the errors of its fields are corrected', async () => {
  await page.goto('/cloudstorages');
  await page.getByText('No cloud storages yet').waitFor();
  await inspect(page);
  await page.getByRole('link', { name: 'New cloud storage' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Harbour');
  await page.getByRole('textbox', { name: 'Bucket' }).fill('NO');
  await page.getByRole('textbox', { name: 'Access key ID' }).fill(STORE_KEY.key);
  await page.getByLabel(/^Secret access key/).fill(STORE_KEY.secret_key);
  await page.getByRole('textbox', { name: 'Endpoint URL' }).fill(store.url);
  await page.getByRole('button', { name: 'Create cloud storage' }).click();
  await page
    .getByText(/The name of a bucket has at least 3/)
    .first()
    .waitFor();
  await page.waitForFunction(() => document.activeElement?.value === 'NO');
  await inspect(page);
  await page.getByRole('textbox', { name: 'Bucket' }).fill('photos');
  await page.getByRole('textbox', { name: 'Manifests' }).fill('manifest.jsonl');
  await page.reload(); // input is kept, except secrets
  assert.equal(await page.getByRole('textbox', { name: 'Bucket' }).inputValue(), 'photos');
  assert.equal(await page.getByLabel(/^Secret access key/).inputValue(), '');
  await page.getByRole('textbox', { name: 'Access key ID' }).fill(STORE_KEY.key);
  await page.getByLabel(/^Secret access key/).fill(STORE_KEY.secret_key);
  await page.getByRole('button', { name: 'Create cloud storage' }).click();
  await page.waitForURL('**/cloudstorages/1');
  await page.getByText('Available').waitFor();
});

test('the files of the bucket and of a manifest are browsed', async () => {
  const content = page.getByRole('list', { name: /^Contents of/ });
  await content.getByText('notes.pdf').waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 0);
  await content.getByRole('button', { name: 'cats' }).click();
  await content.getByText('second.jpg').waitFor();
  await inspect(page);
  await choose('Show', 'manifest.jsonl');
  await page
    .getByRole('list', { name: /^Contents of/ })
    .getByRole('button', { name: 'cats' })
    .click();
  await content.getByText('chelsea.jpg').waitFor();
  assert.equal(await content.getByText('second.jpg').count(), 0);
  await worksByKeyboard(page);
});

test('the list shows the status and can be searched', async () => {
  await page.goto('/cloudstorages');
  const row = page.getByRole('row').filter({ hasText: 'Harbour' });
  await row.getByText('Available').waitFor();
  await row.getByText('Amazon S3 or compatible').waitFor();
  await inspect(page);
  await hasLargeTargets(page);
  await worksByKeyboard(page);
  await page.getByLabel('Search cloud storages').fill('nothing like it');
  await page.getByText('No cloud storages found').waitFor();
});

test('settings are changed without typing the secrets again', async () => {
  await page.goto('/cloudstorages/1?show=settings');
  const name = page.getByRole('textbox', { name: 'Name' });
  assert.equal(await page.getByLabel(/^Secret access key/).inputValue(), '');
  await name.fill('Old harbour');
  await page.getByRole('textbox', { name: 'Description' }).fill('Ships and cats');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Cloud storage saved.').waitFor();
  await page.getByRole('heading', { name: 'Old harbour' }).waitFor();
  const stored = await app.api('GET', '/cloudstorages/1');
  assert.deepEqual([stored.display_name, stored.description], ['Old harbour', 'Ships and cats']);
  assert.equal(await app.api('GET', '/cloudstorages/1/status'), 'AVAILABLE');
  await inspect(page);
  store.buckets.delete('photos');
  await page.goto('/cloudstorages/1');
  await page.getByText('Bucket not found').waitFor();
});

test('each provider asks for its own credentials', async () => {
  await page.goto('/cloudstorages/new');
  const asked = async (type, labels) => {
    await choose('Credentials type', type);
    for (const label of labels)
      await page
        .getByLabel(new RegExp(`^${label}`))
        .first()
        .waitFor();
  };
  await asked('Access key', ['Access key ID', 'Secret access key', 'Session token']);
  await asked('Anonymous access', []);
  assert.equal(await page.getByLabel(/^Secret access key/).count(), 0);
  await choose('Provider', 'Azure Blob Storage');
  await asked('Connection string', ['Connection string']);
  await asked('Account name and SAS token', ['Account name', 'SAS token']);
  await asked('Anonymous access', ['Account name']);
  await page.getByLabel(/^Account name/).fill('NO');
  await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('In Azure');
  await page.getByRole('textbox', { name: 'Container' }).fill('container');
  await inspect(page);
  await page.getByRole('button', { name: 'Create cloud storage' }).click();
  await page
    .getByText(/The name of an account has 3 to 24/)
    .first()
    .waitFor();
  await choose('Provider', 'Google Cloud Storage');
  await asked('Anonymous access', []);
  await asked('Key file', ['Key file']);
  for (const label of ['Project ID', 'Location', 'Prefix']) await page.getByLabel(label).waitFor();
  await page.getByRole('textbox', { name: 'Bucket' }).fill('bucket');
  const key = { name: 'key.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
  await page.locator('input[type=file]').setInputFiles(key);
  await page.getByRole('button', { name: 'Create cloud storage' }).click();
  await page
    .getByText(/The key file is not the JSON file of a service account/)
    .first()
    .waitFor();
  await inspect(page);
  await fits(page);
  await page.reload();
  await page.getByText('Key file').first().waitFor();
  await worksByKeyboard(page);
});

test('a cloud storage is deleted after confirmation', async () => {
  await page.goto('/cloudstorages/1');
  await page.getByRole('button', { name: 'Actions for Old harbour' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('The bucket and its files stay as they are.').waitFor();
  await inspect(page);
  await page.getByRole('button', { name: 'Delete cloud storage' }).click();
  await page.getByText('No cloud storages yet').waitFor();
  assert.equal((await app.api('GET', '/cloudstorages')).count, 0);
});

test('workers of an organization cannot create cloud storages', async () => {
  const other = await app.newPage({ loggedIn: false });
  await app.register(other.context(), { username: 'stella', password: 'stones piled high' });
  await app.api('POST', '/organizations', { slug: 'quarry', name: 'Quarry' });
  await app.api('POST', '/invitations?org=quarry', { email: 'stella@example.org', role: 'worker' });
  await other.goto('/cloudstorages');
  await other.getByRole('button', { name: 'Organization: Quarry' }).waitFor();
  await other.getByText('A maintainer of the organization can connect buckets.').waitFor();
  assert.equal(await other.getByRole('link', { name: 'New cloud storage' }).count(), 0);
  await other.context().close();
});

test('the pages fit a phone', async () => {
  await page.setViewportSize({ width: 375, height: 740 });
  for (const path of ['/cloudstorages', '/cloudstorages/new']) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await inspect(page);
    await fits(page);
  }
});
