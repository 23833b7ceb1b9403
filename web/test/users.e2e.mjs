// Administrators manage accounts: create, edit, reset, disable, tokens.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inspect, startApp } from './support.mjs';

let app;
let page;

before(async () => {
  app = await startApp();
  page = await app.newPage();
});

after(() => app?.stop());

const row = (name) => page.getByRole('row').filter({ hasText: name });

async function act(name, action) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Sets the password with the link that the page shows. @returns a page where the user is logged in */
async function setPassword(username, password) {
  const link = await page.getByTestId('secret').innerText();
  const own = await app.newPage({ loggedIn: false });
  await own.goto(link);
  for (const label of [/^New password/, /^Confirm new password/]) await own.getByLabel(label).fill(password);
  await own.getByRole('button', { name: 'Set password' }).click();
  await own.getByRole('link', { name: 'Log in' }).click();
  await logIn(own, username, password);
  await own.getByRole('button', { name: `Account of ${username}` }).waitFor();
  return own;
}

async function logIn(own, username, password) {
  await own.getByLabel('Username or email').fill(username);
  await own.locator('input[name=password]').fill(password);
  await own.getByRole('button', { name: 'Log in' }).click();
}

test('an administrator manages an account', async () => {
  await page.goto('/projects');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'New user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Username').fill('marie');
  await dialog.getByLabel('Email').fill('marie@example.org');
  await dialog.getByRole('button', { name: 'Create user' }).click();
  await dialog.getByText('Link to set a password').waitFor();
  await inspect(page);
  const marie = await setPassword('marie', 'stones piled high');
  await dialog.getByRole('button', { name: 'Done' }).click();

  await act('marie', 'Edit');
  await dialog.getByLabel('First name').fill('Marie');
  await dialog.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: /^Worker/ }).click();
  await inspect(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row('marie@example.org').getByText('Worker').waitFor();

  const { request } = marie.context();
  const cookies = await marie.context().cookies();
  const csrf = cookies.find(({ name }) => name === 'csrftoken').value;
  const created = await request.post('/api/auth/access_tokens', {
    data: { name: 'Robot' },
    headers: { 'X-CSRFToken': csrf },
  });
  assert.equal(created.status(), 201);
  await act('marie', 'Access tokens');
  await page.getByRole('button', { name: 'Revoke Robot' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('marie has no access tokens.').waitFor();
  await page.keyboard.press('Escape');

  await act('marie', 'Reset password');
  await dialog.getByRole('button', { name: 'Reset password' }).click();
  await dialog.getByText('Link to set a password').waitFor();
  assert.equal((await request.get('/api/users/self')).status(), 401);
  await setPassword('marie', 'stones piled higher');
  await dialog.getByRole('button', { name: 'Done' }).click();

  await act('marie', 'Disable');
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await row('marie').getByText('Disabled').waitFor();
  await inspect(page, 'users');
  const refused = await app.newPage({ loggedIn: false });
  await refused.goto('/login');
  await logIn(refused, 'marie', 'stones piled higher');
  await refused.getByText('Wrong username or password').waitFor();
  await refused.getByText('Unable to log in with provided credentials.').waitFor();
  await act('marie', 'Enable');
  await row('marie').getByText('Disabled').waitFor({ state: 'detached' });
});

test('the list is searched and filtered, and has no way to lock oneself out', async () => {
  await page.goto('/users?role=admin');
  await row('marie').waitFor({ state: 'detached' });
  await page.getByLabel('Search users').fill('marie@');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByLabel('Search users').fill('marie@');
  await row('marie').waitFor();
  await page.goto('/users');
  await page.getByRole('button', { name: `Actions for ${app.username}` }).click();
  const titles = await page.getByRole('menuitem').allInnerTexts();
  assert.deepEqual(titles, ['Edit', 'Access tokens']);
});
