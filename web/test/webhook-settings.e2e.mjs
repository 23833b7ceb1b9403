// All settings of a webhook, the server's own receivers, and samples, with real deliveries.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inspect, startApp } from './support.mjs';

let app;
let page;

before(async () => {
  app = await startApp();
  page = await app.newPage();
  await app.api('POST', '/projects', { name: 'Subscribed', labels: [{ name: 'stone' }] });
});

after(() => app.stop());

const field = (name) => page.getByRole('textbox', { name }).or(page.getByRole('spinbutton', { name }));
const open = (title) => page.getByRole('button', { name: title, exact: true }).click();

test('a receiver of this server shows the requests it receives and verifies their signatures', async () => {
  await page.goto('/webhooks/new?project_id=1');
  await page.getByRole('button', { name: 'Use a receiver on this server' }).click();
  await page.waitForFunction(() => document.querySelector('input[type=url]').value.includes('/inspect/'));
  await page.getByLabel('Description').fill('To look at');
  await page.getByRole('combobox', { name: 'Project' }).and(page.locator('[value="Subscribed (#1)"]')).waitFor();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('link', { name: 'View received requests' }).click();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  await inspect(page);
  await app.api('POST', '/webhooks/1/ping');
  await app.api('PATCH', '/projects/1', { name: 'Seen' });
  await page.getByRole('button', { name: /^update:project/ }).click();
  await page
    .getByRole('region', { name: /^Body of request/ })
    .getByText('"Seen"')
    .waitFor();
  await page.getByText('2 requests').waitFor();
  assert.equal(await page.getByText('webhook-signature is valid').count(), 2);
  assert.equal(await page.getByText('X-Signature-256 is valid').count(), 2);
  await inspect(page, 'webhook-receiver');
});

test('the URL of a receiver opens its page in a browser, which reports invalid signatures', async () => {
  await page.goto('/webhooks/receivers');
  await field('Webhook secret').fill('another secret');
  await page.getByRole('button', { name: 'Create receiver' }).click();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  const address = new URL(page.url()).pathname.replace('/webhooks/receivers/', '/inspect/');
  await fetch(app.url + address, { method: 'POST', body: '<b>no JSON</b>' });
  await page.goto(address);
  await page.getByRole('button', { name: /^Request/ }).click();
  await page.getByText('X-Signature-256 is missing').waitFor();
  await page.getByText('<b>no JSON</b>').waitFor();
  await inspect(page);
  await page.getByRole('link', { name: 'Receivers' }).click();
  await page.getByRole('row').nth(2).waitFor();
  await inspect(page, 'webhook-receivers');
  await page
    .getByRole('button', { name: /^Delete / })
    .first()
    .click();
  await page.getByRole('button', { name: 'Delete receiver' }).click();
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
});

test('a sample of an event is shown and sent', async () => {
  await page.goto('/webhooks/1?show=sample');
  await page.getByRole('combobox', { name: 'Event' }).click();
  await page.getByRole('option', { name: 'update:job', exact: true }).click();
  await page.getByText('There is no stored event of this type. The values are examples.').waitFor();
  await page.getByRole('combobox', { name: 'Event' }).click();
  await page.getByRole('option', { name: 'update:project', exact: true }).click();
  await page.getByRole('region', { name: 'Sample payload' }).getByText('"Seen"').waitFor();
  await page.getByRole('button', { name: 'Send sample' }).click();
  await page.getByText('The sample was delivered').waitFor();
  await inspect(page, 'webhook-sample');
  await page.getByRole('button', { name: 'View delivery' }).click();
  await page
    .getByRole('dialog', { name: /^Delivery / })
    .getByText('"Seen"')
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
});

test('errors are shown at their fields, and the first invalid field is focused', async () => {
  await page.getByRole('tab', { name: 'Settings' }).click();
  await open('Filter and payload');
  await field('Filter').fill('{ "==": ');
  await page.getByRole('button', { name: 'Save' }).click(); // the first click counts
  await page.getByText('The form has errors').waitFor();
  await open('Order, rate and retries');
  await field('Retry schedule').fill('0s, soon');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('"soon" is not a valid delay').first().waitFor();
  await page.getByText('This is not valid JSON').first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-invalid')), 'true');
  await field('Filter').fill('{ "wizard": [1] }');
  await field('Retry schedule').fill('0s, 5s, 5m');
  await field('Batch window in seconds').fill('4000');
  await refused('Batch window in seconds');
  await field('Batch window in seconds').fill('30');
  await refused('Filter');
  await inspect(page);
});

/** Saves, and waits until the field is marked as invalid and focused. */
async function refused(name) {
  await page.getByRole('button', { name: 'Save' }).click();
  const marked = field(name).and(page.locator('[aria-invalid="true"]:focus'));
  await marked.waitFor();
  const words = await marked.evaluate((input) =>
    input
      .getAttribute('aria-describedby')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  );
  assert.match(words, /wizard|3600/);
}

test('the form has every setting of the API', async () => {
  await field('Filter').fill('{ "!=": [{ "var": "project.name" }, "Silent"] }');
  await page.getByRole('combobox', { name: 'Payload' }).click();
  await page.getByRole('option', { name: /^Thin/ }).click();
  await page.getByRole('combobox', { name: 'API version' }).click();
  await page.getByRole('option', { name: '2.0' }).click();
  await page.getByRole('switch', { name: 'Ordered' }).check();
  await field('Timeout in seconds').fill('20');
  await field('Deliveries per second').fill('50');
  await field('Concurrent deliveries').fill('4');
  await open('Custom headers');
  await page.getByRole('button', { name: 'Add header' }).click();
  await field('Name of header 1').fill('Host');
  await field('Value of header 1').fill('staging');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The header "Host" is reserved.').first().waitFor();
  await inspect(page);
  await field('Name of header 1').fill('X-Environment');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The webhook is saved.').waitFor();
  const { filter, payload, ordered, custom_headers, ...rest } = await app.api('GET', '/webhooks/1');
  assert.deepEqual(filter, { '!=': [{ var: 'project.name' }, 'Silent'] });
  assert.deepEqual([payload, ordered, custom_headers], ['thin', true, { 'X-Environment': '***' }]);
  assert.deepEqual([rest.retry_schedule, rest.batch_window, rest.api_version], [[0, 5, 300], 30, '2.0']);
  assert.deepEqual([rest.timeout, rest.rate_limit, rest.max_concurrency], [20, 50, 4]);
  await page.reload();
  await page.getByRole('button', { name: 'Save' }).waitFor();
  assert.equal(await field('Retry schedule').inputValue(), '0s, 5s, 5m');
  assert.equal(await field('Value of header 1').inputValue(), '***');
});

test('a delivery is no edit conflict, a change by someone else is', async () => {
  await page.getByLabel('Description').fill('Mine');
  await app.api('POST', '/webhooks/1/ping');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Mine' }).waitFor();
  await page.getByLabel('Description').fill('Mine again');
  await app.api('PATCH', '/webhooks/1', { timeout: 30 });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Someone else saved changes first').waitFor();
  await inspect(page);
  await page.getByRole('button', { name: 'Load current version' }).click();
  await page.getByText('Someone else saved changes first').waitFor({ state: 'detached' });
  assert.equal(await field('Timeout in seconds').inputValue(), '30');
  assert.equal(await page.getByLabel('Description').inputValue(), 'Mine again');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Mine again' }).waitFor();
});

test('only administrators can create webhooks for the whole server', async () => {
  await page.goto('/webhooks/new');
  await page.getByLabel('the whole server').check();
  await field('Target URL').fill(`${app.url}/inspect/nobodysbox`);
  await page.getByLabel('Individual events').check();
  await page.getByRole('checkbox', { name: 'create:user' }).waitFor();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('Select at least one event.').first().waitFor();
  await page.getByRole('checkbox', { name: 'create:user' }).check();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('link', { name: 'Go to webhook' }).click();
  await page.goto('/webhooks?type=server');
  await page.getByRole('cell', { name: 'server' }).waitFor();
  const { results } = await app.api('GET', '/webhooks?type=server');
  assert.deepEqual(results[0].events, ['create:user']);
  const other = await app.newPage({ loggedIn: false });
  await app.register(other, { username: 'marie', password: 'stones piled high' });
  await other.goto('/webhooks/new');
  await other.getByRole('combobox', { name: 'Project' }).waitFor();
  assert.equal(await other.getByLabel('the whole server').count(), 0);
  await other.context().close();
});
