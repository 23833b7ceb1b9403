// Every page of the app, with and without content, passes axe in light and dark, clips nothing and works with the keyboard.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { everyKind, createTask } from './annotated-task.mjs';
import { fits, hasLargeTargets, showsTablesWhole, worksByKeyboard } from './page-rules.mjs';
import { inspect, photo, startApp } from './support.mjs';

/** URLs of each route, on a server with content. */
const SIGNED_OUT_PAGES = {
  '/login': ['/login'],
  '/register': ['/register'],
  '/auth/register/invitation': ['/auth/register/invitation?key=abc&email=ada@example.org'],
  '/auth/password/reset': ['/auth/password/reset'],
  '/auth/password/reset/confirm': ['/auth/password/reset/confirm?uid=MQ&token=abc'],
  '/auth/email-confirmation': ['/auth/email-confirmation?key=1-abc'],
};
const PAGES = {
  '/': ['/'],
  '/my-work': ['/my-work', '/my-work?state=completed'],
  '/projects': ['/projects'],
  '/projects/new': ['/projects/new'],
  '/projects/:projectId': ['', '?show=labels', '?show=guide', '?show=details'].map((part) => `/projects/1${part}`),
  '/projects/:projectId/quality': ['/projects/1/quality', '/projects/1/quality?show=settings'],
  '/projects/:projectId/activity': ['/projects/1/activity'],
  '/tasks': ['/tasks'],
  '/tasks/new': ['/tasks/new', '/tasks/new?project=1'],
  '/tasks/:taskId': ['', '?show=labels', '?show=guide', '?show=details'].map((part) => `/tasks/1${part}`),
  '/tasks/:taskId/quality': ['/tasks/1/quality', '/tasks/1/quality?show=settings'],
  '/tasks/:taskId/consensus': ['/tasks/1/consensus'],
  '/jobs': ['/jobs'],
  '/jobs/:jobId': ['/jobs/1'],
  '/cloudstorages': ['/cloudstorages'],
  '/cloudstorages/new': ['/cloudstorages/new'],
  '/cloudstorages/:storageId': [],
  '/models': ['/models'],
  '/models/:modelId': ['/models/1'],
  '/requests': ['/requests'],
  '/help/formats': ['/help/formats#mot-11'],
  '/audit': ['/audit'],
  '/account': ['/account', '/account?show=password', '/account?show=tokens'],
  '/users': ['/users'],
  '/server': ['/server'],
  '/organizations': ['/organizations'],
  '/organizations/new': ['/organizations/new'],
  '/organizations/:organizationId': ['', '?show=invitations', '?show=settings'].map(
    (part) => `/organizations/1${part}`,
  ),
  '/webhooks': ['/webhooks'],
  '/webhooks/new': ['/webhooks/new', '/webhooks/new?project_id=1'],
  '/webhooks/receivers': ['/webhooks/receivers'],
  '/webhooks/receivers/:boxId': [],
  '/webhooks/:webhookId': ['', '?show=sample', '?show=explain', '?show=settings'].map((part) => `/webhooks/1${part}`),
  '*': ['/projects/1/nowhere', '/projects/99999'],
};
/** Lists of a user without content. */
const EMPTY = [
  '/my-work',
  '/projects',
  '/tasks',
  '/jobs',
  '/cloudstorages',
  '/models',
  '/requests',
  '/organizations',
  '/webhooks',
  '/webhooks/receivers',
];
const ON_TELEPHONES = [
  '/my-work',
  '/projects',
  '/tasks',
  '/jobs',
  '/jobs/:jobId',
  '/cloudstorages',
  '/models',
  '/requests',
  '/account',
  '/users',
  '/server',
  '/organizations',
  '/organizations/:organizationId',
  ...Object.keys(SIGNED_OUT_PAGES),
  ...Object.keys(PAGES).filter((route) => route.startsWith('/webhooks')),
];

let app;
let page;
let stranger;

before(async () => {
  app = await startApp();
  await fill();
  page = await app.newPage({ width: 1024, height: 720 });
  stranger = await app.newPage({ width: 1024, height: 720, loggedIn: false });
});

after(() => app?.stop());

/** Creates at least one object of each type. */
async function fill() {
  const { api, url, username, password } = app;
  const { key } = await api('POST', '/auth/login', { username, password });
  const guide = '# What to mark\n\n| Thing | Shape |\n| --- | --- |\n| cat | polygon |\n';
  await api('POST', '/projects', { name: 'Photographs of animals in the streets', labels: [{ name: 'cat' }] });
  await api('POST', '/guides', { project_id: 1, markdown: guide });
  const photos = ['chelsea', 'raccoon', 'astronaut', 'coffee'].map((name) => photo(`${name}.jpg`));
  const { jobId, taskId, labels } = await createTask(api, { url, key }, photos, { segment_size: 2 });
  await api('PUT', `/jobs/${jobId}/annotations`, everyKind(labels, 1));
  await api('POST', '/guides', { task_id: taskId, markdown: guide });
  await api('POST', '/issues', { job: jobId, frame: 0, position: [60, 60, 90, 90], message: 'Whose tail is this?' });
  await api('POST', `/tasks/${taskId}/dataset/export?format=COCO%201.0`);
  await api('POST', '/auth/access_tokens', { name: 'Nightly export' });
  await api('POST', '/organizations', { slug: 'lab', name: 'Cairn laboratory', description: 'Stones and cats' });
  await api('POST', '/organizations', { slug: 'x', name: 'x' });
  await api('POST', '/invitations?org=lab', { email: 'marie@example.org', role: 'worker' });
  const { id } = await api('POST', '/inspect', {});
  const target_url = `${url}/inspect/${id}`;
  const hook = { target_url, description: 'Quality desk', type: 'project', project_id: 1, events: ['update:project'] };
  await api('POST', '/webhooks', hook);
  await api('POST', '/webhooks/1/ping');
  const spec = { labels_v2: [{ name: 'face', attributes: [] }] };
  await api('POST', '/functions', { provider: 'native', name: 'Faces', kind: 'detector', ...spec });
  PAGES['/webhooks/receivers/:boxId'] = [`/webhooks/receivers/${id}`];
}

/** Opens a page and waits until it is loaded. */
async function open(where, address) {
  await where.goto(address);
  await where.getByRole('heading', { level: 1 }).waitFor();
  await where.waitForLoadState('networkidle');
  await where.getByText('Loading…').first().waitFor({ state: 'detached' });
}

test('all routes of the app are tested here', async () => {
  const router = await readFile(join(import.meta.dirname, '..', 'src', 'app', 'pages.ts'), 'utf8');
  const routes = [...router.matchAll(/^ {2}'(\/.*)': \(\) => import/gm)].map(([, route]) => route);
  assert.deepEqual(new Set([...routes, '*']), new Set([...Object.keys(SIGNED_OUT_PAGES), ...Object.keys(PAGES)]));
});

for (const [route, addresses] of [...Object.entries(SIGNED_OUT_PAGES), ...Object.entries(PAGES)]) {
  test(`${route} passes all checks at 1024 pixels and works with the keyboard`, async () => {
    const who = route in SIGNED_OUT_PAGES ? stranger : page;
    for (const address of PAGES[route] ?? addresses) {
      const failed = [];
      // A page that follows a background request of anybody gets 404 while there is none.
      const isMissing = (response) => response.status() >= 400 && !response.url().includes('/api/requests/action%3D');
      const note = (response) => isMissing(response) && failed.push(`${response.status()} ${response.url()}`);
      who.on('response', note);
      await open(who, address);
      who.off('response', note);
      if (route !== '*') assert.deepEqual(failed, [], `${address} requests something that is missing`);
      if (route !== '*') assert.equal(await who.locator('.error-panel').count(), 0, `${address} shows an error`);
      if (route === '/jobs/:jobId') await closeGuide(who);
      await inspect(who);
      await fits(who);
      await worksByKeyboard(who);
      await hasLargeTargets(who);
    }
  });
}

/** The guide of a task opens by itself the first time. */
async function closeGuide(where) {
  const guide = where.getByRole('dialog', { name: 'Guide' });
  await guide.waitFor();
  await inspect(where);
  await where.keyboard.press('Escape');
  await guide.waitFor({ state: 'detached' });
}

test('pages without content pass all checks', async () => {
  await app.register(stranger, { username: 'newcomer', password: 'stones piled high' });
  for (const address of EMPTY) {
    await open(stranger, address);
    await inspect(stranger);
    await fits(stranger);
    await worksByKeyboard(stranger);
  }
  await stranger.context().clearCookies();
});

test('lists, people and webhooks fit a phone', async () => {
  for (const who of [page, stranger]) await who.setViewportSize({ width: 375, height: 740 });
  for (const route of ON_TELEPHONES) {
    const who = route in SIGNED_OUT_PAGES ? stranger : page;
    for (const address of SIGNED_OUT_PAGES[route] ?? PAGES[route]) {
      await open(who, address);
      await inspect(who);
      await fits(who);
      await showsTablesWhole(who);
      if (who === page) await showsItsArea(who);
    }
  }
});

/** The header has its layout, and the link of the current area is completely visible. */
async function showsItsArea(shown) {
  const links = shown.getByRole('navigation', { name: 'Main navigation' }).locator('[aria-current]');
  for (const link of await links.all()) {
    const { x, width } = await link.boundingBox();
    assert.ok(x >= 0 && x + width < 376, `${shown.url()}: its area lies at ${x} to ${x + width}`);
  }
  const logo = await shown.locator('.app-logo').boundingBox();
  const menu = await shown.locator('.app-actions').boundingBox();
  assert.ok(menu.y < logo.y + logo.height && logo.y < menu.y + menu.height, `${shown.url()}: the head is broken`);
}
