// Everything in the editor that needs no position on the image works with the keyboard alone. No test here uses a pointer.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { startApp } from './support.mjs';

let app;
let page;
let jobId;
let labels;

before(async () => {
  app = await startApp();
  ({ jobId, labels } = await canvas.createPhotoJob(app));
});

beforeEach(async () => {
  await page?.context().close();
  page = await app.newPage({ width: 1360, height: 820 });
  const rectangle = (points) => ({ type: 'rectangle', frame: 0, label_id: labels.cat.id, points });
  await app.api('PUT', `/jobs/${jobId}/annotations`, {
    shapes: [rectangle([20, 20, 80, 80]), rectangle([120, 20, 180, 80])],
  });
  await canvas.openJob(page, jobId);
  await page.getByText('2 objects').waitFor();
});

after(() => app?.stop());

const stored = () => app.api('GET', `/jobs/${jobId}/annotations`);
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Presses Tab until an element has the focus. */
async function tabTo(target) {
  for (let step = 0; step < 120; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement).catch(() => false)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}`);
}

/**
 * Selects an option of the open list. The list knows which option is the current one only a moment after it has opened,
 * so a key that comes earlier does not count.
 */
async function choose(name) {
  const option = page.getByRole('option', { name, exact: true });
  await option.waitFor();
  for (let step = 0; step < 20; step += 1) {
    if ((await option.getAttribute('data-combobox-selected')) !== null) return press('Enter');
    await press('ArrowDown');
  }
  throw new Error(`The arrow keys do not reach ${name}`);
}

test('objects are selected, changed, copied and removed', async () => {
  const details = page.getByRole('region', { name: 'Selected object' });
  await tabTo(page.getByRole('button', { name: /^cat.*rectangle/ }).first());
  await press('Enter');
  await details.waitFor();
  await tabTo(details.getByRole('combobox', { name: 'Label' }));
  await page.keyboard.type('face');
  await choose('face');
  await details.getByText(/^face/).first().waitFor();
  await press('q', 'Control+b');
  const dialog = page.getByRole('dialog', { name: 'Copy to other frames' });
  await tabTo(dialog.getByRole('button', { name: /^Copy/ }));
  await press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await press('Tab');
  await details.getByText(/^cat/).first().waitFor();
  await press('Delete');
  await page.getByText('1 object', { exact: true }).waitFor();
  await press('Control+z', 'Control+Shift+z');
  await canvas.save(page);
  const { shapes } = await stored();
  assert.deepEqual(
    shapes.map(({ frame, label_id: id, occluded }) => [frame, id, occluded]),
    [
      [0, labels.face.id, true],
      [1, labels.face.id, true],
    ],
  );
});

test('tags are added, and frames are found', async () => {
  await tabTo(page.getByRole('combobox', { name: 'Label' }));
  await page.keyboard.type('blurred');
  await choose('blurred');
  await tabTo(page.getByRole('button', { name: 'Tag', exact: true }));
  await press('Enter');
  await page.getByRole('list', { name: 'Tags of the frame' }).getByText('blurred').waitFor();
  await press('Shift+F');
  await page.getByRole('dialog', { name: 'Find a frame' }).getByLabel('File name').waitFor();
  await page.keyboard.type('raccoon');
  await page.getByText('1 frame', { exact: true }).waitFor();
  await press('Enter');
  await page.locator('[data-frame="1"]').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press('`');
  await page.keyboard.type('0');
  await press('Enter');
  await page.locator('[data-frame="0"]').waitFor();
  await canvas.save(page);
  assert.deepEqual(
    (await stored()).tags.map(({ label_id: id }) => id),
    [labels.blurred.id],
  );
});

test('settings are changed, and the dialog returns the focus', async () => {
  await press('F2');
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await tabTo(dialog.getByRole('tab', { name: 'Display' }));
  await press('ArrowRight');
  const brightness = dialog.getByRole('slider', { name: 'Brightness' });
  await tabTo(brightness);
  await press('ArrowLeft');
  assert.equal(await brightness.getAttribute('aria-valuenow'), '95');
  const grid = dialog.getByRole('switch', { name: 'Grid' });
  await tabTo(grid);
  await press(' ');
  await dialog.getByLabel('Distance of grid lines').waitFor();
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await press('f');
  await page.locator('[data-frame="1"]').waitFor();
});

test('a filter is built', async () => {
  await press('Alt+f');
  const dialog = page.getByRole('dialog', { name: 'Filter objects' });
  await tabTo(dialog.getByRole('button', { name: 'Add condition' }));
  await press('Enter');
  const condition = dialog.getByRole('group', { name: 'Condition 1' });
  const field = condition.getByRole('combobox', { name: 'Field' });
  await tabTo(field);
  await press('Enter');
  await choose('Kind');
  await condition.locator('input[value="Kind"]').waitFor(); // the field of the value changes with it
  await tabTo(condition.getByRole('combobox', { name: 'Value' }));
  await page.keyboard.type('track');
  await choose('track');
  await dialog.getByText('0 objects of this frame meet the filter.').waitFor();
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('0 of 2 objects').waitFor();
});
