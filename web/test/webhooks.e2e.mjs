// A webhook: its form, signed deliveries, redeliveries and the delivery log.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { inspect, startApp, until } from './support.mjs';

let app;
let page;
let receiver;
let secret;

before(async () => {
  app = await startApp();
  page = await app.newPage();
  receiver = await startReceiver();
  await app.api('POST', '/projects', { name: 'Subscribed', labels: [{ name: 'stone' }] });
});

after(async () => {
  receiver.close();
  await app.stop();
});

test('the form creates a webhook with a generated secret', async () => {
  await page.goto('/webhooks');
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  await inspect(page);
  await page.getByRole('link', { name: 'New webhook' }).first().click();
  await page.getByLabel('Target URL').fill(receiver.url);
  await page.getByLabel('Description').fill('Quality desk');
  await page.getByRole('combobox', { name: 'Project' }).click();
  await page.getByRole('option', { name: 'Subscribed (#1)' }).click();
  await page.getByLabel('Individual events').check();
  await page.getByRole('checkbox', { name: 'task', exact: true }).check();
  await page.getByRole('checkbox', { name: 'update:project' }).check();
  await inspect(page, 'webhook-form');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  secret = await page.getByTestId('secret').textContent();
  await page.getByRole('link', { name: 'Go to webhook' }).click();
  await page.getByRole('heading', { name: 'Quality desk' }).waitFor();
  await page.getByRole('link', { name: 'Subscribed', exact: true }).waitFor(); // the project, by its name
  const webhook = await app.api('GET', '/webhooks/1');
  assert.deepEqual(webhook.events, ['create:task', 'delete:task', 'update:project', 'update:task']);
});

test('a ping shows its result immediately and is signed with the secret', async () => {
  await page.getByRole('button', { name: 'Ping' }).click();
  await page.getByText('The ping was delivered').waitFor();
  const { headers, body } = receiver.received.at(-1);
  assert.equal(JSON.parse(body).event, 'ping');
  assert.equal(headers['x-signature-256'], `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
});

test('a delivery appears in the open log and can be redelivered', async () => {
  await app.api('PATCH', '/projects/1', { name: 'Subscribed, renamed' });
  await page.getByText('update:project').first().waitFor();
  await inspect(page, 'webhook-deliveries');
  const before = receiver.received.length;
  await page
    .getByRole('row', { name: /update:project/ })
    .getByRole('button', { name: /^View/ })
    .click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Subscribed, renamed').first().waitFor();
  await inspect(page, 'webhook-delivery');
  await drawer.getByRole('button', { name: 'Redeliver' }).click();
  await page.getByText('Redelivery queued.').waitFor();
  await until(() => receiver.received.length > before, 'the redelivery does not arrive');
  const [first, second] = receiver.received.filter(({ body }) => JSON.parse(body).event === 'update:project');
  assert.equal(second.headers['webhook-id'], first.headers['webhook-id']);
  await page.keyboard.press('Escape');
});

test('a failed delivery shows its error, and failed deliveries are redelivered since a point in time', async () => {
  receiver.status = 400;
  await app.api('PATCH', '/projects/1', { name: 'Not taken' });
  await page.getByRole('row', { name: /update:project .* the receiver responded with 400; .* 400 / }).waitFor();
  receiver.status = 200;
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Redeliver …' }).click();
  const past = new Date(Date.now() - 86_400_000).toISOString().slice(0, 16);
  await page.getByLabel('Since').fill(past);
  await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
  await page.getByText('1 redelivery queued.').waitFor();
});

test('a webhook is disabled, explained and enabled, and its secret rotated', async () => {
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).waitFor();
  await page.getByText('This webhook is disabled').waitFor();
  await page.getByRole('tab', { name: 'Troubleshooting' }).click();
  await page.getByRole('combobox', { name: 'Event' }).click();
  await page.getByRole('option', { name: 'update:project' }).click();
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('The webhook does not send this event').waitFor();
  await inspect(page, 'webhook-explain');
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  await page.getByText('Webhook enabled.').waitFor();
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  const next = await page.getByTestId('secret').textContent();
  assert.notEqual(next, secret);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByLabel('Description').fill('Quality desk, ground floor');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Quality desk, ground floor' }).waitFor();
  await inspect(page);
});

/** Stores the requests it receives and responds with `status`. */
async function startReceiver() {
  const receiver = { received: [], status: 200, url: '', close: () => server.close() };
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      receiver.received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      response.writeHead(receiver.status).end('taken');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${server.address().port}/hooks`;
  return receiver;
}
