// Forms and lists show errors where they are, and lose no input.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { photo, startApp } from './support.mjs';

let app;
let page;

before(async () => {
  app = await startApp({ INSPECT_ENABLED: 'false' });
  page = await app.newPage();
  await app.api('POST', '/projects', { name: 'Animals', labels: [{ name: 'cat' }, { name: 'dog' }] });
});

after(() => app?.stop());

const field = (name) => page.getByRole('textbox', { name, exact: true }).first();

test('a page number beyond the end of a list shows its last page', async () => {
  for (let number = 1; number <= 25; number += 1)
    await app.api('POST', '/tasks', { name: `Task number ${number}`, project_id: 1 });
  await page.goto('/tasks?page=999');
  await page.getByRole('link', { name: 'Task number 1', exact: true }).waitFor();
  await page.waitForURL('**/tasks?page=2');
  await page.getByText('25–25 of 25').waitFor();
  await page.goto('/projects?page=7');
  await page.getByRole('link', { name: 'Animals' }).waitFor();
  await page.waitForURL('**/projects');
  await page.goto('/requests?page=7');
  await page.getByText('No requests').waitFor();
});

test('a duplicate label name is marked once, at its field', async () => {
  await page.goto('/projects/new');
  await field('Name').fill('Two of a name');
  for (const at of [1, 2]) {
    await page.getByRole('button', { name: 'Add label' }).click();
    await page.getByRole('textbox', { name: 'Name' }).nth(at).fill('car');
  }
  await page.getByText('Another label is already named car. Choose another name.').waitFor();
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByText('The form has errors').waitFor();
  assert.equal(await page.getByText('Something went wrong').count(), 0);
  assert.equal(await page.getByText('Another label is already named car').count(), 1);
  const second = page.getByRole('textbox', { name: 'Name' }).nth(2);
  await page.waitForFunction(() => document.activeElement?.value === 'car');
  await second.fill('bus');
  await page.getByText('Another label is already named car').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { name: 'Two of a name' }).waitFor();
});

test('labels whose JSON has an error are not saved, and the JSON stays', async () => {
  await page.goto('/projects/new');
  await page.getByLabel('Name').first().fill('Labels as JSON');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const field = page.getByLabel('Labels as JSON');
  await field.fill('[{ "name": "car" }, { "name": "bus"');
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByText('Correct the JSON of the labels.').waitFor();
  assert.equal(await field.inputValue(), '[{ "name": "car" }, { "name": "bus"');
  assert.ok(await page.getByRole('tab', { name: 'Form' }).isDisabled());
  await field.fill('[{ "name": "car" }, { "name": "car" }]');
  await page.getByText('Another label is already named car. Choose another name.').waitFor();
  await page.getByRole('button', { name: 'Clear form' }).click();
  assert.equal(await field.inputValue(), '[]');
});

test('a removed label stays visible until the change is saved, and can be restored', async () => {
  await page.goto('/projects/1?show=labels');
  await page.getByRole('button', { name: 'Remove dog' }).click();
  await page.getByText('will be deleted when you save').waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  assert.ok(!(await page.getByLabel('Labels as JSON').inputValue()).includes('dog'));
  await page.getByRole('tab', { name: 'Form' }).click();
  await page.getByRole('button', { name: 'Restore dog' }).click();
  await page.getByRole('button', { name: 'Save labels' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove dog' }).click();
  await page.getByRole('button', { name: 'Save labels' }).click();
  await page.getByRole('dialog').getByText('This deletes dog').waitFor();
  await page.getByRole('button', { name: 'Delete and save' }).click();
  await page.getByText('Labels saved.').waitFor();
  await page.getByText('will be deleted when you save').waitFor({ state: 'detached' });
  const { results } = await app.api('GET', '/labels?project_id=1');
  assert.deepEqual(
    results.map(({ name }) => name),
    ['cat'],
  );
});

test('an overlap of more than half a job is rejected, not reduced', async () => {
  await page.goto('/tasks/new?project=1');
  await field('Name').fill('Overlapping');
  await page.getByRole('button', { name: 'Advanced settings' }).click();
  await page.getByLabel('Frames per job').fill('10');
  await page.getByLabel('Overlap').fill('15');
  await page.getByText('Use at most 5: half of the frames in a job.').waitFor();
  await page.getByRole('button', { name: 'Create without files' }).click();
  await page.getByText('The form has errors').waitFor();
  await page.getByLabel('Overlap').fill('5');
  await page.getByRole('button', { name: 'Create without files' }).click();
  await page.getByRole('heading', { name: 'Overlapping' }).waitFor();
});

test('ignored files are named, and a new task has an assignee', async () => {
  await page.goto('/tasks/new?project=1');
  await field('Name').fill('Assigned');
  await page.getByRole('combobox', { name: 'Assignee' }).click();
  await page.getByRole('option', { name: /\(you\)/ }).click();
  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('remember') };
  await page.locator('input[aria-label=Files]').setInputFiles([notes]);
  await page.getByText('notes.txt is not an image, video, archive, PDF or point cloud.').waitFor();
  await page.getByRole('button', { name: 'Remove notes.txt' }).click();
  await page.locator('input[aria-label=Files]').setInputFiles([photo('chelsea.jpg')]);
  await page.getByText('is not an image').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create and upload files' }).click();
  await page.getByRole('heading', { name: 'Assigned' }).waitFor();
  const { results } = await app.api('GET', '/tasks?sort=-id');
  assert.equal(results[0].assignee.username, app.username);
  await page.getByRole('link', { name: /^Job / }).first().waitFor();
});

test('the card of a project keeps its image when its newest task has no frames', async () => {
  await app.api('POST', '/tasks', { name: 'No frames yet', project_id: 1 });
  await page.goto('/projects');
  const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Animals' }) });
  await card.locator('img').waitFor();
  await page.waitForFunction(() => [...document.images].some(({ naturalWidth }) => naturalWidth > 100));
});

test('a short name that is too long is not truncated, and members are invited from their list', async () => {
  await page.goto('/organizations/new');
  await page.getByLabel('Short name').fill('a-short-name-that-is-long');
  await page.getByText('Use at most 16 characters. This text has 25.').waitFor();
  assert.equal(await page.getByLabel('Short name').inputValue(), 'a-short-name-that-is-long');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page
    .getByRole('alert')
    .getByText(/^Short name: /)
    .waitFor(); // the API calls it slug
  await page.getByLabel('Short name').fill('short');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.getByRole('link', { name: 'Invite people' }).click();
  await page.getByLabel('Email').waitFor();
});

test('the pages for webhooks request nothing that is missing while receivers are disabled', async () => {
  const failed = [];
  page.on('response', (response) => response.status() >= 400 && failed.push(`${response.status()} ${response.url()}`));
  await page.goto('/webhooks/new');
  await page.getByLabel('Target URL').waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await page.getByRole('button', { name: 'Use a receiver on this server' }).count(), 0);
  await page.goto('/webhooks/receivers');
  await page.getByText('Receivers are disabled').waitFor();
  assert.deepEqual(failed, []);
});
