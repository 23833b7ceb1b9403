// Tasks from the shared folder, ground truth, guides, datasets, and drafts.
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect, photo, startApp } from './support.mjs';

let app;
let page;
let share;

before(async () => {
  share = await mkdtemp(join(tmpdir(), 'cairn-share-'));
  await mkdir(join(share, 'animals', 'cats'), { recursive: true });
  await cp(photo('chelsea.jpg'), join(share, 'animals', 'cats', 'chelsea.jpg'));
  await cp(photo('raccoon.jpg'), join(share, 'animals', 'raccoon.jpg'));
  for (const name of ['coffee', 'rocket', 'retina', 'astronaut'])
    await cp(photo(`${name}.jpg`), join(share, `${name}.jpg`));
  app = await startApp({ SHARE_DIR: share });
  page = await app.newPage();
  await app.api('POST', '/projects', { name: 'Animals', labels: [{ name: 'cat' }] });
});

after(async () => {
  await app?.stop();
  await rm(share, { recursive: true, force: true });
});

const field = (name) => page.getByRole('textbox', { name }).first();
const choose = async (label, option) => {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
};

test('a task is created from the shared folder with ground truth and consensus replicas', async () => {
  await page.goto('/tasks/new?project=1');
  await field('Name').fill('From the share');
  await page.getByRole('tab', { name: 'Shared folder' }).click();
  await page.getByRole('button', { name: 'animals', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Select animals/cats/' }).check();
  await page.getByRole('navigation', { name: 'Folder path' }).getByRole('button', { name: 'Shared folder' }).click();
  for (const name of ['coffee.jpg', 'rocket.jpg', 'retina.jpg'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByText('Selected: animals/cats/, coffee.jpg, rocket.jpg and 1 more').waitFor();
  await page.getByRole('button', { name: 'Advanced settings' }).click();
  await page.getByLabel('Frames per job').fill('2');
  await page.getByLabel('Consensus replicas').fill('2');
  await choose('Validation', /^Ground truth/);
  await page.getByText('frames', { exact: true }).click();
  await page.getByLabel('Frames of the task').fill('1');
  await inspect(page, 'new-task-advanced');
  await page.getByRole('button', { name: 'Create from these files' }).click();
  await page.getByText('ground truth', { exact: true }).first().waitFor();
  await page.getByText('consensus', { exact: true }).waitFor();
  const { results } = await app.api('GET', '/tasks');
  const meta = await app.api('GET', `/tasks/${results[0].id}/data/meta`);
  assert.deepEqual(
    meta.frames.map(({ name }) => name),
    ['animals/cats/chelsea.jpg', 'coffee.jpg', 'retina.jpg', 'rocket.jpg'],
  );
  const jobs = (await app.api('GET', `/jobs?task_id=${results[0].id}&page_size=100`)).results.map(({ type }) => type);
  assert.deepEqual(jobs.toSorted(), [
    'annotation',
    'annotation',
    ...Array(4).fill('consensus_replica'),
    'ground_truth',
  ]);
});

test('a task with honeypots is created with random sorting', async () => {
  await page.goto('/tasks/new?project=1');
  await field('Name').fill('With honeypots');
  await page.getByRole('tab', { name: 'Shared folder' }).click();
  for (const name of ['coffee.jpg', 'rocket.jpg', 'retina.jpg', 'astronaut.jpg'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByRole('button', { name: 'Advanced settings' }).click();
  await page.getByLabel('Frames per job').fill('2');
  await choose('Validation', /^Honeypots/);
  await page.getByText('frames', { exact: true }).click();
  await page.getByLabel('Frames of the task').fill('2');
  await page.getByLabel('Honeypots in each job').fill('1');
  await page.getByText('Honeypots require random sorting.').waitFor();
  await page.getByRole('button', { name: 'Create from these files' }).click();
  await page.getByText('honeypots', { exact: true }).waitFor();
  const { id } = (await app.api('GET', '/tasks?sort=-id')).results[0];
  const layout = await app.api('GET', `/tasks/${id}/validation_layout`);
  assert.equal(layout.mode, 'gt_pool');
  assert.ok(layout.honeypot_count > 0);
});

test('a ground truth job is added to a task and deleted', async () => {
  await page.goto('/tasks/new?project=1');
  await field('Name').fill('Plain');
  await page.locator('input[aria-label=Files]').setInputFiles([photo('chelsea.jpg'), photo('rocket.jpg')]);
  await page.getByRole('button', { name: 'Create and upload files' }).click();
  await page.getByRole('link', { name: /^Job / }).first().waitFor();
  await page.getByRole('button', { name: 'Actions for Plain' }).click();
  await page.getByRole('menuitem', { name: 'Add ground truth job' }).click();
  await choose('Frame selection', 'Manual');
  await page.getByLabel('Frame numbers').fill('7');
  await inspect(page);
  await page.getByRole('button', { name: 'Add job' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.getByLabel('Frame numbers').fill('1');
  await page.getByRole('button', { name: 'Add job' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const row = page.getByRole('row').filter({ hasText: 'ground truth' });
  await row.waitFor();
  await row.getByRole('button', { name: /^Actions for job/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete job' }).click();
  await row.waitFor({ state: 'detached' });
});

test('a guide is written with an image and shown on the job page', async () => {
  await page.goto('/projects/1?show=guide');
  await page.getByRole('button', { name: 'Write guide' }).click();
  const text = page.getByLabel('Guide in Markdown');
  await text.fill(
    '# Cats\n\nMark **every** cat, <script>alert(1)</script> and ![far](https://example.org/far.png)\n\n',
  );
  await page.locator('input[type=file]').last().setInputFiles(photo('chelsea.jpg'));
  await page.waitForFunction(() => document.querySelector('textarea').value.includes('/api/assets/'));
  await page.getByRole('tab', { name: 'Preview' }).click();
  const preview = page.getByRole('region', { name: 'Guide preview' });
  await preview.getByRole('heading', { name: 'Cats' }).waitFor();
  await preview.getByRole('link', { name: 'far' }).waitFor();
  assert.equal(await preview.getByText('<script>').count(), 1);
  await page.reload();
  await page.getByRole('button', { name: 'Write guide' }).click();
  assert.match(await text.inputValue(), /\/api\/assets\//);
  await page.getByRole('button', { name: 'Save guide' }).click();
  await page.getByRole('region', { name: 'Guide' }).getByRole('img', { name: 'chelsea.jpg' }).waitFor();
  await inspect(page);
  const [job] = (await app.api('GET', '/jobs?project_id=1')).results;
  await page.goto(`/jobs/${job.id}`);
  const picture = page.getByRole('dialog', { name: 'Guide' }).getByRole('img', { name: 'chelsea.jpg' });
  await picture.waitFor(); // it opens automatically, once
  await page.reload();
  await page.getByRole('button', { name: 'Draw rectangle' }).waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.getByRole('button', { name: 'Guide' }).click();
  await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => [...document.images].some(({ naturalWidth }) => naturalWidth > 400));
  await inspect(page);
});

test('an edit conflict of a guide overwrites nothing', async () => {
  await page.goto('/projects/1?show=guide');
  await page.getByRole('button', { name: 'Edit guide' }).click();
  const text = page.getByLabel('Guide in Markdown');
  await text.fill('Mine');
  const { guide_id: id } = await app.api('GET', '/projects/1');
  await app.api('PATCH', `/guides/${id}`, { markdown: 'Theirs' });
  await page.getByRole('button', { name: 'Save guide' }).click();
  await page.getByText('Someone else saved changes first').waitFor();
  assert.equal((await app.api('GET', `/guides/${id}`)).markdown, 'Theirs');
  await page.getByRole('button', { name: 'Load current version' }).click();
  await page.getByText('Someone else saved changes first').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save guide' }).click();
  await page.getByRole('region', { name: 'Guide' }).getByText('Mine').waitFor();
});

test('a dataset is exported from a project and imported into another', async () => {
  await app.api('POST', '/projects', { name: 'Copy', labels: [{ name: 'cat' }] });
  await page.goto('/projects/1');
  await page.getByRole('button', { name: 'Actions for Animals' }).click();
  await page.getByRole('menuitem', { name: 'Export' }).click();
  await choose('Format', 'COCO 1.0');
  await page.getByRole('switch', { name: 'Include images' }).check();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const link = page.getByRole('link', { name: 'Download file' });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const file = join(share, 'dataset.zip');
  await download.saveAs(file);
  await page.goto('/projects/2');
  await page.getByRole('button', { name: 'Actions for Copy' }).click();
  await page.getByRole('menuitem', { name: 'Import dataset' }).click();
  await page.locator('input[type=file]').last().setInputFiles(photo('chelsea.jpg'));
  await page.getByText('Select a file of type .zip.').waitFor();
  await page.locator('input[type=file]').last().setInputFiles(file);
  await page.getByText('Matches: ').waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Format' }).inputValue(), 'COCO 1.0');
  await inspect(page);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('The file has been imported').waitFor();
  await page.getByRole('list', { name: 'Tasks' }).getByRole('listitem').first().waitFor();
  await inspect(page);
  const { results } = await app.api('GET', '/tasks?project_id=2');
  assert.ok(results.length > 0);
  assert.ok(results.every(({ size }) => size > 0));
});

test('input for a new task is kept after a reload and can be cleared', async () => {
  await page.goto('/tasks/new');
  await field('Name').fill('Half written');
  await page.getByRole('button', { name: 'Add label' }).click();
  await page.getByRole('textbox', { name: 'Name' }).nth(1).fill('crack');
  await page.locator('input[aria-label=Files]').setInputFiles(photo('rocket.jpg'));
  await page.reload();
  await page.getByText('Select the file again').waitFor();
  assert.equal(await field('Name').inputValue(), 'Half written');
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).nth(1).inputValue(), 'crack');
  await page.getByRole('button', { name: 'Clear form' }).click();
  assert.equal(await field('Name').inputValue(), '');
  await page.reload();
  await page.getByRole('heading', { name: 'New task' }).waitFor();
  assert.equal(await field('Name').inputValue(), '');
});
