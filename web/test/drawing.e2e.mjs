// Ways of drawing: by extreme points, freehand, and along the outlines of other objects.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { near } from './job-canvas.mjs';
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

/** On the frame from the start, with corners that are multiples of 50. */
const SQUARE = [50, 50, 150, 50, 150, 150, 50, 150];

beforeEach(async () => {
  await app.api('PUT', `/jobs/${jobId}/annotations`, {
    shapes: [{ type: 'polygon', frame: 0, label_id: labels.cat.id, points: SQUARE }],
  });
  await canvas.openJob(page, jobId);
});

const click = async (x, y) => page.mouse.click(...(await canvas.onScreen(page, x, y)));
const move = async (x, y) => page.mouse.move(...(await canvas.onScreen(page, x, y)), { steps: 8 });
const tool = (type) => page.getByRole('button', { name: `Draw ${type}`, exact: true }).click();
/** Saves. @returns the shape that was drawn */
async function drawn() {
  await canvas.save(page);
  const { shapes } = await app.api('GET', `/jobs/${jobId}/annotations`);
  assert.equal(shapes.length, 2);
  return shapes[1];
}

test('draws a rectangle by its four extreme points', async () => {
  await tool('rectangle');
  await page.getByText('Extreme points').click();
  await inspect(page);
  for (const at of [
    [250, 60],
    [200, 100],
    [260, 180],
    [330, 120],
  ])
    await click(...at);
  const { type, points } = await drawn();
  assert.equal(type, 'rectangle');
  near(points, [200, 60, 330, 180]);
  await tool('rectangle');
  await page.getByText('Two corners').click();
});

for (const isDragged of [false, true]) {
  test(`draws a polygon freehand by ${isDragged ? 'dragging' : 'moving the pointer'} with Shift`, async () => {
    await tool('polygon');
    if (isDragged) {
      await move(200, 50);
      await page.keyboard.down('Shift');
      await page.mouse.down();
    } else {
      await click(200, 50);
      await page.keyboard.down('Shift');
    }
    for (const at of [
      [350, 50],
      [350, 150],
      [200, 150],
    ])
      await move(...at);
    if (isDragged) await page.mouse.up();
    await page.keyboard.up('Shift');
    if (!isDragged) await click(200, 150);
    await page.keyboard.press('n');
    const { type, points } = await drawn();
    assert.equal(type, 'polygon');
    near(points, [200, 50, 350, 50, 350, 150, 200, 150]);
  });
}

test('snaps vertices to the outlines of other objects with Ctrl', async () => {
  await tool('polygon');
  await page.keyboard.down('Control');
  await click(152, 48);
  await click(153, 147);
  await page.keyboard.up('Control');
  await click(250, 100);
  await page.keyboard.press('n');
  const { points } = await drawn();
  assert.deepEqual(points.slice(0, 4), [150, 50, 150, 150]);
});

test('snaps also to edges, until snapping is turned off', async () => {
  await tool('polyline');
  const option = page.getByLabel('Snap to outlines (Ctrl)');
  await page.keyboard.press('Control+a');
  assert.equal(await option.isChecked(), true);
  await click(100, 52);
  await page.keyboard.press('Control+a');
  assert.equal(await option.isChecked(), false);
  await click(152, 100);
  await page.keyboard.press('n');
  const { points } = await drawn();
  assert.equal(points[1], 50);
  near(points, [100, 50, 152, 100]);
  assert.ok(points[2] > 151);
});
