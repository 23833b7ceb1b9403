// A webhook from the form to the signed delivery, its redelivery and what the log says of it.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { inspect, startApp } from './support.mjs';

let app;
let page;
let receiver;
let secret;

before(async () => {
  app = await startApp();
  page = await app.newPage();
  receiver = await startReceiver();
  await app.api('POST', '/projects', { name: 'Told of', labels: [{ name: 'stone' }] });
});

after(async () => {
  receiver.close();
  await app.stop();
});

test('a webhook is made by the form, with a generated secret', async () => {
  await page.goto('/webhooks');
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  await inspect(page);
  await page.getByRole('link', { name: 'New webhook' }).first().click();
  await page.getByLabel('Target URL').fill(receiver.url);
  await page.getByLabel('Description').fill('Quality desk');
  await page.getByRole('combobox', { name: 'Project' }).click();
  await page.getByRole('option', { name: 'Told of (#1)' }).click();
  await page.getByLabel('Individual events').check();
  await page.getByRole('checkbox', { name: 'task', exact: true }).check();
  await page.getByRole('checkbox', { name: 'update:project' }).check();
  await inspect(page, 'webhook-form');
  await page.getByRole('button', { name: 'Create the webhook' }).click();
  secret = await page.getByTestId('secret').textContent();
  await page.getByRole('link', { name: 'Go to the webhook' }).click();
  await page.getByRole('heading', { name: 'Quality desk' }).waitFor();
  await page.getByRole('link', { name: 'Told of', exact: true }).waitFor(); // the project, by its name
  const webhook = await app.api('GET', '/webhooks/1');
  assert.deepEqual(webhook.events, ['create:task', 'delete:task', 'update:project', 'update:task']);
});

test('a ping tells its result at once, and was signed with the secret', async () => {
  await page.getByRole('button', { name: 'Ping' }).click();
  await page.getByText('The ping arrived').waitFor();
  const { headers, body } = receiver.received.at(-1);
  assert.equal(JSON.parse(body).event, 'ping');
  assert.equal(headers['x-signature-256'], `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
});

test('a change is delivered while one looks, and can be sent again', async () => {
  await app.api('PATCH', '/projects/1', { name: 'Told of this' });
  await page.getByText('update:project').first().waitFor();
  await inspect(page, 'webhook-deliveries');
  const before = receiver.received.length;
  await page
    .getByRole('row', { name: /update:project/ })
    .getByRole('button', { name: /^Details/ })
    .click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Told of this').first().waitFor();
  await inspect(page, 'webhook-delivery');
  await drawer.getByRole('button', { name: 'Redeliver' }).click();
  await page.getByText('Sent again.').waitFor();
  for (let tries = 0; receiver.received.length === before && tries < 100; tries += 1) await page.waitForTimeout(100);
  const [first, second] = receiver.received.filter(({ body }) => JSON.parse(body).event === 'update:project');
  assert.equal(second.headers['webhook-id'], first.headers['webhook-id']);
  await page.keyboard.press('Escape');
});

test('a failure is explained, and the failed are sent again since a moment', async () => {
  receiver.status = 400;
  await app.api('PATCH', '/projects/1', { name: 'Not taken' });
  await page.getByRole('row', { name: /update:project .* the receiver answered 400; .* 400 / }).waitFor();
  receiver.status = 200;
  await page.getByRole('button', { name: /^Actions of/ }).click();
  await page.getByRole('menuitem', { name: 'Send again since …' }).click();
  const past = new Date(Date.now() - 86_400_000).toISOString().slice(0, 16);
  await page.getByLabel('What happened since').fill(past);
  await page.getByRole('button', { name: 'Send again', exact: true }).click();
  await page.getByText('1 delivery is sent again.').waitFor();
});

test('it is paused and resumed, asked why it did not fire, and given a new secret', async () => {
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByText('It is off and sends nothing').waitFor();
  await page.getByRole('tab', { name: 'Why did it not fire?' }).click();
  await page.getByRole('combobox', { name: 'Event' }).click();
  await page.getByRole('option', { name: 'update:project' }).click();
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('It does not fire').waitFor();
  await inspect(page, 'webhook-explain');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByText('It is on again.').waitFor();
  await page.getByRole('button', { name: /^Actions of/ }).click();
  await page.getByRole('menuitem', { name: 'New secret' }).click();
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  const next = await page.getByTestId('secret').textContent();
  assert.notEqual(next, secret);
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByLabel('Description').fill('Quality desk, ground floor');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Quality desk, ground floor' }).waitFor();
  await inspect(page);
});

/** Keeps what it is sent, and answers with `status`. */
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
