// Quality reports: from the ground truth to a conflict on its frame.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { fits, hasLargeTargets, worksByKeyboard } from './page-rules.mjs';
import { inspect, startApp } from './support.mjs';

let app;
let page;
let taskId;
let jobId;
let labels;
/** URLs of requests for something that does not exist. */
const missing = [];

before(async () => {
  app = await startApp();
  ({ taskId, jobId, labels } = await canvas.createPhotoJob(app, {}));
  page = await app.newPage({ width: 1440, height: 900 });
  page.on('response', (answer) => (answer.status() === 404 ? missing.push(answer.url()) : undefined));
});

after(() => app?.stop());

const rectangle = (label, points) => ({ type: 'rectangle', frame: 0, label_id: labels[label].id, points });
const tab = (name) => page.getByRole('tab', { name });

test('says what to do before there can be a report', async () => {
  await page.goto(`/tasks/${taskId}`);
  await page.getByRole('link', { name: 'Quality' }).click();
  await page.getByText('No ground truth yet').waitFor();
  await inspect(page);
  await page.getByRole('button', { name: 'Add ground truth job' }).click();
  await page.getByRole('combobox', { name: 'Frame selection' }).click();
  await page.getByRole('option', { name: 'Manual' }).click();
  await page.getByLabel('Frame numbers').fill('0');
  await page.getByRole('button', { name: 'Add job' }).click();
  await page.getByText('The ground truth is not finished').waitFor();
});

test('creates a report, and shows its numbers as charts, tables and files', async () => {
  const [truth] = (await app.api('GET', `/jobs?task_id=${taskId}&type=ground_truth`)).results;
  await app.api('PUT', `/jobs/${truth.id}/annotations`, {
    shapes: [rectangle('cat', [100, 20, 300, 280]), rectangle('box', [20, 20, 80, 80])],
  });
  await app.api('PUT', `/jobs/${jobId}/annotations`, {
    shapes: [rectangle('cat', [130, 20, 330, 280]), rectangle('face', [20, 20, 80, 80])],
  });
  await app.api('PATCH', `/jobs/${truth.id}`, { stage: 'acceptance' });
  await app.api('PATCH', `/jobs/${truth.id}`, { state: 'completed' });
  await page.reload();
  await page.getByText('No report yet').waitFor();
  await page.getByRole('button', { name: 'Create report' }).click();
  await page.getByRole('heading', { name: 'By label' }).waitFor();
  const accuracy = page.locator('dl > div').filter({ hasText: /^Accuracy/ });
  assert.match(await accuracy.innerText(), /50%[^]*below the target of 70%/);
  const matrix = page.getByRole('group', { name: 'Confusion matrix' });
  const cells = await matrix.getByRole('row', { name: /^face/ }).getByRole('cell').allInnerTexts();
  assert.equal(cells.filter((count) => count === '1').length, 1);
  const byLabel = page.getByRole('region', { name: 'By label' });
  await byLabel.getByRole('img', { name: /^Accuracy, precision and recall by label/ }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    byLabel.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), `task-${taskId}-labels.csv`);
  await hasLargeTargets(page);
  await inspect(page, 'quality');
  assert.deepEqual(missing, []);
});

test('works in a small window and with the keyboard', async () => {
  await page.setViewportSize({ width: 900, height: 600 });
  await page.reload();
  await page.getByRole('heading', { name: 'Trend' }).waitFor();
  await fits(page);
  await worksByKeyboard(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await fits(page);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('lists conflicts, and shows both shapes of one on its frame', async () => {
  await tab('Conflicts').click();
  await page.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'Wrong label' }).click();
  await page.getByText('1–1 of 1').waitFor();
  await inspect(page);
  await page.getByRole('link', { name: /^Show conflict/ }).click();
  const conflict = page.getByRole('list', { name: 'Conflicts' }).getByRole('button', { pressed: true });
  assert.match(await conflict.innerText(), /Wrong label, frame 0/);
  await page.waitForFunction(() => !globalThis.location.search.includes('conflict='));
  await inspect(page, 'quality-conflict');
  await page.locator('section[aria-label=Frames] path[class*=conflicts]').waitFor({ state: 'attached' });
  await page.keyboard.press('x');
  await conflict.filter({ hasText: 'Low overlap' }).waitFor();
  await page.keyboard.press('Shift+X');
  await conflict.filter({ hasText: 'Wrong label' }).waitFor();
  await page.setViewportSize({ width: 900, height: 600 });
  const [film, side] = [page.getByRole('button', { name: 'Filmstrip' }), page.getByRole('combobox', { name: 'Mode' })];
  const { x, width } = await film.boundingBox();
  assert.ok(x + width <= (await side.boundingBox()).x, 'the player overlaps the side panel');
  await page.setViewportSize({ width: 1440, height: 900 });
  await tab('Objects').click();
  const selected = page.getByRole('list', { name: 'Objects' }).getByRole('button', { pressed: true });
  await selected.nth(1).waitFor();
  assert.equal(await selected.count(), 2);
});

test('saves settings, which the next report uses', async () => {
  await page.goto(`/tasks/${taskId}/quality?show=settings`);
  await page.getByLabel('Target', { exact: true }).fill('0.4');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. The next report uses these settings.').waitFor();
  await page.getByLabel('Minimum overlap').fill('2');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Ensure this value is less than or equal to 1.').first().waitFor();
  await inspect(page);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('button', { name: 'Create report' }).click();
  await tab('Report').click();
  await page.getByText('reaches the target of 40%').waitFor();
  await page.getByRole('img', { name: /over the latest reports/ }).waitFor();
});

test('tells annotators the outcome of the check of a completed job', async () => {
  const [{ id }] = (await app.api('GET', `/quality/settings?task_id=${taskId}`)).results;
  await app.api('PATCH', `/quality/settings/${id}`, { max_validations_per_job: 2, target_metric_threshold: 0.9 });
  await canvas.openJob(page, jobId);
  await page.getByRole('combobox', { name: /^State/ }).click();
  await page.getByRole('option', { name: 'completed' }).click();
  await page.getByText(/Accuracy 50% is below the target of 90%: 1 error on 1 checked frame/).waitFor();
  await page.getByText('1 check left').waitFor();
});
