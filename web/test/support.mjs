// Starts a real server and Chromium, and checks the rules for every page: no console errors, no requests to other hosts, no
// CSP violations, no axe violations.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../../tools/chromium.mjs';
import { startTemporaryServer } from '../../tools/temporary-server.mjs';

const root = join(import.meta.dirname, '..', '..');
const PHOTOS = join(root, 'demo', 'photos');
const IMAGES = join(root, 'docs', 'images');
/** Screenshots for the documentation are written when E2E_SCREENSHOTS is set. */
const withScreenshots = (process.env.E2E_SCREENSHOTS ?? '') !== '';
const ACTION_TIMEOUT_MS = 45_000; // generous, for busy machines

export const photo = (name) => join(PHOTOS, name);

/** Starts server and browser. @param settings additional environment variables of the server @returns the test interface; `stop` stops both and fails if pages broke the rules */
export async function startApp(settings = {}) {
  const options = chromiumOptions();
  const server = await startTemporaryServer({ settings });
  const browser = await chromium.launch(options);
  const broken = [];
  return {
    ...server,
    api: await apiClient(server),
    newPage: (options) => newPage(browser, server, broken, options),
    register,
    async stop() {
      await browser.close();
      await server.stop();
      assert.deepEqual(broken, [], 'pages broke the rules');
    },
  };
}

/**
 * @param options `width` of the window, `colorScheme`, `loggedIn` (default: yes), `hasTouch` (default: no), `visits`: origin
 * of another server that the page may go to, to whose pages the rules do not apply
 */
async function newPage(browser, { url, username, password }, broken, options = {}) {
  const { width = 1280, height = 800, colorScheme = 'light', loggedIn = true, hasTouch = false, visits } = options;
  const context = await browser.newContext({ baseURL: url, viewport: { width, height }, colorScheme, hasTouch });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  if (loggedIn) {
    const answer = await context.request.post('/api/auth/login', { data: { username, password } });
    assert.equal(answer.status(), 200);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(ACTION_TIMEOUT_MS);
  page.on('pageerror', (error) => broken.push(`${page.url()}: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    // error responses are part of the tests, and the browser logs each of them
    if (message.type() === 'error' && !/Failed to load resource/.test(text)) broken.push(`${page.url()}: ${text}`);
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (visits !== undefined && (origin === visits || new URL(page.url()).origin === visits)) return;
    if (protocol.startsWith('http') && origin !== url) broken.push(`${page.url()} asked ${request.url()}`);
  });
  return page;
}

/** Registers a user, who is then logged in on the page. */
async function register({ request }, { username, password }) {
  const account = { username, email: `${username}@example.org`, password1: password, password2: password };
  assert.equal((await request.post('/api/auth/register', { data: account })).status(), 201);
}

/** Checks that the page passes axe in light and dark. With a name, its screenshot goes into the documentation. */
export async function inspect(page, name) {
  await page.waitForLoadState('networkidle');
  // Targets that are partly covered by the header would be too small for axe.
  const scrollY = await page.evaluate('scrollY');
  await page.evaluate('scrollTo(0, 0)');
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
    const found = await page.evaluate(runAxe);
    assert.deepEqual(found, [], `axe on ${page.url()} (${colorScheme})`);
  }
  await page.evaluate(`scrollTo(0, ${scrollY})`);
  if (name === undefined || !withScreenshots) return;
  await mkdir(IMAGES, { recursive: true });
  for (const close of await page.locator('.mantine-Notification-closeButton').all()) await close.click();
  await page.screenshot({ path: join(IMAGES, `app-${name}.png`) });
}

/** Runs in the page. @returns descriptions of axe violations */
async function runAxe() {
  const rules = { 'target-size': { enabled: true } };
  const { violations } = await globalThis.axe.run(document, { rules, resultTypes: ['violations'] });
  // Open menus are rendered at the end of the page, outside its landmarks.
  const isMenu = ({ target: [place] }) => document.querySelector(place)?.closest('[role=menu]') !== null;
  return violations
    .map(({ id, nodes }) => ({ id, nodes: id === 'region' ? nodes.filter((node) => !isMenu(node)) : nodes }))
    .filter(({ nodes }) => nodes.length > 0)
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`)
          .join(' | ')}`,
    );
}

/**
 * Waits until a check of the stored data is true. Playwright's `waitForFunction` is no substitute: it takes the promise
 * of an asynchronous function for a true value.
 */
export async function until(check, otherwise = String(check)) {
  const end = performance.now() + ACTION_TIMEOUT_MS;
  while (!(await check())) {
    assert.ok(performance.now() < end, `not true within ${ACTION_TIMEOUT_MS} ms: ${otherwise}`);
    await pause(50);
  }
}

/** Simulates dropping files on an element. */
export async function dropFiles(target, paths) {
  const files = paths.map((path) => ({ name: path.split('/').at(-1), content: readFileSync(path).toString('base64') }));
  const transfer = await target.page().evaluateHandle((sent) => {
    const data = new DataTransfer();
    for (const { name, content } of sent) {
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      data.items.add(new File([bytes], name, { type: 'image/jpeg' }));
    }
    return data;
  }, files);
  await target.dispatchEvent('dragover', { dataTransfer: transfer });
  await target.dispatchEvent('drop', { dataTransfer: transfer });
}

/** Returns a function that sends API requests as the administrator. */
async function apiClient({ url, username, password }) {
  const post = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const login = await fetch(`${url}/api/auth/login`, { ...post, body: JSON.stringify({ username, password }) });
  const { key } = await login.json();
  return async (method, path, body) => {
    const headers = {
      Accept: 'application/vnd.cvat+json; version=2.2',
      Authorization: `Token ${key}`,
      'Content-Type': 'application/json',
    };
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return answer.status === 204 ? null : answer.json();
  };
}
