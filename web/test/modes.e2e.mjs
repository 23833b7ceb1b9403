// The modes of the editor, each with its keys.
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

const stored = () => app.api('GET', `/jobs/${jobId}/annotations`);
const save = () => canvas.save(page);
const frameShown = (frame) => page.locator(`[data-frame="${frame}"]`).waitFor();

/** Opens the job with these annotations, and selects a mode. */
async function open(annotations, mode) {
  await app.api('PUT', `/jobs/${jobId}/annotations`, annotations);
  await canvas.openJob(page, jobId);
  await page.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: mode }).click();
}

test('tags frames with digits, and goes on to the next frame if wanted', async () => {
  await open({ tags: [{ frame: 0, label_id: labels.face.id }] }, 'Tags');
  const list = page.getByRole('list', { name: 'Tags', exact: true });
  await list.getByRole('button', { name: 'face', pressed: true }).waitFor();
  await page.keyboard.press('1');
  await page.keyboard.press('2');
  await list.getByRole('button', { name: 'cat', pressed: true }).waitFor();
  await inspect(page, 'mode-tags');
  await page.reload();
  await page.getByLabel('Go to the next frame after adding a tag').check();
  await list.getByRole('button', { name: 'whisker' }).click();
  await frameShown(1);
  await page.locator('[data-frame]').click();
  await page.keyboard.press('5');
  await list.getByRole('button', { name: 'blurred', pressed: true }).waitFor();
  await save();
  const { tags } = await stored();
  assert.deepEqual(
    tags.map(({ frame, label_id: id }) => [frame, id]).sort(),
    [
      [0, labels.cat.id],
      [0, labels.whisker.id],
      [1, labels.blurred.id],
    ].sort(),
  );
});
