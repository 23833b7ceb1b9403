// Masks: what is painted in the editor reads back through the API, pixel for pixel.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { inspect, startApp } from './support.mjs';

/** Of the photograph on frame 0. */
const WIDTH = 451;

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

const stored = () => app.api('GET', `/jobs/${jobId}/annotations`);
const save = () => canvas.save(page);
const drag = (from, to) => canvas.drag(page, from, to);
const click = async (x, y) => page.mouse.click(...(await canvas.onScreen(page, x, y)));
const maskOf = (box, more = {}) => ({
  type: 'mask',
  frame: 0,
  label_id: labels.cat.id,
  points: pointsOf(box),
  ...more,
});
/** A mask that fills a box: left, top, right, bottom. */
const pointsOf = ([left, top, right, bottom]) => [0, (right - left + 1) * (bottom - top + 1), left, top, right, bottom];

/** Opens the job with these shapes. */
async function open(shapes = []) {
  await app.api('PUT', `/jobs/${jobId}/annotations`, { shapes });
  await canvas.openJob(page, jobId);
}

/** Starts to draw a mask with a square brush, whose pixels are easy to predict. */
async function paint({ size = 10, form = 'Square' } = {}, on = page) {
  await on.getByRole('button', { name: 'Draw mask', exact: true }).click();
  const bar = on.getByRole('toolbar', { name: 'New mask' });
  await bar.getByText(form, { exact: true }).click();
  await bar.getByLabel('Brush size in pixels').fill(String(size));
  await on.keyboard.press('Enter');
  return bar;
}

/** The pixels of a mask as numbers of the image, row by row. */
function pixelsOf({ points }) {
  const [left, top, right, bottom] = points.slice(-4);
  const pixels = new Set();
  let at = 0;
  for (const [i, run] of points.slice(0, -4).entries()) {
    for (const end = at + run; at < end; at += 1) {
      const [x, y] = [left + (at % (right - left + 1)), top + Math.floor(at / (right - left + 1))];
      if (i % 2 === 1) pixels.add(y * WIDTH + x);
    }
  }
  assert.equal(at, (right - left + 1) * (bottom - top + 1), 'the runs fill the box');
  return pixels;
}

/** The pixels of boxes: left, top, right, bottom, both inclusive. */
function boxes(...list) {
  const pixels = new Set();
  for (const [left, top, right, bottom] of list)
    for (let y = top; y <= bottom; y += 1) for (let x = left; x <= right; x += 1) pixels.add(y * WIDTH + x);
  return pixels;
}

const difference = (a, b) => new Set([...a].filter((pixel) => !b.has(pixel)));
const same = (a, b) => assert.deepEqual([difference(a, b).size, difference(b, a).size], [0, 0], 'pixels differ');

test('paints with the brush, erases, saves, and reads back every pixel', async () => {
  await open();
  await paint();
  await drag([100, 100], [160, 100]);
  await page.keyboard.press('Shift+2');
  await drag([130, 90], [130, 110]);
  await page.keyboard.press('n');
  await save();
  const [shape, ...others] = (await stored()).shapes;
  assert.deepEqual([shape.type, shape.frame, shape.source, others], ['mask', 0, 'manual', []]);
  same(pixelsOf(shape), difference(boxes([95, 95, 164, 104]), boxes([125, 85, 134, 114])));
  assert.deepEqual(shape.points.slice(-4), [95, 95, 164, 104]);
});

test('adds and subtracts polygons, and undoes and redoes while drawing and after', async () => {
  await open();
  await paint();
  await page.keyboard.press('Shift+3');
  for (const at of [
    [50, 50],
    [150, 50],
    [150, 150],
    [50, 150],
  ])
    await click(...at);
  await page.keyboard.press('n');
  await page.keyboard.press('Shift+4');
  for (const at of [
    [80, 80],
    [120, 80],
    [120, 120],
    [80, 120],
  ])
    await click(...at);
  await page.keyboard.press('n');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+Shift+z');
  await page.keyboard.press('n');
  await save();
  const [first] = (await stored()).shapes;
  const pixels = pixelsOf(first);
  // Clicks are accurate to a pixel, so the edges are too.
  const sure = difference(boxes([51, 51, 148, 148]), boxes([79, 79, 120, 120]));
  const possible = difference(boxes([49, 49, 150, 150]), boxes([81, 81, 118, 118]));
  assert.deepEqual([difference(sure, pixels).size, difference(pixels, possible).size], [0, 0]);
  await page.keyboard.press('Control+z');
  await save();
  assert.deepEqual((await stored()).shapes, []);
  await page.keyboard.press('Control+Shift+z');
  await save();
  same(pixelsOf((await stored()).shapes[0]), pixels);
});

test('edits a stored mask from the keyboard, and discards the changes with Esc', async () => {
  await open([maskOf([100, 100, 199, 149])]);
  const [before] = (await stored()).shapes;
  await page.keyboard.press('Tab');
  const entry = page.getByRole('list', { name: 'Objects' }).getByRole('button', { name: /cat.*mask/ });
  await entry.press('Enter');
  await page.evaluate(() => globalThis.document.activeElement?.blur());
  await page.keyboard.press('Shift+E');
  const bar = page.getByRole('toolbar', { name: 'Edited mask' });
  await bar.getByText('Square', { exact: true }).click();
  await bar.getByLabel('Brush size in pixels').fill('10');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Shift+2');
  await drag([150, 90], [150, 160]);
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });
  await page.getByText('All changes saved').waitFor();
  await page.getByRole('button', { name: 'Actions for the selected object' }).click();
  await page.getByRole('menuitem', { name: 'Edit the mask' }).click();
  await bar.waitFor();
  await drag([150, 90], [150, 160]);
  await bar.getByRole('button', { name: 'Finish' }).click();
  await save();
  const [after] = (await stored()).shapes;
  assert.deepEqual([after.id, after.label_id], [before.id, before.label_id]);
  same(pixelsOf(after), difference(boxes([100, 100, 199, 149]), boxes([145, 85, 154, 165])));
});

test('keeps a mask when the user leaves the frame, and removes the pixels under it, also from objects hidden by a filter', async () => {
  await open([maskOf([90, 90, 109, 109]), maskOf([200, 100, 209, 109]), maskOf([150, 98, 154, 102])]);
  await page.keyboard.press('Alt+f');
  const dialog = page.getByRole('dialog', { name: 'Filter objects' });
  await dialog.getByRole('button', { name: 'Add condition' }).click();
  await dialog.getByRole('combobox', { name: 'Field' }).click();
  await page.getByRole('option', { name: 'Width' }).click();
  await dialog.getByLabel('Value').fill('100');
  await dialog.getByText('0 objects of this frame meet the filter.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  const bar = await paint();
  await bar.getByLabel('Remove underlying pixels').check();
  await page.evaluate(() => globalThis.document.activeElement?.blur());
  await drag([100, 100], [160, 100]);
  await inspect(page);
  await page.setViewportSize({ width: 900, height: 600 });
  await inspect(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('f');
  await page.locator('[data-frame="1"]').waitFor();
  await page.getByText('Unsaved changes').waitFor();
  await save();
  const { shapes } = await stored();
  const painted = boxes([95, 95, 164, 104]);
  assert.equal(shapes.length, 3, 'the mask that was covered is gone');
  same(pixelsOf(shapes[0]), difference(boxes([90, 90, 109, 109]), painted));
  same(pixelsOf(shapes[1]), boxes([200, 100, 209, 109]));
  same(pixelsOf(shapes[2]), painted);
  assert.equal(shapes[2].frame, 0);
});

test('saves what is painted so far, and goes on', async () => {
  await open();
  await paint();
  await drag([100, 100], [160, 100]);
  await save();
  const [first, ...others] = (await stored()).shapes;
  assert.deepEqual(others, []);
  same(pixelsOf(first), boxes([95, 95, 164, 104]));
  await drag([250, 100], [250, 100]);
  await click(250, 200);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('n');
  await save();
  const { shapes } = await stored();
  assert.deepEqual(
    shapes.map(({ id }) => id),
    [first.id],
  );
  same(pixelsOf(shapes[0]), boxes([95, 95, 164, 104], [245, 95, 254, 104]));
});

test('keeps the label of a mask that was saved while it is painted, when a tool with another label is taken', async () => {
  await open();
  await paint();
  await drag([100, 100], [160, 100]);
  await save();
  await page.keyboard.press('Alt+7');
  await page.getByRole('combobox', { name: 'Label of new objects' }).and(page.locator('[value="pose"]')).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor();
  await page.keyboard.press('Escape');
  await drag([250, 100], [250, 100]);
  await save();
  assert.deepEqual(
    (await stored()).shapes.map(({ label_id: id }) => id),
    [labels.cat.id],
  );
});

test('changes the size of the brush with Shift and the wheel, and hides the mask', async () => {
  await open();
  const bar = await paint({ size: 10, form: 'Round' });
  await page.mouse.move(...(await canvas.onScreen(page, 200, 150)));
  await page.keyboard.down('Shift');
  await page.mouse.wheel(0, -100);
  await page.keyboard.up('Shift');
  await bar.getByLabel('Brush size in pixels').and(page.locator('[value="11 px"]')).waitFor();
  const hide = bar.getByRole('button', { name: 'Hide the mask being drawn' });
  await page.keyboard.press('h');
  assert.equal(await hide.getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('h');
  assert.equal(await hide.getAttribute('aria-pressed'), 'false');
  await click(200, 150);
  await page.keyboard.press('n');
  await save();
  const pixels = pixelsOf((await stored()).shapes[0]);
  const disc = [...boxes([190, 140, 210, 160])].filter(
    (pixel) => Math.hypot((pixel % WIDTH) - 200, Math.floor(pixel / WIDTH) - 150) <= 5.5,
  );
  const moved = [...pixels].map((pixel) => pixel - Math.min(...pixels) + Math.min(...disc));
  same(new Set(moved), new Set(disc));
});

test('keeps a mask that is being painted when the tab is killed', async () => {
  await open();
  const other = await page.context().newPage();
  await canvas.openJob(other, jobId);
  await paint({}, other);
  await canvas.drag(other, [100, 100], [160, 100]);
  await canvas.untilKept(other);
  await other.close({ runBeforeUnload: false });
  await canvas.openJob(page, jobId);
  await page.getByText('Unsaved changes').waitFor();
  await save();
  const { shapes } = await stored();
  assert.deepEqual(
    shapes.map(({ type }) => type),
    ['mask'],
  );
  same(pixelsOf(shapes[0]), boxes([95, 95, 164, 104]));
});

test('forgets a mask that was discarded', async () => {
  const other = await page.context().newPage();
  await app.api('PUT', `/jobs/${jobId}/annotations`, { shapes: [] });
  await canvas.openJob(other, jobId);
  await paint({}, other);
  await canvas.drag(other, [100, 100], [160, 100]);
  await canvas.untilKept(other);
  await other.keyboard.press('Escape');
  await canvas.untilKept(other, false);
  await other.close({ runBeforeUnload: false });
  await canvas.openJob(page, jobId);
  await page.getByText('All changes saved').waitFor();
  assert.deepEqual((await stored()).shapes, []);
});

test('converts a finished mask to polygons', async () => {
  await open();
  const bar = await paint();
  await bar.getByLabel('Convert to polygons').check();
  await page.evaluate(() => globalThis.document.activeElement?.blur());
  await drag([100, 100], [160, 100]);
  await click(250, 100);
  await page.keyboard.press('n');
  await save();
  const { shapes } = await stored();
  assert.deepEqual(
    shapes.map(({ type, points }) => [type, points]).toSorted(([, [a]], [, [b]]) => a - b),
    [
      ['polygon', [165, 95, 165, 105, 95, 105, 95, 95]],
      ['polygon', [255, 95, 255, 105, 245, 105, 245, 95]],
    ],
  );
});

test('gives a mask the label that is selected while it is painted', async () => {
  await open();
  const label = page.getByRole('combobox', { name: 'Label of new objects' });
  /** Paints an eye of the cat. */
  const paintEye = async (name, size, [x, y]) => {
    await paint({ size, form: 'Round' });
    await drag([x - 2, y - 2], [x + 2, y + 3]);
    await label.click();
    await page.getByRole('option', { name }).click();
  };
  await paintEye('face', 62, [171, 115]);
  await page.keyboard.press('n');
  await paintEye('box', 46, [318, 137]);
  await page.mouse.move(...(await canvas.onScreen(page, 330, 152)));
  await inspect(page, 'mask-tools');
  await page.keyboard.press('n');
  await save();
  assert.deepEqual(
    (await stored()).shapes.map(({ label_id: id }) => id),
    [labels.face.id, labels.box.id],
  );
});
