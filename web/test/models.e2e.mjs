// Functions in the app: the pages of models, automatic annotation, and the tools of the editor.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RADIUS, SHIFT, startFunctions } from './http-functions.mjs';
import * as canvas from './job-canvas.mjs';
import { fits, worksByKeyboard } from './page-rules.mjs';
import { inspect, startApp } from './support.mjs';

let app;
let page;
let functions;
let taskId;
let jobId;
let labels;

before(async () => {
  functions = await startFunctions();
  app = await startApp({ FUNCTIONS_URLS: functions.url, REMOTE_ALLOW_PRIVATE: 'true' });
  ({ taskId, jobId, labels } = await canvas.createPhotoJob(app));
  page = await app.newPage({ width: 1440, height: 900 });
});

after(async () => {
  await app?.stop();
  functions?.stop();
});

const stored = () => app.api('GET', `/jobs/${jobId}/annotations`);
const save = () => canvas.save(page);
const click = async (x, y, options) => page.mouse.click(...(await canvas.onScreen(page, x, y)), options);
const button = (name) => page.getByRole('button', { name, exact: true });
const dialog = (name) => page.getByRole('dialog', { name });
const segmenting = () => page.getByRole('toolbar', { name: 'Segment by clicks' });
const isReady = () => segmenting().getByText('right-click or Shift+click to exclude').waitFor();
const boxOf = ({ points }) => points.slice(-4);

/** Opens the job with these annotations, and forgets the calls of functions. */
async function open(annotations = { shapes: [] }) {
  await app.api('PUT', `/jobs/${jobId}/annotations`, annotations);
  functions.called.length = 0;
  functions.before = async () => undefined;
  await canvas.openJob(page, jobId);
  await button('Detect objects').waitFor();
}

/** Returns a promise that fulfils when `release` is called. */
function gate() {
  let release;
  const opened = new Promise((resolve) => (release = resolve));
  return { opened, release };
}

test('lists models and describes each of them', async () => {
  await page.goto('/models');
  await page.getByRole('link', { name: 'Boxes' }).waitFor();
  for (const text of ['Detector', 'Interactor', 'Tracker', 'cat, Face, blurred, dog', 'HTTP server'])
    await page.getByText(text, { exact: true }).first().waitFor();
  await page.getByText(/function create-native/).waitFor();
  await inspect(page, 'models');
  await worksByKeyboard(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await fits(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Boxes' }).click();
  await page.getByRole('heading', { name: 'Boxes' }).waitFor();
  await page.getByRole('cell', { name: 'coat' }).waitFor();
  await inspect(page);
  await page.goto('/models/nothing');
  await page.getByText('This model does not exist').waitFor();
});

test('detects objects on the frame as one step, and stores nothing before the next save', async () => {
  await open();
  await page.keyboard.press('Shift+D');
  const detect = dialog('Detect objects');
  await detect.getByText('3 of 4 labels used.').waitFor();
  assert.equal(await detect.getByLabel('cat', { exact: true }).inputValue(), String(labels.cat.id));
  assert.equal(await detect.getByLabel('Face').inputValue(), String(labels.face.id));
  assert.equal(await detect.getByLabel('dog').inputValue(), '');
  await inspect(page, 'detect-objects');
  await detect.getByLabel('dog').selectOption({ label: 'box' });
  await detect.getByRole('button', { name: 'Detect', exact: true }).click();
  await page.getByText('4 objects found.').waitFor();
  await detect.waitFor({ state: 'detached' });
  assert.deepEqual((await stored()).shapes, []);
  await save();
  const { shapes, tags } = await stored();
  assert.deepEqual(
    shapes.map(({ type, label_id: label, source }) => [type, label, source]),
    [
      ['rectangle', labels.cat.id, 'auto'],
      ['mask', labels.face.id, 'auto'],
      ['rectangle', labels.box.id, 'auto'],
    ],
  );
  assert.deepEqual([shapes[0].points, shapes[0].attributes[0].value], [[100, 50, 300, 250], 'black']);
  assert.deepEqual(boxOf(shapes[1]), [40, 30, 49, 34]);
  assert.deepEqual([tags.length, tags[0].label_id], [1, labels.blurred.id]);
  await page.keyboard.press('Control+z');
  await save();
  assert.deepEqual([(await stored()).shapes, (await stored()).tags], [[], []]);
});

test('shows why a detector failed, and keeps the options', async () => {
  await open();
  functions.before = async () => 500;
  await button('Detect objects').click();
  const detect = dialog('Detect objects');
  await detect.getByLabel('dog').selectOption({ label: 'box' });
  await detect.getByRole('button', { name: 'Detect', exact: true }).click();
  await detect.getByRole('alert').getByText('The function failed').waitFor();
  functions.before = async () => undefined;
  await detect.getByLabel('Convert masks to polygons').check();
  await detect.getByRole('button', { name: 'Detect', exact: true }).click();
  await page.getByText('4 objects found.').first().waitFor();
  await save();
  assert.deepEqual(
    (await stored()).shapes.map(({ type }) => type),
    ['rectangle', 'polygon', 'rectangle'],
  );
});

test('segments an object by clicks, with one request for each', async () => {
  await open();
  await page.keyboard.press('Shift+C');
  await segmenting().getByText('Click on the object, or drag a box around it.').waitFor();
  await click(200, 150);
  await isReady();
  await page.keyboard.down('Shift');
  await click(190, 150);
  await page.keyboard.up('Shift');
  await isReady();
  await inspect(page, 'segment-by-clicks');
  assert.deepEqual(functions.called, ['/segment', '/segment']);
  await page.keyboard.press('n');
  await segmenting().waitFor({ state: 'detached' });
  await save();
  const [shape, ...others] = (await stored()).shapes;
  assert.deepEqual([shape.type, shape.source, shape.label_id, others], ['mask', 'semi-auto', labels.cat.id, []]);
  canvas.near(boxOf(shape), [190, 150 - RADIUS, 200 + RADIUS, 150 + RADIUS]);
});

test('repeats the tool, excludes with the secondary button, and stores a polygon', async () => {
  await open();
  await button('Segment by clicks').click();
  await segmenting().getByText('Polygon', { exact: true }).click();
  await segmenting().getByLabel('Label of the object').selectOption({ label: 'face' });
  await click(200, 150);
  await isReady();
  await click(195, 150, { button: 'right' });
  await isReady();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Enter');
  await segmenting().waitFor({ state: 'detached' });
  await save();
  const [shape] = (await stored()).shapes;
  assert.deepEqual([shape.type, shape.label_id], ['polygon', labels.face.id]);
  const xs = shape.points.filter((_, at) => at % 2 === 0);
  canvas.near([Math.min(...xs), Math.max(...xs)], [200 - RADIUS, 200 + RADIUS + 1]);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('n');
  await segmenting().waitFor();
  await canvas.drag(page, [50, 50], [90, 90]);
  await isReady();
  await page.keyboard.press('Escape');
  await segmenting().waitFor({ state: 'detached' });
  await save();
  assert.deepEqual((await stored()).shapes, []);
});

test('sends only the newest clicks while a request is running, and keeps them when it fails', async () => {
  await open();
  const { opened, release } = gate();
  functions.before = () => opened;
  await button('Segment by clicks').click();
  await segmenting().waitFor();
  for (const x of [100, 150, 200]) await click(x, 150);
  await segmenting().getByText('Segmenting …').waitFor();
  functions.before = async () => 500;
  release();
  await segmenting().getByRole('alert').getByText('The function failed').waitFor();
  assert.deepEqual(functions.called, ['/segment', '/segment']);
  functions.before = async () => undefined;
  await segmenting().getByRole('button', { name: 'Try again' }).click();
  await isReady();
  await page.keyboard.press('f'); // the mask is kept when the user leaves the frame
  await page.locator('[data-frame="1"]').waitFor();
  await save();
  const [shape] = (await stored()).shapes;
  canvas.near(boxOf(shape), [200 - RADIUS, 150 - RADIUS, 200 + RADIUS, 150 + RADIUS]);
});

test('tracks the selected shape to the next frame as one step', async () => {
  const shape = { type: 'rectangle', frame: 0, label_id: labels.box.id, points: [50, 60, 150, 160] };
  await open({ shapes: [shape] });
  await click(100, 110);
  await page.keyboard.press('Shift+T');
  const track = dialog('Track objects');
  await track.getByText('1 object will be tracked').waitFor();
  await inspect(page);
  await track.getByRole('button', { name: 'Track', exact: true }).click();
  await page.getByText('1 object tracked up to frame 1.').waitFor();
  await page.locator('[data-frame="1"]').waitFor();
  await save();
  const { shapes, tracks } = await stored();
  assert.deepEqual([shapes, tracks.length, tracks[0].source], [[], 1, 'semi-auto']);
  assert.deepEqual(
    tracks[0].shapes.map(({ frame, points }) => [frame, points]),
    [
      [0, [50, 60, 150, 160]],
      [1, [50 + SHIFT, 60, 150 + SHIFT, 160]],
    ],
  );
  await page.keyboard.press('Control+z');
  await save();
  assert.deepEqual([(await stored()).shapes.length, (await stored()).tracks], [1, []]);
});

test('annotates a task in the background, also after a reload, and can be cancelled', async () => {
  await open({ shapes: [{ type: 'rectangle', frame: 0, label_id: labels.box.id, points: [1, 2, 3, 4] }] });
  await page.goto(`/tasks/${taskId}`);
  const annotate = async () => {
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Annotate automatically' }).click();
  };
  const start = dialog('Annotate automatically');
  const { opened, release } = gate();
  functions.before = () => opened;
  await annotate();
  await start.getByLabel('Delete existing annotations of the task first').check();
  await start.getByText('All annotations of the task will be deleted').waitFor();
  await inspect(page, 'annotate-automatically');
  await start.getByRole('button', { name: 'Annotate task' }).click();
  const progress = page.getByRole('status', { name: 'Automatic annotation' });
  await progress.waitFor();
  await page.reload();
  await progress.waitFor();
  await inspect(page);
  release();
  await page.getByText('Automatic annotation finished.').waitFor();
  const { shapes } = await stored();
  assert.deepEqual(
    shapes.map(({ frame, type, source }) => [frame, type, source]).toSorted(),
    [0, 1].flatMap((frame) => ['mask', 'rectangle'].map((type) => [frame, type, 'auto'])),
  );
  const second = gate();
  functions.before = () => second.opened;
  await annotate();
  await start.getByRole('button', { name: 'Annotate task' }).click();
  await progress.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Automatic annotation cancelled.').waitFor();
  await progress.waitFor({ state: 'detached' });
  second.release();
});

test('says that a request waits for an agent', async () => {
  const spec = { kind: 'detector', labels_v2: [{ name: 'cat', type: 'rectangle', attributes: [] }] };
  const { id } = await app.api('POST', '/functions', { provider: 'native', name: 'Without an agent', ...spec });
  await page.goto(`/models/${id}`);
  await page.getByText(/export CVAT_ACCESS_TOKEN[^]*run-agent \d+ --function-file detector.py/).waitFor();
  await page.getByRole('option', { name: 'Public: all users of this server' }).waitFor({ state: 'attached' });
  await page.goto(`/tasks/${taskId}`);
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Annotate automatically' }).click();
  const start = dialog('Annotate automatically');
  await start.getByLabel('Function').selectOption({ label: 'Without an agent' });
  await start.getByText('No agent is connected.').waitFor();
  await start.getByRole('button', { name: 'Annotate task' }).click();
  const progress = page.getByRole('status', { name: 'Automatic annotation' });
  await progress.getByText('Waiting for an agent').waitFor();
  await inspect(page);
  await progress.getByRole('button', { name: 'Cancel' }).click();
  await progress.waitFor({ state: 'detached' });
  await app.api('DELETE', `/functions/${id}`);
});

test('says what is wrong with the response of an interactor', async () => {
  await open();
  functions.responses['/segment'] = { mask: 'nope' };
  await button('Segment by clicks').click();
  await click(200, 150);
  await segmenting().getByRole('alert').getByText('The function did not return a mask.').waitFor();
  delete functions.responses['/segment'];
});
