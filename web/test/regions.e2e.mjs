// Joining, slicing, converting and cropping polygons and masks: what the editor makes of them is what the server stores.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { inspect, startApp } from './support.mjs';

let app;
let page;
let jobId;
let labels;

before(async () => {
  app = await startApp();
  ({ jobId, labels } = await canvas.createPhotoJob(app));
  page = await app.newPage({ width: 1440, height: 900 });
});

after(() => app?.stop());

const stored = async () => (await app.api('GET', `/jobs/${jobId}/annotations`)).shapes;
const save = () => canvas.save(page);
const drag = (from, to) => canvas.drag(page, from, to);
const click = async (x, y) => page.mouse.click(...(await canvas.onScreen(page, x, y)));
/** Selects an object in addition to others. */
const addToSelection = async (x, y) => {
  await page.keyboard.down('Shift');
  await click(x, y);
  await page.keyboard.up('Shift');
};
const corners = (left, top, right, bottom) => [left, top, right, top, right, bottom, left, bottom];
const shape = (type, points, more = {}) => ({ type, points, frame: 0, label_id: labels.cat.id, ...more });
/** A mask that fills a box: left, top, right, bottom. */
const mask = (left, top, right, bottom) =>
  shape('mask', [0, (right - left + 1) * (bottom - top + 1), left, top, right, bottom]);
const menu = async (name) => {
  await page.getByRole('button', { name: 'Actions for the selected object' }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
};
const unsaved = () => page.getByText('Unsaved changes').waitFor();
/** Saves a change once the code that makes it was loaded. */
const saveChange = async () => {
  await unsaved();
  await save();
};

/** Opens the job with these shapes. @returns them as stored */
async function open(...shapes) {
  await app.api('PUT', `/jobs/${jobId}/annotations`, { shapes });
  await canvas.openJob(page, jobId);
  return stored();
}

/** The area of an outline. */
function areaOf(points) {
  let sum = 0;
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2)
    sum += points[j] * points[i + 1] - points[i] * points[j + 1];
  return Math.abs(sum / 2);
}

/** The number of pixels of a mask. */
const pixelCount = ({ points }) => points.slice(0, -4).reduce((sum, run, at) => sum + (at % 2 === 1 ? run : 0), 0);

test('joins polygons, keeps the first of them, and takes it back in one step', async () => {
  const before = await open(
    shape('polygon', corners(50, 50, 150, 150), { occluded: true }),
    shape('polygon', corners(120, 50, 250, 150)),
  );
  await click(80, 100);
  await addToSelection(200, 100);
  await page.keyboard.press('j');
  await saveChange();
  const [joined, ...others] = await stored();
  assert.deepEqual([joined.id, joined.type, joined.occluded, others], [before[0].id, 'polygon', true, []]);
  assert.equal(areaOf(joined.points), 200 * 100);
  await page.keyboard.press('Control+z');
  await save();
  assert.deepEqual(
    (await stored()).map(({ points }) => points),
    before.map(({ points }) => points),
  );
});

test('joins a mask and a polygon to a mask, and says why polygons that do not touch stay', async () => {
  await open(
    shape('polygon', corners(50, 50, 99, 99)),
    shape('polygon', corners(200, 50, 250, 100)),
    mask(300, 50, 319, 59),
  );
  await click(80, 80);
  await addToSelection(220, 80);
  await page.keyboard.press('j');
  await page.getByRole('alert').filter({ hasText: 'do not touch' }).waitFor();
  await addToSelection(310, 55);
  await menu('Join');
  await saveChange();
  const [joined, ...others] = await stored();
  assert.deepEqual([joined.type, others], ['mask', []]);
  assert.equal(pixelCount(joined), 49 * 49 + 50 * 50 + 20 * 10);
  assert.deepEqual(joined.points.slice(-4), [50, 50, 319, 99]);
});

test('slices a polygon with a line of clicks', async () => {
  const [before] = await open(shape('polygon', corners(50, 50, 250, 150)));
  await click(100, 100);
  await page.keyboard.press('Alt+j');
  const hint = page.getByRole('status').filter({ hasText: 'Draw a line across the object' });
  await hint.waitFor();
  await inspect(page);
  await click(150, 30);
  await click(150, 100);
  await click(270, 100);
  await page.keyboard.press('n');
  await unsaved();
  await hint.waitFor({ state: 'detached' });
  await save();
  const pieces = await stored();
  const areas = pieces.map(({ points }) => Math.round(areaOf(points) / 100)).toSorted((a, b) => a - b);
  assert.deepEqual(areas, [50, 150]);
  assert.ok(pieces.some(({ id }) => id === before.id));
  assert.ok(pieces.every(({ label_id: label }) => label === labels.cat.id));
});

test('slices a mask by dragging, and keeps it if the line does not divide it', async () => {
  await open(mask(50, 50, 249, 149));
  await click(100, 100);
  await menu('Slice');
  await drag([20, 20], [300, 20]);
  await page.getByRole('alert').filter({ hasText: 'does not divide' }).waitFor();
  await page.keyboard.press('Alt+j');
  await drag([150, 30], [150, 170]);
  await saveChange();
  const pieces = await stored();
  assert.deepEqual(
    pieces.map(({ type }) => type),
    ['mask', 'mask'],
  );
  assert.equal(
    pieces.reduce((sum, piece) => sum + pixelCount(piece), 0),
    200 * 100,
  );
  for (const piece of pieces) assert.ok(Math.abs(pixelCount(piece) - 100 * 100) <= 200, String(pixelCount(piece)));
});

test('converts between rectangle, polygon and mask, and crops a mask to the image', async () => {
  await open(shape('rectangle', [50, 50, 150, 100]));
  await click(100, 80);
  await menu('Convert to polygon');
  await saveChange();
  assert.deepEqual(
    (await stored()).map(({ type, points }) => [type, points]),
    [['polygon', corners(50, 50, 150, 100)]],
  );
  await menu('Convert to mask');
  await saveChange();
  const [converted] = await stored();
  assert.deepEqual([converted.type, converted.points], ['mask', [0, 100 * 50, 50, 50, 149, 99]]);
  await drag([100, 80], [10, 80]);
  await saveChange();
  assert.equal((await stored())[0].points.at(-4), -40);
  await menu('Crop to the image');
  await saveChange();
  assert.deepEqual((await stored())[0].points, [0, 60 * 50, 0, 50, 59, 99]);
  await menu('Convert to rectangle');
  await saveChange();
  assert.deepEqual((await stored())[0].points, [0, 50, 60, 100]);
});

test('crops a polygon to the part of it that is in the image', async () => {
  await open(shape('polygon', [-50, 100, 50, 0, 150, 100, 50, 200]));
  await click(50, 100);
  await page.keyboard.press('Alt+c');
  await saveChange();
  const [cropped] = await stored();
  assert.equal(areaOf(cropped.points), 20_000 - 2500);
});
