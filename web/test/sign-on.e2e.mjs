// People log in at a real OpenID provider, and out.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freePort } from '../../tools/free-port.mjs';
import { startProvider } from './identity-provider.mjs';
import { inspect, startApp } from './support.mjs';

const CLIENT = { clientId: 'cairn', clientSecret: 'a secret of the tests' };

let app;
let provider;
let port;

before(async () => {
  port = await freePort();
  app = await startApp({
    OIDC_ISSUER: `http://127.0.0.1:${port}`,
    OIDC_CLIENT_ID: CLIENT.clientId,
    OIDC_CLIENT_SECRET: CLIENT.clientSecret,
    OIDC_SCOPES: 'openid email profile groups',
    OIDC_NAME: 'Acme',
    OIDC_GROUPS: 'staff => user; * => worker',
  });
});

after(async () => {
  await app?.stop();
  await provider?.stop();
});

const newPage = () => app.newPage({ loggedIn: false, visits: `http://127.0.0.1:${port}` });

/** Fills in the development pages of the provider. */
async function logInAtProvider(page, login) {
  await page.getByRole('link', { name: 'Log in with Acme' }).click();
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('the login page explains that the provider does not respond', async () => {
  const page = await newPage();
  await page.goto('/login');
  await page.getByRole('link', { name: 'Log in with Acme' }).click();
  await page.getByRole('alert').getByText('The identity provider does not respond.').waitFor();
  await inspect(page, 'login');
});

test('a person logs in at the provider, and out', async () => {
  provider = await startProvider(port, {
    ...CLIENT,
    redirectUri: `${app.url}/api/auth/oidc/callback`,
    returnTo: `${app.url}/login`,
  });
  const page = await newPage();
  await page.goto('/tasks?sort=name');
  await logInAtProvider(page, 'ada');
  await page.waitForURL('**/tasks?sort=name');
  await page.getByRole('button', { name: 'Account of ada' }).click();
  await page.getByText('ada@example.org').waitFor();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.getByRole('button', { name: /yes, sign me out/i }).click();
  await page.waitForURL('**/login*');
  await page.getByRole('link', { name: 'Log in with Acme' }).waitFor();
  assert.equal((await page.request.get('/api/users/self')).status(), 401);
});

test('nobody gets an account by an unverified address, and who cancels is told so', async () => {
  const page = await newPage();
  await page.goto('/login');
  await logInAtProvider(page, 'mallory');
  await page.getByRole('alert').getByText('has not verified your email address').waitFor();
  const other = await newPage();
  await other.goto('/login');
  await other.getByRole('link', { name: 'Log in with Acme' }).click();
  await other.getByRole('link', { name: 'Cancel' }).click();
  await other.getByRole('alert').getByText('you cancelled the login').waitFor();
});
