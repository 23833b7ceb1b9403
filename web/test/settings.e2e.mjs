// The settings of the editor: each of them changes the picture or the behaviour at once, and is kept.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import * as canvas from './job-canvas.mjs';
import { inspect, startApp } from './support.mjs';

let app;
let page;
let jobId;
let labels;

before(async () => {
  app = await startApp();
  ({ jobId, labels } = await canvas.createPhotoJob(app));
  page = await app.newPage({ width: 1360, height: 820 });
});

after(() => app?.stop());

const dialog = () => page.getByRole('dialog', { name: 'Settings' });
const toggle = (name) => dialog().getByRole('switch', { name }).click();
const slider = (name) => dialog().getByRole('slider', { name, exact: true });

async function open() {
  const shape = { type: 'rectangle', frame: 0 };
  await app.api('PUT', `/jobs/${jobId}/annotations`, {
    shapes: [
      { ...shape, label_id: labels.cat.id, points: [100, 100, 160, 160], group: 1 },
      { ...shape, label_id: labels.face.id, points: [180, 100, 240, 160] },
    ],
  });
  await canvas.openJob(page, jobId);
  await page.getByText('2 objects').waitFor();
}

async function reload() {
  await page.reload();
  await page.getByRole('button', { name: 'Draw rectangle' }).waitFor();
}

async function openSettings(tab) {
  await page.keyboard.press('F2');
  await dialog().getByRole('tab', { name: tab }).click();
}

async function closeSettings() {
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
}

/** @returns the pixels of the part of the canvas that the dialog does not cover */
async function picture() {
  const { x, y, height } = await page.locator('[data-frame]').boundingBox();
  const image = await page.screenshot({ clip: { x, y, width: 860 - x, height: height - 40 } });
  return sharp(image).removeAlpha().raw().toBuffer();
}

/** Waits until two pictures in a row are the same. */
async function settled() {
  let last = await picture();
  for (let attempt = 0; attempt < 60; attempt += 1) {
    await page.waitForTimeout(100);
    const next = await picture();
    if (next.equals(last)) return next;
    last = next;
  }
  throw new Error('The canvas does not come to rest.');
}

/** Runs an action, and fails unless it changes the picture. @returns the picture */
async function changes(what, run) {
  const earlier = await settled();
  await run();
  for (let attempt = 0; attempt < 60; attempt += 1) {
    if (!(await picture()).equals(earlier)) return settled();
    await page.waitForTimeout(100);
  }
  throw new Error(`${what} does not change the picture.`);
}

/** @returns red, green and blue at a position of the image */
async function colorAt(x, y) {
  const [left, top] = await canvas.onScreen(page, x, y);
  const image = await page.screenshot({ clip: { x: Math.floor(left), y: Math.floor(top), width: 1, height: 1 } });
  return [...(await sharp(image).removeAlpha().raw().toBuffer())];
}

test('shortcuts are changed, conflicts are rejected, and all are reset', async () => {
  await open();
  await openSettings('Shortcuts');
  await dialog().getByLabel('Search shortcuts').fill('next frame');
  const add = dialog().getByRole('button', { name: 'Add keys to “Next frame”' });
  await add.click();
  await page.keyboard.press('d');
  await dialog().getByRole('alert').getByText('D is already used for “Previous frame”.').waitFor();
  await page.keyboard.press('Control+t');
  await dialog().getByRole('alert').getByText('Browsers use Ctrl + T themselves.').waitFor();
  await page.keyboard.press('x');
  await dialog().getByRole('button', { name: 'Remove X from “Next frame”' }).waitFor();
  await dialog().getByRole('button', { name: 'Remove F from “Next frame”' }).click();
  await add.click();
  await page.keyboard.press('t');
  await page.keyboard.press('n');
  await dialog().getByText('T N', { exact: true }).waitFor();
  await inspect(page);
  await closeSettings();
  await reload();
  await page.keyboard.press('f');
  await page.keyboard.press('x');
  await page.locator('[data-frame="1"]').waitFor();
  await page.keyboard.press('d');
  await page.locator('[data-frame="0"]').waitFor();
  await page.keyboard.press('t');
  await page.keyboard.press('n');
  await page.locator('[data-frame="1"]').waitFor();
  await page.keyboard.press('F1');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('T N', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await openSettings('Shortcuts');
  await dialog().getByRole('button', { name: 'Reset all' }).click();
  await closeSettings();
  await page.keyboard.press('d');
  await page.locator('[data-frame="0"]').waitFor();
  await page.keyboard.press('x');
  await page.keyboard.press('f');
  await page.locator('[data-frame="1"]').waitFor();
});

test('the image is adjusted, without its annotations', async () => {
  await open();
  await openSettings('Image');
  const [, , blue] = await colorAt(400, 40);
  await changes('Brightness', () => slider('Brightness').press('Home'));
  assert.deepEqual(await colorAt(400, 40), [0, 0, 0]);
  const [red] = await colorAt(100, 130);
  assert.ok(red > 150, 'the outline keeps its colour');
  await changes('Reset', () => dialog().getByRole('button', { name: 'Reset image adjustments' }).click());
  assert.ok(Math.abs((await colorAt(400, 40))[2] - blue) <= 2);
  await changes('Contrast', () => slider('Contrast').press('Home'));
  for (const value of await colorAt(400, 40)) assert.ok(Math.abs(value - 128) <= 2);
  await slider('Contrast').press('End');
  await changes('Reset', () => dialog().getByRole('button', { name: 'Reset image adjustments' }).click());
  await changes('Saturation', () => slider('Saturation').press('Home'));
  const grey = await colorAt(400, 40);
  assert.ok(Math.max(...grey) - Math.min(...grey) <= 2, grey.join());
  await changes('Gamma', () => slider('Gamma').press('End'));
  const light = await colorAt(400, 40);
  assert.ok(light[0] > grey[0] + 20, `${light.join()} after ${grey.join()}`);
  await reload();
  await settled();
  for (const [at, value] of (await colorAt(400, 40)).entries()) assert.ok(Math.abs(value - light[at]) <= 2);
  await openSettings('Image');
  await changes('Reset', () => dialog().getByRole('button', { name: 'Reset image adjustments' }).click());
  await changes('Grid', () => toggle('Grid'));
  await changes('Distance', () => dialog().getByLabel('Distance of grid lines').fill('40'));
  await changes('Opacity', () => slider('Opacity of the grid').press('End'));
  await inspect(page, 'job-settings');
  await changes('Grid', () => toggle('Grid'));
  await closeSettings();
  for (let times = 0; times < 9; times += 1) await page.keyboard.press(']');
  await openSettings('Image');
  await changes('Smoothing', () => toggle('Smooth the image above 400 %'));
  await changes('Smoothing', () => toggle('Smooth the image above 400 %'));
  await closeSettings();
});

test('objects are drawn as the display settings say', async () => {
  await open();
  await page.mouse.click(...(await canvas.onScreen(page, 130, 130)));
  await page.getByRole('region', { name: 'Selected object' }).waitFor();
  await openSettings('Display');
  const choose = (name) => dialog().getByText(name, { exact: true }).click();
  for (const name of ['Object', 'Group', 'Label'])
    await changes(`Colour by ${name}`, () =>
      dialog().getByRole('radiogroup', { name: 'Colour by' }).getByText(name, { exact: true }).click(),
    );
  for (const name of ['Opacity', 'Opacity of selected objects', 'Width of outlines'])
    await changes(name, () => slider(name).press('End'));
  await changes('Texts of selected objects', () => choose('Selected objects'));
  await changes('Texts of all objects', () => choose('All objects'));
  await changes('Source', () => dialog().getByRole('checkbox', { name: 'Source' }).check());
  for (const name of ['Attributes', 'ID', 'Label'])
    await changes(name, () => dialog().getByRole('checkbox', { name }).uncheck());
  await changes('Position', () => choose('Inside'));
  await changes('Size', () => slider('Size of texts').press('End'));
  await inspect(page);
  await changes('No texts', () => choose('No object'));
  await page.evaluate(() => globalThis.localStorage.clear());
});

test('changes are saved at the chosen interval, or not until the user saves', async () => {
  await page.clock.install();
  await open();
  await openSettings('Editing');
  await toggle('Save automatically');
  await closeSettings();
  const edit = async () => {
    await page.getByRole('button', { name: /^cat/ }).press('Enter');
    await page.getByRole('region', { name: 'Selected object' }).getByRole('checkbox', { name: 'Occluded' }).click();
    await page.getByText('Unsaved changes').waitFor();
  };
  await edit();
  await page.clock.fastForward(3_600_000);
  await page.getByText('Unsaved changes').waitFor();
  await openSettings('Editing');
  await toggle('Save automatically');
  await dialog().getByLabel('Interval of automatic saving').fill('120');
  await closeSettings();
  await page.clock.fastForward(119_000);
  await page.getByText('Unsaved changes').waitFor();
  await page.clock.fastForward(2_000);
  await page.getByText('All changes saved').waitFor();
  const { shapes } = await app.api('GET', `/jobs/${jobId}/annotations`);
  assert.equal(shapes.find(({ label_id: id }) => id === labels.cat.id).occluded, true);
});

test('distances are measured, boxes show their size, and colours change', async () => {
  await open();
  const press = (key) => () => page.keyboard.press(key);
  await changes('Measuring', async () => {
    await page.keyboard.press('u');
    await canvas.drag(page, [40, 200], [140, 260]);
  });
  await changes('The end of measuring', press('s'));
  assert.equal((await app.api('GET', `/jobs/${jobId}/annotations`)).shapes.length, 2);
  await changes('The size of a box', async () => {
    await page.getByRole('button', { name: 'Draw rectangle' }).click();
    await page.mouse.click(...(await canvas.onScreen(page, 40, 200)));
    await page.mouse.move(...(await canvas.onScreen(page, 140, 260)));
  });
  await page.keyboard.press('Escape');
  await page.mouse.click(...(await canvas.onScreen(page, 130, 130)));
  await page.getByRole('region', { name: 'Selected object' }).waitFor();
  await changes('The colour', press('Enter'));
  await changes('The next colour', press('Enter'));
});
