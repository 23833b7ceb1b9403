// Errors are explained, and no input or upload is lost.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect, photo, startApp } from './support.mjs';

let app;
let page;

before(async () => {
  app = await startApp();
  page = await app.newPage();
  await app.api('POST', '/projects', { name: 'Stones', labels: [{ name: 'stone' }] });
});

after(() => app.stop());

test('while the server cannot be reached, the page says so and keeps its input, then it continues', async () => {
  await page.goto('/projects/new');
  await page.getByLabel('Name').first().fill('Written offline');
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByText('Cannot reach the server. Your input is kept').waitFor();
  await inspect(page);
  await page.unroute('**/api/**');
  await page.getByRole('button', { name: 'Reconnect now' }).click();
  await page.getByText('Cannot reach the server. Your input is kept').waitFor({ state: 'detached' });
  await page.getByText('It is available again and nothing is lost. Try again.').waitFor();
  assert.equal(await page.getByLabel('Name').first().inputValue(), 'Written offline');
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { name: 'Written offline' }).waitFor();
});

test('after the session expires, the login opens over the page and the input is kept', async () => {
  await page.goto('/projects/new');
  await page.getByLabel('Name').first().fill('Before the end');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create project' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has expired' });
  await dialog.waitFor();
  await inspect(page);
  await dialog.getByRole('textbox', { name: 'Password' }).fill(app.password);
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Name').first().inputValue(), 'Before the end');
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { name: 'Before the end' }).waitFor();
});

test('after the session expires, the login opens over other dialogs', async () => {
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: /^Delete/ });
  await question.waitFor();
  await page.context().clearCookies();
  await question.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has expired' });
  await dialog.getByRole('textbox', { name: 'Password' }).fill(app.password);
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await question.count(), 1);
});

test('input is kept on a page that was in the background while the server was unavailable and the session expired', async () => {
  const person = { username: 'returning', password: 'stones piled high' };
  const tab = await app.newPage({ loggedIn: false });
  await app.register(tab, person);
  await tab.goto('/organizations/new');
  await tab.getByLabel('Short name').fill('lab');
  await tab.getByRole('button', { name: 'Create organization' }).click();
  await tab.getByRole('heading', { name: 'lab' }).waitFor();
  await tab.clock.install();
  await tab.goto('/webhooks/new');
  await tab.getByLabel('Description').fill('Typed and left');
  const comeBack = async (seconds) => {
    await tab.clock.runFor(1000 * seconds);
    await tab.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    for (let second = 0; second < 8; second += 1) await tab.clock.runFor(1000); // queries are retried
  };
  await tab.route('**/api/**', (route) => route.abort('connectionrefused'));
  await comeBack(90);
  await tab.getByText('Cannot reach the server. Your input is kept').waitFor();
  assert.equal(await tab.getByLabel('Description').inputValue(), 'Typed and left');
  await tab.unroute('**/api/**');
  await tab.getByRole('button', { name: 'Reconnect now' }).click();
  await tab.getByText('Cannot reach the server. Your input is kept').waitFor({ state: 'detached' });
  const other = await tab.context().newPage();
  await other.goto('/projects');
  await other.getByRole('button', { name: /^Account/ }).click();
  await other.getByRole('menuitem', { name: 'Log out' }).click();
  await other.waitForURL('**/login');
  await other.close();
  await comeBack(90);
  const dialog = tab.getByRole('dialog', { name: 'Your session has expired' });
  await dialog.getByRole('textbox', { name: 'Password' }).fill(person.password);
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await tab.clock.runFor(2000);
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await tab.getByLabel('Description').inputValue(), 'Typed and left');
  await tab.getByRole('button', { name: 'Organization: lab' }).waitFor();
  await tab.context().close();
});

test('an edit conflict overwrites nothing and keeps the input', async () => {
  await page.goto('/projects/1?show=details');
  await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
  await app.api('PATCH', '/projects/1', { name: 'Theirs' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Someone else saved changes first').waitFor();
  await inspect(page);
  await page.getByRole('button', { name: 'Load current version' }).click();
  await page.getByRole('heading', { name: 'Theirs' }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Mine');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Mine' }).waitFor();
});

test('a forbidden change shows the reason', async () => {
  const { id } = await app.api('POST', '/projects', { name: 'Refused' });
  await page.goto(`/projects/${id}?show=details`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Not allowed');
  await page.route('**/api/projects/*', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ status: 403, json: { detail: 'You do not have permission to perform this action.' } })
      : route.fallback(),
  );
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('You do not have permission').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Not allowed');
  await page.unroute('**/api/projects/*');
});

test('an upload survives a lost connection and a full disk', async () => {
  await page.goto('/tasks/new?project=1');
  await page.getByLabel('Name').first().fill('Long way');
  await page.locator('input[aria-label=Files]').setInputFiles([photo('chelsea.jpg'), photo('rocket.jpg')]);
  let pieces = 'refused';
  await page.route('**/api/tasks/*/data/*', (route) => {
    if (route.request().method() !== 'PATCH' || pieces === 'arrive') return route.fallback();
    if (pieces === 'refused') return route.abort('connectionreset');
    return route.fulfill({ status: 507, json: { detail: 'The server has no space left to store this.' } });
  });
  await page.getByRole('button', { name: 'Create and upload files' }).click();
  await page.getByText('The upload resumes automatically').waitFor();
  await inspect(page);
  pieces = 'disk full';
  await page.getByText('The server is out of disk space').waitFor();
  await page.getByRole('button', { name: 'Cancel upload' }).waitFor();
  pieces = 'arrive';
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('link', { name: /^Job / }).first().waitFor();
  await page.unroute('**/api/tasks/*/data/*');
});

test('a cancelled upload can be started again', async () => {
  await page.goto('/tasks/new?project=1');
  await page.getByLabel('Name').first().fill('Given up');
  // outside the zone, the browser would open the file and leave the page
  const isLeft = () => document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true }));
  assert.equal(await page.evaluate(isLeft), false);
  await page.locator('input[aria-label=Files]').setInputFiles(photo('chelsea.jpg'));
  const isPiece = (request) => request.method() === 'PATCH';
  await page.route('**/api/tasks/*/data/*', (route) => (isPiece(route.request()) ? null : route.fallback()));
  const isAnnounced = page.waitForRequest(isPiece);
  await page.getByRole('button', { name: 'Create and upload files' }).click();
  await isAnnounced;
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Cancel upload' }).click();
  await page.getByText('This task has no frames yet.').waitFor();
  await page.unroute('**/api/tasks/*/data/*');
  await page.locator('input[aria-label=Files]').setInputFiles(photo('rocket.jpg'));
  await page.getByRole('button', { name: 'Upload files' }).click();
  await page.getByRole('link', { name: /^Job / }).first().waitFor();
});

test('invalid images show the error, and other files can be uploaded', async () => {
  const path = join(tmpdir(), `cairn-broken-${process.pid}.jpg`);
  await writeFile(path, 'this is no photograph');
  await page.goto('/tasks/new?project=1');
  await page.getByLabel('Name').first().fill('Broken');
  await page.locator('input[aria-label=Files]').setInputFiles(path);
  await page.getByRole('button', { name: 'Create and upload files' }).click();
  await page.getByText('The files could not be processed').waitFor();
  await page.getByText('Select other files or change the settings.').waitFor();
  await inspect(page);
  await page.locator('input[aria-label=Files]').setInputFiles(photo('coffee.jpg'));
  await page.getByRole('button', { name: 'Upload files' }).click();
  await page.getByRole('link', { name: /^Job / }).first().waitFor();
});

test('unknown pages and objects show an error', async () => {
  await page.goto('/projects/99999');
  await page.getByText('Not found').waitFor();
  await inspect(page);
  for (const address of ['/projects/1/nowhere', '/nowhere']) {
    await page.goto(address);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  }
});
