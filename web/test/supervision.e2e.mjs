// What team leads see: replicas and their merge, the activity in a project, and the audit log.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { fits, hasLargeTargets, worksByKeyboard } from './page-rules.mjs';
import { inspect, startApp } from './support.mjs';

let app;
let page;

before(async () => {
  app = await startApp();
  page = await app.newPage({ width: 1280, height: 800 });
});

after(() => app?.stop());

const fitsEverywhere = async () => {
  await page.setViewportSize({ width: 900, height: 600 });
  await page.reload({ waitUntil: 'networkidle' }); // the focus begins at the top again
  await fits(page);
  await hasLargeTargets(page);
  await worksByKeyboard(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await fits(page);
  await page.setViewportSize({ width: 1280, height: 800 });
};

test('merges replicas after a warning', async () => {
  const { taskId, labels } = await canvas.createPhotoJob(app, { consensus_replicas: 3 });
  const jobs = (await app.api('GET', `/jobs?task_id=${taskId}&sort=id`)).results;
  const [parent, ...replicas] = jobs;
  assert.equal(replicas.length, 3);
  await page.goto(`/tasks/${taskId}`);
  await page.getByRole('link', { name: 'Consensus' }).click();
  await page.getByText('0 of 1 job can be merged').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Merge all jobs' }).isDisabled());

  const rectangle = { type: 'rectangle', frame: 0, label_id: labels.cat.id, points: [100, 20, 300, 280] };
  for (const { id } of replicas) {
    await app.api('PUT', `/jobs/${id}/annotations`, { shapes: [rectangle] });
    await app.api('PATCH', `/jobs/${id}`, { state: 'completed' });
  }
  await page.reload();
  await page.getByText('1 of 1 job can be merged').waitFor();
  await inspect(page, 'consensus');
  await fitsEverywhere();
  await page.getByRole('tab', { name: 'Agreement' }).click();
  await page.getByRole('button', { name: 'Calculate agreement' }).click();
  const pairs = page.getByRole('region', { name: 'By pair of annotators' });
  await pairs
    .getByRole('row', { name: /^Replica.*100%/ })
    .nth(2)
    .waitFor();
  await inspect(page, 'agreement');
  await page.getByRole('tab', { name: 'Jobs' }).click();
  await page.getByRole('button', { name: `Merge job ${parent.id}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This replaces all annotations').waitFor();
  await inspect(page);
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByText('The replicas are merged.').waitFor();
  await page
    .getByRole('row', { name: new RegExp(`^Job ${parent.id}`) })
    .getByText('completed')
    .first()
    .waitFor();
  const { shapes } = await app.api('GET', `/jobs/${parent.id}/annotations`);
  assert.deepEqual(
    shapes.map(({ points, source }) => [points, source]),
    [[rectangle.points, 'consensus']],
  );

  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByLabel('Quorum').fill('0.7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. The next merge uses these settings.').waitFor();
  await inspect(page);
  const [settings] = (await app.api('GET', `/consensus/settings?task_id=${taskId}`)).results;
  assert.equal(settings.quorum, 0.7);
});

test('shows the activity in a project as charts, tables and files', async () => {
  const project = await app.api('POST', '/projects', { name: 'Street scenes', labels: [{ name: 'car' }] });
  const { jobId } = await canvas.createPhotoJob(app, { project_id: project.id, labels: undefined });
  const [label] = (await app.api('GET', `/labels?project_id=${project.id}`)).results;
  const rectangle = { type: 'rectangle', frame: 1, label_id: label.id, points: [10, 10, 30, 30] };
  await app.api('PATCH', `/jobs/${jobId}/annotations?action=create`, { shapes: [rectangle, rectangle] });
  await app.api('PATCH', `/jobs/${jobId}`, { state: 'in progress' });
  await page.goto(`/projects/${project.id}`);
  await page.getByRole('link', { name: 'Activity' }).click();
  const objects = page.locator('dl > div').filter({ hasText: /^Objects/ });
  // Events are stored a little later.
  while (!(await objects.innerText()).includes('2')) await page.reload();
  await page.getByRole('img', { name: /^Frames by day/ }).waitFor();
  await page.getByRole('combobox', { name: 'Figure in the charts' }).click();
  await page.getByRole('option', { name: 'Objects' }).click();
  await page.getByRole('img', { name: /^Objects by day/ }).waitFor();
  await inspect(page, 'activity');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('region', { name: 'By person' }).getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
  assert.match(lines[1], /^admin,1,2,0,/);
  await fitsEverywhere();
  await page.getByLabel('First day').fill('2026-01-01');
  await page.waitForURL(/from=2026-01-01/);
  await page.getByLabel('Last day').fill('2025-12-31');
  await page.getByText('The first day must not be after the last day.').waitFor();
});

test('lists changes and failed log-ins in the audit log, and exports them', async () => {
  await fetch(`${app.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'nobody-knows', password: 'wrong password' }),
  });
  const { id } = await app.api('POST', '/projects', { name: 'Old name' });
  await app.api('PATCH', `/projects/${id}`, { name: 'New name' });
  await page.goto('/projects');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Audit log' }).click();
  const change = page.getByRole('row').filter({ hasText: 'name: Old name → New name' });
  // Events are stored a little later.
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  while ((await change.count()) === 0) await page.reload({ waitUntil: 'networkidle' });
  await inspect(page, 'audit-log');
  await page.getByRole('combobox', { name: 'Action' }).click();
  await page.getByRole('option', { name: 'Failed log-in' }).click();
  await page.getByRole('row').filter({ hasText: 'nobody-knows' }).waitFor();
  await change.waitFor({ state: 'detached' });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  assert.equal(lines.length, 2);
  assert.match(lines[1], /deny:login.*nobody-knows/);
  await page.getByLabel('Last day').fill('2020-01-01');
  await page.getByText('No records found').waitFor();
  await fitsEverywhere();
});
