// The four views of a point cloud: cuboids drawn and changed in them, colours, context images, and what happens if a
// point cloud cannot be shown.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { unzipSync, zipSync } from 'fflate';
import { save } from './job-canvas.mjs';
import {
  boxOf,
  CAR,
  createCloudTask,
  createStreetJob,
  dragIn,
  kittiFile,
  middleOf,
  near,
  openClouds,
  placeIn,
  SIZE,
  streetPoints,
} from './point-clouds.mjs';
import { inspect, photo, startApp } from './support.mjs';

let app;
let image;

before(async () => {
  app = await startApp();
  image = await readFile(photo('chelsea.jpg'));
});

after(() => app.stop());

const shapesOf = async (jobId) => (await app.api('GET', `/jobs/${jobId}/annotations/`)).shapes;
const cuboid = (label, x, y) => ({
  type: 'cuboid',
  frame: 0,
  label_id: label.id,
  points: [x, y, 0.8, 0, 0, 0, ...SIZE, 0, 0, 0, 0, 0, 0, 0],
});

test('a click places a cuboid on the ground, which is saved and shown again', async () => {
  const { jobId } = await createStreetJob(app, image);
  const page = await app.newPage({ width: 1440, height: 900 });
  await openClouds(page, jobId);
  await placeIn(page, 'perspective');
  await save(page);
  const [shape] = await shapesOf(jobId);
  assert.equal(shape.type, 'cuboid');
  assert.equal(shape.points.length, 16);
  near(shape.points.slice(2, 6), [SIZE[2] / 2, 0, 0, 0], 0.01);
  near(shape.points.slice(6, 9), SIZE, 0.001);
  near(shape.points.slice(9), [0, 0, 0, 0, 0, 0, 0], 0);
  const car = [CAR.x, CAR.y, CAR.z, 0, 0, CAR.heading, ...CAR.size, 0, 0, 0, 0, 0, 0, 0];
  await app.api('PATCH', `/jobs/${jobId}/annotations?action=update`, { shapes: [{ ...shape, points: car }] });
  await openClouds(page, jobId);
  await page
    .getByRole('list', { name: 'Objects' })
    .getByRole('button', { name: /cuboid/ })
    .click();
  await page.getByRole('region', { name: 'Selected object' }).waitFor();
  await inspect(page, 'point-cloud');
  await exportInto(page, jobId);
  await page.context().close();
});

/** Exports a job with its point clouds: only CVAT's own formats and those for point clouds are offered. */
async function exportInto(page, jobId) {
  const { task_id: taskId } = await app.api('GET', `/jobs/${jobId}`);
  await page.goto(`/tasks/${taskId}`);
  await page.getByRole('button', { name: `Actions for job ${jobId}`, exact: true }).click();
  await page.getByRole('menuitem', { name: 'Export' }).click();
  await page.getByRole('combobox', { name: 'Format' }).click();
  const cvat = ['CVAT for video 1.1', 'CVAT for images 1.1'];
  const formats = [...cvat, 'Datumaro 3D 1.0', 'Sly Point Cloud Format 1.0', 'Kitti Raw Format 1.0'];
  assert.deepEqual(await page.getByRole('option').allTextContents(), formats);
  await page.getByRole('option', { name: 'Datumaro 3D 1.0' }).click();
  await page.getByRole('switch', { name: 'Include images' }).check();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download file' }).click(),
  ]);
  const files = Object.keys(unzipSync(await readFile(await download.path())));
  assert.deepEqual(files.toSorted(), [
    'annotations/default.json',
    ...[0, 1, 2].map((at) => `point_clouds/default/${at}.pcd`),
    'related_images/default/0/image_0.jpg',
  ]);
}

test('handles move, resize and rotate a cuboid of a KITTI file', async () => {
  const { jobId } = await createCloudTask(app, { 'street.bin': kittiFile(streetPoints(20_000)) });
  const page = await app.newPage();
  await openClouds(page, jobId);
  await placeIn(page, 'top');
  await save(page);
  const [{ points: placed }] = await shapesOf(jobId);
  // From above, up is x and left is y.
  await dragIn(page, 'top', [0, 0], [1, 0.5]);
  await dragIn(page, 'top', [0, 2], [0, 3]);
  await dragIn(page, 'side', [0, 0.8], [0, 1.2]);
  await dragIn(page, 'front', [0.9, 0], [1.1, 0]);
  await save(page);
  const [{ points: changed }] = await shapesOf(jobId);
  near(changed.slice(0, 3), [placed[0] + 0.5 + 0.5, placed[1] - 1 + 0.1, placed[2] + 0.2], 0.06);
  near(changed.slice(3, 6), [0, 0, 0], 0);
  near(changed.slice(6, 9), [5, 2, 2], 0.06);
  await page.keyboard.down('Shift');
  await dragIn(page, 'top', [0, 2.5], [2.5, 0.1], { beyond: 26 });
  await page.keyboard.up('Shift');
  await save(page);
  const [{ points: rotated }] = await shapesOf(jobId);
  near(rotated.slice(3, 6), [0, 0, -Math.PI / 2], 0.0001);
  near(rotated.slice(0, 3), changed.slice(0, 3), 0.001);
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('Control+z');
  await save(page);
  near((await shapesOf(jobId))[0].points, placed, 0.001);
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('Control+Shift+z');
  await save(page);
  near((await shapesOf(jobId))[0].points, rotated, 0.001);
  await page.context().close();
});

test('in perspective, several selected cuboids move over the ground together', async () => {
  const { jobId, labels } = await createStreetJob(app, image, 1);
  await app.api('PUT', `/jobs/${jobId}/annotations`, { shapes: [cuboid(labels.car, 0, 0), cuboid(labels.car, 6, 6)] });
  const page = await app.newPage();
  await openClouds(page, jobId);
  const rows = page.getByRole('list', { name: 'Objects' }).getByRole('button', { name: /cuboid/ });
  await rows.nth(1).click();
  await rows.nth(0).click({ modifiers: ['Control'] });
  // The middle of the cloud is the middle of the view.
  const [x, y] = middleOf(await boxOf(page, 'perspective'));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 20, { steps: 4 });
  await page.mouse.up();
  await save(page);
  const [first, second] = (await shapesOf(jobId)).map(({ points }) => points);
  const moved = [first[0], first[1]];
  assert.ok(moved[1] < -0.5, `to the right: ${moved.join()}`);
  assert.ok(moved[0] < -0.1, `towards the camera: ${moved.join()}`);
  near(first.slice(2), cuboid(labels.car, 0, 0).points.slice(2), 0);
  near(second.slice(0, 2), [6 + moved[0], 6 + moved[1]], 0.002);
  await page.context().close();
});

test('points are coloured by height or intensity', async () => {
  const { jobId } = await createStreetJob(app, image, 1);
  const page = await app.newPage();
  await openClouds(page, jobId);
  const byHeight = await colorsOf(page);
  await page.getByText('Intensity', { exact: true }).click();
  const byIntensity = await colorsOf(page);
  assert.notDeepEqual(byIntensity, byHeight);
  // The file has no colours.
  assert.equal(await page.getByText('Colour', { exact: true }).count(), 0);
  await page.context().close();
});

/** The most frequent colours of the canvas when all views are complete. */
async function colorsOf(page) {
  await page.locator('canvas[data-complete]').waitFor();
  return page.locator('canvas[data-complete]').evaluate((canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
    copy.drawImage(canvas, 0, 0);
    const counts = new Map();
    for (const color of new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer))
      counts.set(color, (counts.get(color) ?? 0) + 1);
    return [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 5)
      .map(([color]) => color);
  });
}

test('context images are shown next to the points', async () => {
  const { jobId } = await createStreetJob(app, image);
  const page = await app.newPage();
  await openClouds(page, jobId);
  await page.getByRole('button', { name: /^Enlarge/ }).click();
  const large = page.getByRole('dialog').locator('img');
  await large.waitFor();
  assert.deepEqual(
    await large.evaluate(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight]),
    [451, 300],
  );
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('f');
  await page.locator('canvas[data-frame="1"]').waitFor();
  assert.equal(await page.getByRole('region', { name: 'Context images' }).count(), 0);
  await page.context().close();
});

test('there are no controls that have an effect in images only', async () => {
  const { jobId } = await createStreetJob(app, image, 1);
  const page = await app.newPage();
  await openClouds(page, jobId);
  const tools = page.getByRole('toolbar', { name: 'Tools' }).getByRole('button');
  assert.deepEqual(await tools.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label'))), [
    'Select objects',
    'Move the frame',
    'Draw cuboid',
    'Fit frame to screen',
    'Hide all annotations',
    'Statistics of the job',
    'Settings',
    'Keyboard shortcuts',
  ]);
  assert.equal(await page.getByRole('button', { name: 'Filmstrip' }).count(), 0);
  await placeIn(page, 'top');
  await page.getByRole('button', { name: /Actions.*selected object/ }).click();
  await page.getByRole('menuitem', { name: 'Copy', exact: true }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Crop to the image' }).count(), 0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('F1');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByText('Turn the perspective view left').waitFor();
  for (const title of ['Actual size', 'Draw polygon', 'Add issue', 'Crop the selected object to the image'])
    assert.equal(await help.getByText(title, { exact: true }).count(), 0, title);
  await page.keyboard.press('Escape');
  await page.keyboard.press('i');
  await page.getByRole('button', { name: 'Select objects', pressed: true }).waitFor();
  await page.context().close();
});

test('a damaged file is reported, and the work on other frames goes on', async () => {
  const { jobId } = await createStreetJob(app, image);
  const page = await app.newPage();
  await page.route('**/data*type=chunk*', async (route) => {
    const response = await route.fetch();
    const files = unzipSync(await response.body());
    files['000001.pcd'] = files['000001.pcd'].subarray(0, 10_000);
    await route.fulfill({ response, body: Buffer.from(zipSync(files)) });
  });
  await openClouds(page, jobId);
  await placeIn(page, 'top');
  await page.keyboard.press('f');
  const alert = page.getByRole('alert').filter({ hasText: 'This point cloud cannot be shown' });
  await alert.getByText('The file ends early: it has fewer points than its header says.').waitFor();
  await page.keyboard.press('f');
  await page.locator('canvas[data-frame="2"]').waitFor();
  assert.equal(await alert.count(), 0);
  await placeIn(page, 'top');
  await save(page);
  assert.deepEqual(
    (await shapesOf(jobId)).map(({ frame }) => frame),
    [0, 2],
  );
  await page.context().close();
});

test('without WebGL, the page says so, and the objects can still be listed, changed and saved', async () => {
  const { jobId, labels } = await createStreetJob(app, image, 1);
  await app.api('PUT', `/jobs/${jobId}/annotations`, { shapes: [cuboid(labels.car, 0, 0)] });
  const page = await app.newPage();
  await page.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest);
    };
  });
  await page.goto(`/jobs/${jobId}`);
  await page.getByText('This browser cannot show point clouds').waitFor();
  for (const name of ['Select objects', 'Move the frame', 'Fit frame to screen', 'Hide all annotations'])
    await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' });
  await page.keyboard.press('F2');
  await page.getByRole('tab', { name: 'Display' }).waitFor();
  assert.equal(await page.getByRole('tab', { name: 'Image' }).count(), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page
    .getByRole('list', { name: 'Objects' })
    .getByRole('button', { name: /cuboid/ })
    .click();
  await page.keyboard.press('q');
  await save(page);
  assert.equal((await shapesOf(jobId))[0].occluded, true);
  await inspect(page);
  await page.context().close();
});
