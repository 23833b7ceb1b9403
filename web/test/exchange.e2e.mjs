// Export and import of annotations, over unreliable connections and with cloud storages; tasks from cloud storages and
// from URLs.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import '../../test/runner/typescript-hooks.js';
import { everyKind, createTask } from './annotated-task.mjs';
import { inspect, photo, startApp, until } from './support.mjs';

const { storageBody } = await import('../../test/support/given-storage.ts');
const { createObjectStore } = await import('../../test/support/object-store.ts');
const { ZipSink } = await import('../../src/engines/annotations/formats/zip.ts');
const folder = await mkdtemp(join(tmpdir(), 'exchange-'));

let app;
let page;
let store;
let pictures;
let task;

before(async () => {
  store = await createObjectStore();
  pictures = await servePhotos();
  store.buckets.set('photos', new Map([['cats/chelsea.jpg', await readFile(photo('chelsea.jpg'))]]));
  store.buckets.set('archive', new Map([['old/drinks/coffee.jpg', await readFile(photo('coffee.jpg'))]]));
  app = await startApp({ REMOTE_ALLOW_PRIVATE: 'true' });
  const { url, username, password } = app;
  const { key } = await app.api('POST', '/auth/login', { username, password });
  task = await createTask(app.api, { url, key }, [photo('chelsea.jpg'), photo('coffee.jpg')]);
  await app.api('PUT', `/jobs/${task.jobId}/annotations`, everyKind(task.labels, 1));
  await app.api('POST', '/cloudstorages', storageBody(store, 'photos', { display_name: 'Harbour' }));
  const { specific_attributes: endpoint, ...archive } = storageBody(store, 'archive', { display_name: 'Attic' });
  await app.api('POST', '/cloudstorages', { ...archive, specific_attributes: `${endpoint}&prefix=old/` });
  await app.api('POST', '/projects', { name: 'Animals', labels: [{ name: 'cat' }] });
  page = await app.newPage();
});

after(async () => {
  await store?.close();
  pictures?.server.close();
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Serves the photographs of the demo. */
async function servePhotos() {
  const server = createServer((request, response) => {
    readFile(photo(request.url.slice(1))).then(
      (content) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

const choose = async (label, option) => {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
};
const act = async (on, what) => {
  await page.getByRole('button', { name: `Actions for ${on}`, exact: true }).click();
  await page.getByRole('menuitem', { name: what }).click();
};
const shapes = async () => (await app.api('GET', `/jobs/${task.jobId}/annotations`)).shapes.length;

test('annotations of a job are exported, and imported over an unreliable connection', async () => {
  await page.goto(`/tasks/${task.taskId}`);
  await act(`job ${task.jobId}`, 'Export');
  await choose('Format', 'CVAT for images 1.1');
  await page.getByRole('textbox', { name: 'File name' }).fill('mine.zip');
  await page.getByRole('switch', { name: 'Export only a part' }).check();
  await choose('Job states', 'new');
  await page.keyboard.press('Escape');
  await inspect(page);
  const sent = page.waitForRequest((request) => request.url().includes('job_state=new'));
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await sent;
  const link = page.getByRole('link', { name: 'Download file' });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.equal(download.suggestedFilename(), 'mine.zip');
  const before = await shapes();
  await app.api('DELETE', `/jobs/${task.jobId}/annotations`);
  let isBroken = true;
  await page.route('**/api/jobs/*/annotations/*', (route) =>
    route.request().method() === 'PATCH' && isBroken ? route.abort('connectionreset') : route.fallback(),
  );
  await act(`job ${task.jobId}`, 'Import annotations');
  const file = { name: 'mine.zip', mimeType: 'application/zip', buffer: await readFile(await download.path()) };
  await page.locator('input[type=file]').last().setInputFiles(file);
  await page.getByText('The upload resumes automatically').waitFor();
  await inspect(page);
  isBroken = false;
  await page.getByText('Matches: ').waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Format' }).inputValue(), 'CVAT 1.1');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('The file has been imported').waitFor();
  await page.unroute('**/api/jobs/*/annotations/*');
  assert.ok((await shapes()) >= before, 'this format has no tracks, so their shapes are imported');
});

test('a file is checked before it is imported, and imported in part', async () => {
  const before = await shapes();
  await act(`job ${task.jobId}`, 'Import annotations');
  await choose('Format', 'COCO 1.0');
  const { name } = task.labels.cat;
  const { frames } = await app.api('GET', `/tasks/${task.taskId}/data/meta`);
  const coco = {
    images: [frames[0].name, 'gone.jpg'].map((file_name, at) => ({ id: at + 1, file_name })),
    categories: [{ id: 1, name }],
    annotations: [1, 2].map((id) => ({ id, image_id: id, category_id: 1, bbox: [1, 1, 9, 9] })),
  };
  const buffer = Buffer.from(JSON.stringify(coco));
  await page
    .locator('input[type=file]')
    .last()
    .setInputFiles({ name: 'part.json', mimeType: 'application/json', buffer });
  await page.getByText('Matches: 1 shape on 1 frame.').waitFor();
  await page.getByRole('table', { name: 'What is not imported' }).getByRole('cell', { name: 'gone' }).waitFor();
  await inspect(page);
  assert.equal(await shapes(), before);
  await page.getByRole('switch', { name: 'Skip what does not match' }).check();
  await page.getByRole('button', { name: 'Import anyway' }).click();
  await page.getByRole('link', { name: 'Show what was left out' }).click();
  await page.getByRole('button', { name: 'Show report' }).first().click();
  await page.getByText('Imported: 1 shape on 1 frame.').waitFor();
  assert.equal(await shapes(), 1);
  await app.api('PUT', `/jobs/${task.jobId}/annotations`, everyKind(task.labels, 1));
  await page.goto(`/tasks/${task.taskId}`);
});

/** Writes an archive with one annotation, and with a file that no format has. @param size of its image */
const partial = async (size) => {
  const { frames } = await app.api('GET', `/tasks/${task.taskId}/data/meta`);
  const path = join(folder, `part-${size}.zip`);
  const archive = new ZipSink(path, new Date());
  await archive.addFile('obj.names', Buffer.from(task.labels.cat.name));
  await archive.addFile(`obj_train_data/${frames[0].name.replace(/\.\w+$/, '')}.txt`, Buffer.from('0 .5 .5 .5 .5'));
  await archive.addFile('notes.csv', Buffer.from('a,b'));
  await archive.addFile('obj_train_data/a.jpg', Buffer.alloc(size));
  await archive.close();
  return path;
};

/** Imports a part of a file, and restores what was there. @param before number of shapes */
async function importAnyway(before) {
  assert.equal(await shapes(), before);
  await page.getByRole('button', { name: 'Import anyway' }).click();
  await page.getByText('The file has been imported').waitFor();
  assert.equal(await shapes(), 1);
  await page.getByRole('button', { name: 'Restore previous annotations' }).click();
  await page.getByText('The previous annotations are restored.').waitFor();
  assert.equal(await shapes(), before);
}

test('a file that is not read completely replaces annotations only if the user wants it, which can be undone', async () => {
  const before = await shapes();
  await act(`job ${task.jobId}`, 'Import annotations');
  await page
    .locator('input[type=file]')
    .last()
    .setInputFiles(await partial(10));
  await page.getByText('Some parts of the file would not be imported.').waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Format' }).inputValue(), 'YOLO 1.1');
  const left = page.getByRole('table', { name: 'What is not imported' });
  await left.getByRole('cell', { name: 'not a file of YOLO 1.1' }).waitFor();
  await inspect(page, 'import-report');
  await importAnyway(before);
});

test('a large file, which is checked while it is imported, asks in the same way', async () => {
  const before = await shapes();
  await page.goto(`/tasks/${task.taskId}`);
  await act(`job ${task.jobId}`, 'Import annotations');
  await choose('Format', 'YOLO 1.1');
  await page
    .locator('input[type=file]')
    .last()
    .setInputFiles(await partial(65 * 2 ** 20));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('The file cannot be imported completely').waitFor();
  await inspect(page);
  await importAnyway(before);
});

test('annotations of a task are exported to a cloud storage and imported into a job', async () => {
  await act('Photographs of animals', 'Export');
  await choose('Format', 'CVAT for images 1.1');
  await choose('Destination', 'Harbour (photos)');
  await page.getByRole('textbox', { name: 'File name' }).fill('out/animals.zip');
  await inspect(page);
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByText('The file is in the cloud storage.').waitFor();
  assert.equal(store.buckets.get('photos').get('out/animals.zip').subarray(0, 2).toString(), 'PK');
  const before = await shapes();
  await app.api('DELETE', `/jobs/${task.jobId}/annotations`);
  await act(`job ${task.jobId}`, 'Import annotations');
  await choose('Format', 'CVAT 1.1');
  await choose('Source', 'Harbour (photos)');
  await page.getByRole('button', { name: 'cats', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Select cats/chelsea.jpg' }).check();
  await page.getByText('Select a file of type').waitFor();
  await page.getByRole('navigation', { name: 'Folder path' }).getByRole('button', { name: 'Cloud storage' }).click();
  await page.getByRole('button', { name: 'out', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Select out/animals.zip' }).check();
  await page.getByText('Select a file of type').waitFor({ state: 'detached' });
  await inspect(page, 'import-from-cloud');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const { frame_count: frames } = await app.api('GET', `/jobs/${task.jobId}`);
  await until(async () => (await shapes()) === before + frames); // this format has no tracks: one shape on each frame
});

test('importing a missing file shows the error', async () => {
  await page.route(`**/api/cloudstorages/*/content-v2*`, (route) =>
    route.fulfill({ json: { next: null, content: [{ name: 'gone.zip', type: 'REG', mime_type: 'zip' }] } }),
  );
  await page.reload();
  await act('Photographs of animals', 'Import annotations');
  await choose('Format', 'CVAT 1.1');
  await choose('Source', 'Harbour (photos)');
  await page.getByRole('checkbox', { name: 'Select gone.zip' }).check();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('The file cannot be imported').waitFor();
  await page.unroute(`**/api/cloudstorages/*/content-v2*`);
});

const newTask = async (name, from) => {
  await page.goto('/tasks/new?project=1');
  await page.getByRole('textbox', { name: 'Name' }).first().fill(name);
  await page.getByRole('tab', { name: from }).click();
};
const framesOf = async (name) => {
  await page.getByRole('link', { name: /^Job / }).first().waitFor();
  const { results } = await app.api('GET', `/tasks?name=${encodeURIComponent(name)}`);
  const { frames } = await app.api('GET', `/tasks/${results[0].id}/data/meta`);
  return frames.map((frame) => frame.name);
};

test('a task is created from a cloud storage', async () => {
  await newTask('From the cloud', 'Cloud storage');
  await choose('Cloud storage', 'Harbour (photos)');
  await page.getByRole('checkbox', { name: 'Select cats/' }).check();
  await inspect(page);
  await page.getByRole('button', { name: 'Create from these files' }).click();
  assert.deepEqual(await framesOf('From the cloud'), ['cats/chelsea.jpg']);
});

test('a cloud storage with a prefix is browsed from that folder', async () => {
  await newTask('From the attic', 'Cloud storage');
  await choose('Cloud storage', 'Attic (archive)');
  await page.getByRole('button', { name: 'drinks', exact: true }).click();
  assert.deepEqual(await page.getByRole('navigation', { name: 'Folder path' }).getByRole('button').allTextContents(), [
    'Cloud storage',
  ]);
  await page.getByRole('checkbox', { name: 'Select old/drinks/coffee.jpg' }).check();
  await page.getByRole('button', { name: 'Create from these files' }).click();
  assert.deepEqual(await framesOf('From the attic'), ['old/drinks/coffee.jpg']);
});

test('a task is created from URLs, and unreachable URLs are reported', async () => {
  const addresses = page.getByLabel('URLs of images, archives or videos');
  await newTask('From URLs', 'URLs');
  await addresses.fill(`${pictures.url}/coffee.jpg\n${pictures.url}/gone.jpg`);
  await inspect(page);
  await page.getByRole('button', { name: 'Create from these files' }).click();
  await page.getByText('Select other files or change the settings.').waitFor();
  assert.match(await page.getByRole('alert').first().textContent(), /gone\.jpg/);
  // The user corrects the URLs instead of entering them again.
  assert.equal(await addresses.inputValue(), `${pictures.url}/coffee.jpg\n${pictures.url}/gone.jpg`);
  await addresses.fill(`${pictures.url}/coffee.jpg\n${pictures.url}/rocket.jpg`);
  await page.getByRole('button', { name: 'Create frames' }).click();
  assert.deepEqual(await framesOf('From URLs'), ['coffee.jpg', 'rocket.jpg']);
});
