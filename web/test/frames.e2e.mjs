// Frames of a job: deleting, finding, and skipping them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTask } from './annotated-task.mjs';
import { onScreen, save } from './job-canvas.mjs';
import { inspect, photo, startApp } from './support.mjs';

let app;
let page;
let jobId;
let labels;

before(async () => {
  app = await startApp();
  const { url, username, password } = app;
  const { key } = await app.api('POST', '/auth/login', { username, password });
  const photos = ['chelsea', 'raccoon', 'astronaut', 'coffee', 'rocket'].map((name) => photo(`${name}.jpg`));
  ({ jobId, labels } = await createTask(app.api, { url, key }, photos));
  page = await app.newPage({ width: 1360, height: 820 });
});

after(() => app?.stop());

const shows = (frame) => page.locator(`[data-frame="${frame}"]`).waitFor();

async function open(annotations) {
  await app.api('PUT', `/jobs/${jobId}/annotations`, annotations);
  await page.goto(`/jobs/${jobId}?frame=0`);
  await page.getByRole('button', { name: 'Draw rectangle' }).waitFor();
  await shows(0);
}

const rectangle = (frame) => ({ type: 'rectangle', frame, label_id: labels.cat.id, points: [10, 10, 90, 90] });
const deleted = async () => (await app.api('GET', `/jobs/${jobId}/data/meta`)).deleted_frames;

test('a frame is deleted, skipped, shown on demand, and restored', async () => {
  await open({ shapes: [rectangle(0), rectangle(1)] });
  await page.keyboard.press('f');
  await shows(1);
  await page.keyboard.press('Alt+Delete');
  await page.getByText('This frame is deleted').waitFor();
  assert.deepEqual(await deleted(), [1]);
  assert.equal(await page.getByRole('button', { name: 'Draw rectangle' }).count(), 0);
  await inspect(page);
  await page.keyboard.press('d');
  await shows(0);
  await page.keyboard.press('f');
  await shows(2);
  await page.keyboard.press('F2');
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await dialog.getByRole('tab', { name: 'Editing' }).click();
  await dialog.getByRole('switch', { name: 'Show deleted frames' }).click();
  await dialog.getByLabel('Frames per step').fill('2');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('d');
  await shows(1);
  await page.getByText('1 object', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Restore frame' }).click();
  await page.getByText('This frame is deleted').waitFor({ state: 'detached' });
  assert.deepEqual(await deleted(), []);
  await page.keyboard.press('c');
  await shows(0);
  await page.keyboard.press('v');
  await shows(2);
  await page.waitForURL('**/jobs/*?frame=2');
  await page.getByRole('button', { name: 'Draw rectangle' }).waitFor();
});

test('a frame is found by its file name', async () => {
  await open({});
  await page.keyboard.press('Shift+F');
  const dialog = page.getByRole('dialog', { name: 'Find a frame' });
  await dialog.getByLabel('File name').fill('astro');
  await dialog.getByText('1 frame').waitFor();
  await inspect(page);
  await page.keyboard.press('Enter');
  await shows(2);
  await page.getByRole('button', { name: /find a frame by file name/ }).click();
  await dialog.getByLabel('File name').fill('.jpg');
  await dialog.getByRole('button', { name: /rocket/ }).click();
  await shows(4);
});

test('keys go to frames with annotations, and to frames without', async () => {
  const track = { label_id: labels.cat.id, frame: 2, shapes: [{ ...rectangle(2), label_id: undefined }] };
  const outside = { ...rectangle(4), label_id: undefined, outside: true };
  await open({ shapes: [rectangle(0)], tracks: [{ ...track, shapes: [...track.shapes, outside] }] });
  await page.keyboard.press('ArrowRight');
  await shows(2);
  await page.keyboard.press('Shift+ArrowRight');
  await shows(4); // the track is on frame 3, and has left frame 4
  await page.keyboard.press('Shift+ArrowLeft');
  await shows(1);
  await page.keyboard.press('ArrowLeft');
  await shows(0);
});

test('objects are filtered in the list, on the canvas and by the keys for frames, and sorted', async () => {
  const [small, large] = [
    [10, 10, 30, 30],
    [100, 100, 300, 250],
  ];
  const shape = (frame, points, more = {}) => ({ ...rectangle(frame), points, ...more });
  await open({
    shapes: [
      shape(0, large, { z_order: 2 }),
      shape(0, small, { label_id: labels.face.id }),
      shape(1, small),
      shape(3, large, { occluded: true }),
    ],
  });
  const rows = page.getByRole('list', { name: 'Objects' }).getByRole('listitem');
  await page.getByText('2 objects').waitFor();
  assert.match(await rows.first().textContent(), /^face/);
  await page.getByLabel('Sort objects by').selectOption('By ID');
  assert.match(await rows.first().textContent(), /^cat/);
  await page.getByRole('button', { name: /^face/ }).click();
  await page.keyboard.press('q');
  await page.getByLabel('Sort objects by').selectOption('By change');
  await page.getByText('occluded').first().waitFor();
  assert.match(await rows.first().textContent(), /^face/);

  await page.keyboard.press('Escape');
  await page.evaluate(() => globalThis.document.activeElement?.blur());
  await page.keyboard.press('Alt+f');
  const dialog = page.getByRole('dialog', { name: 'Filter objects' });
  await dialog.getByRole('button', { name: 'Add condition' }).click();
  const first = dialog.getByRole('group', { name: 'Condition 1' });
  await first.getByRole('combobox', { name: 'Field' }).click();
  await page.getByRole('option', { name: 'Width' }).click();
  await first.getByLabel('Value').fill('100');
  await dialog.getByText('1 object of this frame meets the filter.').waitFor();
  await inspect(page, 'job-filter');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('1 of 2 objects').waitFor();
  assert.match(await rows.first().textContent(), /^cat/);
  await page.getByRole('img', { name: /^Frame 0 .* with 1 object,/ }).waitFor();
  const details = page.getByRole('region', { name: 'Selected object' });
  await page.mouse.click(...(await onScreen(page, 100, 200)));
  await details.getByText(/^cat/).waitFor();
  await page.mouse.click(...(await onScreen(page, 10, 20))); // the small object is not drawn
  await details.waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowRight');
  await shows(3);
  await page.getByRole('button', { name: 'Filter objects: 1 condition' }).click();
  await dialog.getByRole('button', { name: 'Add condition' }).click();
  const second = dialog.getByRole('group', { name: 'Condition 2' });
  await second.getByRole('combobox', { name: 'Field' }).click();
  await page.getByRole('option', { name: 'State' }).click();
  await second.getByRole('combobox', { name: 'Comparison' }).click();
  await page.getByRole('option', { name: 'is not' }).click();
  await second.getByRole('combobox', { name: 'Value' }).click();
  await page.getByRole('option', { name: 'occluded' }).click();
  await dialog.getByText('0 objects of this frame meet the filter.').waitFor();
  await dialog.getByText('Any condition').click();
  await dialog.getByText('1 object of this frame meets the filter.').waitFor();
  await dialog.getByRole('button', { name: 'Remove all' }).click();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowLeft');
  await shows(1);
  await save(page); // so that the next test does not find unsaved changes
});

test('the statistics count objects by label and type, drawn and interpolated', async () => {
  const geometry = { type: 'rectangle', points: [10, 10, 90, 90] };
  await open({
    tags: [{ frame: 1, label_id: labels.blurred.id }],
    shapes: [rectangle(0), { ...rectangle(1), type: 'polygon', points: [10, 10, 90, 10, 40, 80] }],
    tracks: [
      {
        label_id: labels.face.id,
        frame: 0,
        shapes: [
          { ...geometry, frame: 0 },
          { ...geometry, frame: 3, outside: true },
          { ...geometry, frame: 4 },
        ],
      },
    ],
  });
  await page.keyboard.press('Alt+i');
  const dialog = page.getByRole('dialog', { name: 'Statistics of the job' });
  const cells = async (name) =>
    dialog
      .getByRole('row', { name: new RegExp(`^${name}`) })
      .getByRole('cell')
      .allTextContents();
  await dialog.getByRole('table').waitFor();
  assert.deepEqual(await dialog.getByRole('columnheader').allTextContents(), [
    'Label',
    'rectangle',
    'polygon',
    'tag',
    'Drawn',
    'Interpolated',
    'Total',
  ]);
  assert.deepEqual(await cells('cat'), ['1 / 0', '1 / 0', '0', '2', '0', '2']);
  assert.deepEqual(await cells('face'), ['0 / 1', '0 / 0', '0', '2', '2', '4']);
  assert.deepEqual(await cells('Total'), ['1 / 1', '1 / 0', '1', '5', '2', '7']);
  await inspect(page, 'job-statistics');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});
