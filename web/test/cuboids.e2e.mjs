// Working on the cuboids of point clouds: numbers, the keyboard, tracks, copies and states.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { save } from './job-canvas.mjs';
import { boxOf, createStreetJob, dragIn, field, middleOf, near, openClouds, placeIn, SIZE } from './point-clouds.mjs';
import { inspect, photo, startApp, until } from './support.mjs';

let app;
let image;

before(async () => {
  app = await startApp();
  image = await readFile(photo('chelsea.jpg'));
});

after(() => app.stop());

const stored = (jobId) => app.api('GET', `/jobs/${jobId}/annotations/`);

async function openStreet(options) {
  const { jobId } = await createStreetJob(app, image);
  const page = await app.newPage(options);
  await openClouds(page, jobId);
  return { page, jobId };
}

/** Enters numbers into fields of the selected cuboid. */
async function enter(page, numbers) {
  for (const [name, value] of Object.entries(numbers)) {
    await field(page, name).fill(String(value));
    await field(page, name).press('Enter');
  }
}

const numberIn = async (page, name) => Number(await field(page, name).inputValue());

/** Waits until a field shows a number: the page renders after the key. */
async function showsNumber(page, name, wanted) {
  await until(async () => (await numberIn(page, name)) === wanted, `${name} is not ${wanted}`);
}

async function goTo(page, key, frame) {
  await page.keyboard.press(key);
  await page.locator(`canvas[data-frame="${frame}"]`).waitFor();
}

test('a cuboid is placed, selected and changed with the keyboard alone', async () => {
  const { page, jobId } = await openStreet({ width: 1440, height: 900 });
  await page.keyboard.press('n');
  const add = page.getByRole('button', { name: 'Add cuboid in the middle' });
  await add.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Selected object' }).waitFor();
  await field(page, 'Position X').focus();
  for (const value of ['1.5', '-2.25', '1']) {
    await page.keyboard.press('Control+a');
    await page.keyboard.type(value);
    await page.keyboard.press('Tab');
  }
  await field(page, 'Rotation Z').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('270');
  await page.keyboard.press('Tab');
  await showsNumber(page, 'Rotation Z', -90);
  await page.keyboard.press('ArrowUp'); // Length
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('0');
  await page.keyboard.press('Enter'); // Width has a minimum
  await inspect(page);
  await save(page);
  const [{ points }] = (await stored(jobId)).shapes;
  near(points.slice(0, 9), [1.5, -2.25, 1, 0, 0, -Math.PI / 2, SIZE[0] + 0.1, 0.05, SIZE[2]], 0.0001);
  // Each number is a step of its own.
  await page.keyboard.press('Control+z');
  await showsNumber(page, 'Width', SIZE[1]);
  await field(page, 'Position Y').fill('77');
  await field(page, 'Position Y').press('Escape');
  await showsNumber(page, 'Position Y', -2.25);
  await page.context().close();
});

test('keys turn, move and zoom the view with the focus', async () => {
  const { page } = await openStreet();
  const look = (view) => page.locator(`[data-view="${view}"] canvas`).evaluate((canvas) => canvas.toDataURL());
  await placeIn(page, 'top');
  await page.mouse.move(0, 0);
  for (const key of ['Control+ArrowLeft', 'Control+ArrowUp']) await changes(page, () => look('perspective'), key);
  await page.locator('[data-view="top"]').focus();
  for (const key of ['Alt+ArrowLeft', 'ArrowUp', ']', '[']) await changes(page, () => look('top'), key);
  const side = await look('side');
  await page.keyboard.press(']');
  assert.equal(await look('side'), side);
  await page.context().close();
});

async function changes(page, look, key) {
  const before = await look();
  await page.keyboard.press(key);
  assert.notEqual(await look(), before, key);
}

test('a track is interpolated between its keyframes', async () => {
  const { page, jobId } = await openStreet();
  await page.getByText('Track', { exact: true }).click();
  await placeIn(page, 'top');
  await enter(page, { 'Position X': 0, 'Rotation Z': 170 });
  await goTo(page, 'f', 1);
  await goTo(page, 'f', 2);
  await enter(page, { 'Position X': 8, 'Rotation Z': -170 });
  await goTo(page, 'd', 1);
  await showsNumber(page, 'Position X', 4);
  assert.equal(Math.abs(await numberIn(page, 'Rotation Z')), 180);
  assert.equal(await page.getByRole('checkbox', { name: 'Keyframe' }).isChecked(), false);
  await page.keyboard.press('k');
  await dragIn(page, 'top', [0, 0], [0, 1]);
  await goTo(page, 'f', 2);
  await page.keyboard.press('o');
  await save(page);
  const [{ shapes }] = (await stored(jobId)).tracks;
  assert.deepEqual(
    shapes.map(({ frame, outside }) => [frame, outside]),
    [
      [0, false],
      [1, false],
      [2, true],
    ],
  );
  near(
    shapes.map(({ points }) => points[0]),
    [0, 5, 8],
    0.06,
  );
  await page.context().close();
});

test('cuboids are copied, pasted, and copied to other frames', async () => {
  const { page, jobId } = await openStreet();
  await placeIn(page, 'top');
  await enter(page, { 'Position X': 3, 'Rotation Z': 30 });
  await page.keyboard.press('Control+c');
  await goTo(page, 'f', 1);
  await page.keyboard.press('Control+v');
  await page.keyboard.press('Control+b');
  await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click();
  await save(page);
  const { shapes } = await stored(jobId);
  assert.deepEqual(shapes.map(({ frame }) => frame).sort(), [0, 1, 2]);
  for (const { points } of shapes) near(points, shapes[0].points, 0);
  near([shapes[0].points[0], shapes[0].points[5]], [3, Math.PI / 6], 0.0001);
  await page.context().close();
});

test('locked, pinned, hidden and occluded cuboids behave as in images', async () => {
  const { page, jobId } = await openStreet();
  const xOf = async () => {
    await save(page);
    return (await stored(jobId)).shapes[0].points[0];
  };
  await placeIn(page, 'top');
  await enter(page, { 'Position X': 2 });
  await page.keyboard.press('l');
  await dragIn(page, 'top', [0, 0], [0, 1]);
  assert.equal(await field(page, 'Position X').isDisabled(), true);
  await page.keyboard.press('Delete');
  assert.equal(await xOf(), 2);
  await page.keyboard.press('l');
  await page.keyboard.press('p');
  await dragIn(page, 'top', [0, 0], [0, 1]);
  assert.equal(await field(page, 'Position X').isDisabled(), true);
  assert.equal(await field(page, 'Length').isDisabled(), false);
  assert.equal(await xOf(), 2);
  await page.keyboard.press('p');
  await dragIn(page, 'top', [0, 0], [0, 1]);
  near([await xOf()], [3], 0.06);
  await page.keyboard.press('q');
  await save(page);
  assert.equal((await stored(jobId)).shapes[0].occluded, true);
  await page.keyboard.press('h');
  await page.keyboard.press('Escape');
  await page.mouse.click(...middleOf(await boxOf(page, 'top')));
  assert.equal(await page.getByRole('region', { name: 'Selected object' }).count(), 0);
  await page.context().close();
});
