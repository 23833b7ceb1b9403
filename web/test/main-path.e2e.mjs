// The main workflow of a new user: log in, create a project with labels and a task, edit jobs, export annotations.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { dropFiles, inspect, photo, startApp, until } from './support.mjs';

let app;
let page;

before(async () => {
  app = await startApp();
  page = await app.newPage({ loggedIn: false });
});

after(() => app.stop());

test('the login leads to the requested page', async () => {
  await page.goto('/tasks');
  await page.waitForURL('**/login?next=%2Ftasks');
  await inspect(page, 'login');
  await page.getByLabel('Username or email').fill(app.username);
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('textbox', { name: 'Password' }).fill(app.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'No tasks yet' }).waitFor();
  await inspect(page);
});

test('a project is created with labels, attributes and a skeleton', async () => {
  await page.getByRole('link', { name: 'Projects', exact: true }).click();
  await page.getByRole('link', { name: 'New project' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).first().fill('Animals');
  await page.getByRole('button', { name: 'Add label' }).click();
  const nameOf = (at) => page.getByRole('textbox', { name: 'Name' }).nth(at);
  await nameOf(1).and(page.locator(':focus')).fill('cat');
  await page.getByRole('button', { name: 'Attributes' }).click();
  await page.getByRole('button', { name: 'Add attribute' }).click();
  await page.getByRole('textbox', { name: 'Attribute' }).and(page.locator(':focus')).fill('fur');
  await page.keyboard.press('Enter');
  await page.getByPlaceholder('Type and press Enter').fill('striped');
  await page.keyboard.press('Enter');
  await nameOf(1).press('Enter');
  await nameOf(2).and(page.locator(':focus')).fill('face');
  await page.getByRole('combobox', { name: 'Shape' }).nth(1).click();
  await page.getByRole('option', { name: 'skeleton' }).click();
  const board = page.getByRole('group', { name: 'Skeleton drawing' });
  await board.scrollIntoViewIfNeeded();
  await board.click({ position: { x: 60, y: 60 } });
  await board.click({ position: { x: 200, y: 60 } });
  await page.getByRole('button', { name: /^Point 1\./ }).click();
  await page.getByRole('button', { name: /^Point 2\./ }).click({ modifiers: ['Shift'] });
  await inspect(page, 'label-editor');
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { name: 'Animals' }).waitFor();
  const { results } = await app.api('GET', '/labels?project_id=1');
  const face = results.find(({ name }) => name === 'face');
  assert.deepEqual(
    results.map(({ name }) => name),
    ['cat', 'face'],
  );
  assert.deepEqual(
    results[0].attributes.map(({ name, values }) => ({ name, values })),
    [{ name: 'fur', values: ['striped'] }],
  );
  assert.deepEqual(
    face.sublabels.map(({ name }) => name),
    ['1', '2'],
  );
  assert.match(face.svg, /<line [^>]*data-node-from="1" data-node-to="2"/);
});

test('labels are edited in the form and as JSON', async () => {
  await page.getByRole('tab', { name: 'Labels' }).click();
  await page.getByRole('textbox', { name: 'Name' }).first().fill('house cat');
  await page.getByRole('button', { name: 'Save labels' }).click();
  await page.getByText('Labels saved.').first().waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  const field = page.getByLabel('Labels as JSON');
  const labels = JSON.parse(await field.inputValue());
  const withDog = JSON.stringify([...labels, { name: 'dog', color: '#00aa00', type: 'rectangle' }]);
  await field.fill(withDog);
  await field.fill('[{');
  await page.getByText('The JSON has an error').waitFor();
  // The labels of the last correct JSON are not what the user sees.
  assert.ok(await page.getByRole('button', { name: 'Save labels' }).isDisabled());
  await page.getByRole('button', { name: 'Discard changes' }).click();
  assert.deepEqual(JSON.parse(await field.inputValue()), labels);
  await field.fill(withDog);
  await inspect(page);
  await page.getByRole('button', { name: 'Save labels' }).click();
  await page.getByRole('button', { name: 'Save labels' }).waitFor({ state: 'detached' });
  const { results } = await app.api('GET', '/labels?project_id=1');
  assert.deepEqual(
    results.map(({ name }) => name),
    ['house cat', 'face', 'dog'],
  );
});

test('a thousand labels can be searched, edited, deleted and extended', async () => {
  const names = Array.from({ length: 1200 }, (_, index) => ({ name: `kind ${index}` }));
  const { id } = await app.api('POST', '/projects', { name: 'Everything', labels: names });
  await page.goto(`/projects/${id}?show=labels`);
  const fields = page.getByRole('textbox', { name: 'Name' });
  const search = page.getByRole('textbox', { name: 'Search 1,200 labels' });
  await search.fill('kind 777');
  await fields.nth(1).waitFor({ state: 'detached' });
  await fields.fill('house');
  await search.fill('KIND 88');
  await fields.nth(10).waitFor();
  assert.equal(await fields.count(), 11);
  await page.getByRole('button', { name: 'Remove kind 888' }).click();
  await page.getByRole('button', { name: 'Add label' }).click();
  await page.getByRole('button', { name: 'Remove the new label' }).waitFor();
  await fields.last().fill('the last');
  await page.getByRole('button', { name: 'Page 1', exact: true }).click();
  await page.getByRole('button', { name: 'Remove kind 0', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save labels' }).click();
  await page.getByText('This deletes kind 888').waitFor();
  await page.getByRole('button', { name: 'Delete and save' }).click();
  await page.getByText('Labels saved.').first().waitFor();
  const { count } = await app.api('GET', `/labels?project_id=${id}&page_size=1`);
  const changed = await app.api('GET', `/labels?project_id=${id}&search=house`);
  const last = await app.api('GET', `/labels?project_id=${id}&search=the last`);
  assert.deepEqual([count, changed.count, last.count], [1200, 1, 1]);
  await app.api('DELETE', `/projects/${id}`);
  await page.goto('/projects/1');
});

test('a task with jobs is created from dropped photographs', async () => {
  await page.getByRole('link', { name: 'New task' }).first().click();
  await page.getByRole('heading', { name: 'New task' }).waitFor(); // the page before has fields of the same names
  await page.getByRole('textbox', { name: 'Name' }).first().fill('Photographs');
  await dropFiles(
    page.getByRole('group', { name: 'Files of the task' }),
    ['chelsea.jpg', 'coffee.jpg', 'raccoon.jpg'].map(photo),
  );
  await page.getByText('3 files').waitFor();
  await page.getByRole('button', { name: 'Advanced settings' }).click();
  await page.getByLabel('Frames per job').fill('1');
  await inspect(page, 'new-task');
  await page.getByRole('button', { name: 'Create and upload files' }).click();
  await page.getByRole('link', { name: 'Job 3' }).waitFor();
  await page.waitForLoadState('networkidle');
  await inspect(page, 'task');
  const meta = await app.api('GET', '/tasks/1/data/meta');
  assert.deepEqual(
    meta.frames.map(({ name }) => name),
    ['chelsea.jpg', 'coffee.jpg', 'raccoon.jpg'],
  );
});

test('files of a folder keep their paths', async () => {
  await page.goto('/tasks/new?project=1');
  await page.getByRole('textbox', { name: 'Name' }).first().fill('A folder');
  await page.locator('input[aria-label=Folder]').setInputFiles(photo(''));
  await page.getByText('8 files').waitFor();
  await page.getByRole('button', { name: 'Create and upload files' }).click();
  await page.getByRole('link', { name: 'Job 4' }).waitFor();
  const meta = await app.api('GET', '/tasks/2/data/meta');
  assert.ok(
    meta.frames.every(({ name }) => name.startsWith('photos/')),
    meta.frames[0].name,
  );
});

test('jobs are assigned and edited individually and in bulk', async () => {
  await page.goto('/tasks/1');
  await page.getByRole('combobox', { name: 'Stage of job 1' }).click();
  await page.getByRole('option', { name: 'validation' }).click();
  await until(async () => (await app.api('GET', '/jobs/1')).stage === 'validation');
  await page.getByLabel('Select all jobs on this page').check();
  await page.getByRole('combobox', { name: 'Assignee for selected jobs' }).click();
  await page.getByRole('option', { name: 'admin (you)' }).click();
  const state = page.getByRole('combobox', { name: 'State for selected jobs' });
  await state.click();
  await page.getByRole('option', { name: 'in progress' }).click();
  await inspect(page);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('3 jobs updated.').waitFor();
  assert.equal(await state.inputValue(), '');
  assert.equal(await page.getByRole('button', { name: 'Apply' }).isDisabled(), true);
  const { results } = await app.api('GET', '/jobs?task_id=1');
  assert.deepEqual(new Set(results.map(({ assignee }) => assignee.username)), new Set([app.username]));
  assert.deepEqual(
    results.map(({ state: saved }) => saved),
    ['in progress', 'in progress', 'in progress'],
  );
  await page.getByRole('combobox', { name: 'Assignee for selected jobs' }).click();
  await page.getByRole('option', { name: 'Nobody' }).click();
  await page.getByRole('combobox', { name: 'Stage for selected jobs' }).click();
  const stages = page.getByRole('listbox', { name: 'Stage for selected jobs' });
  await stages.getByText('Resets the state to “new”').waitFor();
  await page.getByRole('option', { name: 'acceptance' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await until(async () => (await app.api('GET', '/jobs/3')).assignee === null);
  const { stage, state: reset } = await app.api('GET', '/jobs/3');
  assert.deepEqual([stage, reset], ['acceptance', 'new']);
  await page.goto('/jobs');
  await page.getByRole('link', { name: 'Job 1', exact: true }).waitFor();
  await inspect(page);
});

test('search and filters of a list are kept in the URL', async () => {
  await page.goto('/tasks');
  await page.getByRole('link', { name: 'A folder' }).waitFor();
  await inspect(page);
  await page.getByLabel('Search tasks').fill('photogr');
  await page.getByRole('link', { name: 'A folder' }).waitFor({ state: 'detached' });
  assert.match(page.url(), /search=photogr/);
  await page.reload();
  await page.getByRole('link', { name: 'Photographs' }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'A folder' }).waitFor();
  await page.goto('/projects');
  await page.getByRole('link', { name: 'Animals' }).waitFor();
  await inspect(page);
});

test('annotations are exported and imported', async () => {
  await page.goto('/tasks/1');
  await page.getByRole('button', { name: 'Actions for Photographs' }).click();
  await page.getByRole('menuitem', { name: 'Export' }).click();
  await page.getByRole('combobox', { name: 'Format' }).click();
  await page.getByRole('option', { name: 'COCO 1.0' }).click();
  await inspect(page);
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const link = page.getByRole('link', { name: 'Download file' });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const file = {
    name: download.suggestedFilename(),
    mimeType: 'application/zip',
    buffer: await readFile(await download.path()),
  };
  await page.goto('/requests');
  await page.getByText('COCO 1.0').first().waitFor();
  await inspect(page, 'requests');
  await page.goto('/tasks/1');
  await page.getByRole('button', { name: 'Actions for Photographs' }).click();
  await page.getByRole('menuitem', { name: 'Import annotations' }).click();
  await page.getByRole('combobox', { name: 'Format' }).click();
  await page.getByRole('option', { name: 'COCO 1.0' }).click();
  await page.locator('input[type=file]').last().setInputFiles(file);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('The file has been imported').waitFor();
});
