// Every dialog passes axe in light and dark, closes with Escape, and returns the focus.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTask } from './annotated-task.mjs';
import { inspect, photo, startApp } from './support.mjs';

let app;
let page;

before(async () => {
  app = await startApp();
  const { api, url, username, password } = app;
  const { key } = await api('POST', '/auth/login', { username, password });
  await createTask(
    api,
    { url, key },
    ['chelsea', 'coffee'].map((name) => photo(`${name}.jpg`)),
  );
  await api('POST', '/guides', { task_id: 1, markdown: '# What to mark' });
  await api('POST', '/projects', { name: 'Animals', labels: [{ name: 'cat' }] });
  await api('POST', '/auth/access_tokens', { name: 'Nightly export' });
  await api('POST', '/organizations', { slug: 'lab', name: 'Cairn laboratory' });
  await api('POST', '/invitations?org=lab', { email: 'marie@example.org', role: 'worker' });
  const { id } = await api('POST', '/inspect', {});
  const hook = { target_url: `${url}/inspect/${id}`, type: 'project', project_id: 1, events: ['update:project'] };
  await api('POST', '/webhooks', hook);
  await api('POST', '/webhooks/1/ping');
  page = await app.newPage({ width: 1024, height: 720 });
  await page.addInitScript(() => globalThis.localStorage.setItem('guides read', '[1]')); // it would open automatically
});

after(() => app?.stop());

const button = (name) => () => page.getByRole('button', { name }).first();
const inMenu = (of, item) => async () => {
  await page.getByRole('button', { name: of }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

/** The page of each dialog, and the button that opens it and receives the focus afterwards. */
const TASK = 'Actions for Photographs of animals';
const HOOK = /^Actions for http/;
const DIALOGS = [
  ...['Export', 'Back up', 'Import annotations', 'Add ground truth job', 'Delete'].map((item) => [
    '/tasks/1',
    TASK,
    item,
  ]),
  ...['Export', 'Import annotations'].map((item) => ['/tasks/1', 'Actions for job 1', item]),
  ...['Export', 'Back up', 'Import dataset', 'Delete'].map((item) => ['/projects/1', 'Actions for Animals', item]),
  ...['Transfer ownership', 'Delete'].map((item) => ['/organizations/1', 'Actions for Cairn laboratory', item]),
  ...['Redeliver …', 'Rotate secret', 'Delete'].map((item) => ['/webhooks/1', HOOK, item]),
  ['/webhooks/1', /^View delivery/],
  ['/tasks/1?show=guide', 'Delete'],
  ['/account?show=tokens', /^Revoke/],
  ['/organizations/1', /^Remove/],
  ['/webhooks/receivers', /^Delete/],
  ['/projects', 'Restore backup'],
  ['/jobs/1', 'Keyboard shortcuts'],
  ['/jobs/1', 'Guide'],
];

for (const [path, opener, item] of DIALOGS) {
  test(`${item ?? opener} of ${path} passes axe and returns the focus`, async () => {
    await page.goto(path);
    if (item === undefined) await button(opener)().click();
    else await inMenu(opener, item)();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await inspect(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const target = await button(opener)().elementHandle();
    await page.waitForFunction((element) => document.activeElement === element, target);
  });
}

test('menus pass axe in light and dark', async () => {
  for (const [path, name] of [
    ['/tasks/1', TASK],
    ['/projects', /^Organization:/],
    ['/projects', /^Account of/],
  ]) {
    await page.goto(path);
    await button(name)().click();
    await page.getByRole('menuitem').first().waitFor();
    await inspect(page);
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
  }
  assert.equal(await page.getByRole('menu').count(), 0);
});
