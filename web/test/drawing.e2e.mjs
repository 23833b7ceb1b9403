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
  // Without functions, their tools are hidden.
  for (const name of ['Detect objects', 'Segment by clicks', 'Track from here'])
    assert.equal(await page.getByRole('button', { name }).count(), 0);
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

test('draws a polygon that follows edges of the image between clicks', async () => {
  const clicks = [
    [142, 102],
    [180, 85],
    [207, 130],
    [165, 145],
  ];
  await page.getByRole('button', { name: 'Draw polygon along edges' }).click();
  await page.getByText('Click along the outline of the object.').waitFor();
  for (const at of clicks) await click(...at);
  await click(10, 10);
  await page.mouse.click(...(await canvas.onScreen(page, 138, 125)), { button: 'right' }); // takes the last click back
  await inspect(page, 'scissors');
  await page.keyboard.press('n');
  const { type, points } = await drawn();
  assert.equal(type, 'polygon');
  assert.ok(points.length > 16, `${points.length / 2} vertices`);
  for (const [x, y] of clicks) {
    const distances = points.flatMap((left, at) => (at % 2 === 0 ? [Math.hypot(left - x, points[at + 1] - y)] : []));
    assert.ok(Math.min(...distances) <= 4, `${x}, ${y} is ${Math.min(...distances)} away`);
  }
  await page.keyboard.press('n'); // repeats the tool
  await page.getByText('Click along the outline of the object.').waitFor();
  await page.keyboard.press('Escape');
});

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

const menu = async (item) => {
  await page.getByRole('button', { name: 'Actions for the selected object' }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
/** Keys are shortcuts again. */
const leaveField = () => page.evaluate(() => globalThis.document.activeElement?.blur());

test('draws a cuboid by four points, and changes its depth, its side and its perspective', async () => {
  const front = [200, 100, 200, 200, 300, 100, 300, 200];
  await tool('cuboid');
  await page.getByText('Four points').click();
  for (const at of [
    [200, 100],
    [200, 200],
    [300, 200],
    [330, 180],
  ])
    await click(...at);
  near((await drawn()).points, [...front, 330, 80, 330, 180, 230, 80, 230, 180]);
  await canvas.drag(page, [330, 80], [350, 70]);
  near((await drawn()).points, [...front, 350, 70, 350, 170, 250, 70, 250, 170]);
  await inspect(page, 'job-cuboid');
  await menu('Show the other side');
  near((await drawn()).points, [...front, 250, 70, 250, 170, 150, 70, 150, 170]);
  await page.keyboard.down('Shift');
  await canvas.drag(page, [150, 70], [160, 80]);
  await page.keyboard.up('Shift');
  near((await drawn()).points, [...front, 250, 70, 250, 170, 160, 80, 150, 170]);
  await menu('Reset the perspective');
  near((await drawn()).points, [...front, 252, 72, 252, 172, 152, 72, 152, 172]);
  await canvas.drag(page, [300, 150], [320, 150]);
  near((await drawn()).points.slice(0, 8), [200, 100, 200, 200, 320, 100, 320, 200]);
  await page.keyboard.press('Shift+N');
  await page.getByText('Front', { exact: true }).click();
  await click(100, 180);
  await click(200, 280);
  near((await drawn()).points.slice(0, 8), [100, 180, 100, 280, 200, 180, 200, 280]);
});

test('redraws a part of a polygon, and sets its first vertex', async () => {
  const points = async () => {
    await canvas.save(page);
    const { shapes } = await app.api('GET', `/jobs/${jobId}/annotations`);
    assert.equal(shapes.length, 1);
    return shapes[0].points;
  };
  await click(100, 100);
  await page.keyboard.down('Shift');
  await click(50, 50);
  await page.keyboard.up('Shift');
  await click(60, 20);
  await click(140, 20);
  await click(150, 150);
  near(await points(), [50, 50, 60, 20, 140, 20, 150, 150, 50, 150]);
  await page.keyboard.down('Control');
  await click(150, 150);
  await page.keyboard.up('Control');
  near(await points(), [150, 150, 50, 150, 50, 50, 60, 20, 140, 20]);
  await page.keyboard.down('Shift');
  await click(50, 150);
  await page.keyboard.up('Shift');
  await click(20, 80);
  await page.keyboard.press('n');
  near(await points(), [150, 150, 50, 150, 20, 80]);
  await page.keyboard.press('Shift+N');
  for (const at of [
    [200, 200],
    [250, 200],
    [250, 250],
  ])
    await click(...at);
  await page.keyboard.press('n');
  near(await points(), [200, 200, 250, 200, 250, 250]);
});

test('completes a shape with its number of points, and sets the states of elements of a skeleton', async () => {
  await tool('points');
  await page.getByLabel('Number of points').fill('2');
  await page.keyboard.press('Enter');
  await click(200, 60);
  await click(240, 80);
  near((await drawn()).points, [200, 60, 240, 80]);
  await page.keyboard.press('Delete');
  await page.getByRole('button', { name: 'Draw skeleton' }).click();
  await click(200, 100);
  await click(300, 200);
  const element = page.getByRole('group', { name: 'right eye' });
  await element.getByLabel('Occluded').check();
  await page.getByRole('group', { name: 'nose' }).getByLabel('Outside').check();
  const box = (await page.locator('[data-frame]').boundingBox()) ?? {};
  const [, top] = await canvas.onScreen(page, 200, 100);
  const [right] = await canvas.onScreen(page, 300, 200);
  assert.ok(box.width > 0);
  // The box is 14 pixels of the screen larger than the skeleton.
  await leaveField();
  await page.mouse.move(right + 14, top - 14);
  await page.mouse.down();
  const [wider, higher] = await canvas.onScreen(page, 400, 50);
  await page.mouse.move(wider + 14, higher - 14, { steps: 4 });
  await page.mouse.up();
  const { elements } = await drawn();
  const byLabel = new Map(elements.map((one) => [one.label_id, one]));
  const [left, rightEye, nose] = ['left eye', 'right eye', 'nose'].map((name) =>
    byLabel.get(labels.pose.sublabels.find((sublabel) => sublabel.name === name).id),
  );
  near([...left.points, ...rightEye.points, ...nose.points], [200, 50, 300, 125, 400, 200]);
  assert.deepEqual(
    [left, rightEye, nose].map(({ occluded, outside }) => [occluded, outside]),
    [
      [false, false],
      [true, false],
      [false, true],
    ],
  );
});

test('pans with the space bar, fits by a double click, and Tab takes what is under the pointer', async () => {
  const zoom = () => page.locator('[class*="zoom"]').first().textContent();
  const fitted = await zoom();
  const scrolled = await canvas.onScreen(page, 350, 250);
  await page.mouse.move(...scrolled);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction(
    (text) => globalThis.document.querySelector('[class*="zoom"]')?.textContent !== text,
    fitted,
  );
  await page.keyboard.down(' ');
  await page.mouse.down();
  await page.mouse.move(scrolled[0] + 30, scrolled[1] + 20, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up(' ');
  assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0);
  await page.mouse.dblclick(...scrolled);
  await page.waitForFunction(
    (text) => globalThis.document.querySelector('[class*="zoom"]')?.textContent === text,
    fitted,
  );
  await tool('rectangle');
  await canvas.drag(page, [60, 60], [140, 140]);
  await tool('rectangle');
  await canvas.drag(page, [300, 200], [350, 250]);
  await move(100, 100);
  const selected = page.getByRole('list', { name: 'Objects' }).locator('[data-selected]');
  const seen = [];
  for (let times = 0; times < 3; times += 1) {
    await page.keyboard.press('Tab');
    seen.push((await selected.textContent())?.match(/polygon|rectangle/)?.[0]);
  }
  assert.deepEqual(seen, ['rectangle', 'polygon', 'rectangle']);
});
