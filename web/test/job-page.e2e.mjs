// The job page: frames, every type of annotation, issues.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { everyKind, createTask } from './annotated-task.mjs';
import { inspect, photo, startApp } from './support.mjs';

const FRAMES = ['chelsea', 'raccoon', 'astronaut', 'coffee', 'rocket', 'retina'];
/** Of frame 0. */
const SIZE = { width: 451, height: 300 };
/** Left free around a frame that fits. */
const MARGIN = 16;
const YELLOW = [255, 214, 10];
const ORANGE = [255, 159, 10];
const GREEN = [48, 209, 88];
const RED = [255, 45, 85];

let app;
let page;
let jobId;

before(async () => {
  app = await startApp();
  const { url, username, password } = app;
  const { key } = await app.api('POST', '/auth/login', { username, password });
  const made = await createTask(
    app.api,
    { url, key },
    FRAMES.map((name) => photo(`${name}.jpg`)),
  );
  ({ jobId } = made);
  await app.api('PUT', `/jobs/${jobId}/annotations`, everyKind(made.labels));
  await app.api('PATCH', `/jobs/${jobId}/data/meta`, { deleted_frames: [3] });
  page = await app.newPage({ width: 1360, height: 820 });
});

after(() => app?.stop());

const canvas = () => page.locator('[data-frame]');
const frameShown = (frame) => page.locator(`[data-frame="${frame}"]`).waitFor();
const objects = () => page.getByRole('list', { name: 'Objects' }).getByRole('listitem');

/** @returns red, green and blue of the screen at a place of a frame that fits its canvas */
async function colorAt(x, y, size = SIZE) {
  const box = await canvas().boundingBox();
  const at = toScreen(box, x, y, size);
  const image = await page.screenshot({ clip: { ...at, width: 1, height: 1 } });
  const { data } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return [...data];
}

function toScreen(box, x, y, { width, height } = SIZE) {
  const scale = Math.min((box.width - 2 * MARGIN) / width, (box.height - 2 * MARGIN) / height);
  return {
    x: Math.floor(box.x + box.width / 2 + (x - width / 2) * scale),
    y: Math.floor(box.y + box.height / 2 + (y - height / 2) * scale),
  };
}

/** A colour becomes what is wanted within a few redraws. */
async function becomes(read, isRight, what) {
  let last;
  for (let attempt = 0; attempt < 60; attempt += 1) {
    last = await read();
    if (isRight(last)) return;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  assert.fail(`${what}: ${JSON.stringify(last)}`);
}

const near = (wanted, tolerance) => (color) => color.every((value, at) => Math.abs(value - wanted[at]) <= tolerance);
const unlike = (other, least) => (color) => color.some((value, at) => Math.abs(value - other[at]) >= least);

test('every type of annotation is drawn at its position', async () => {
  await page.goto(`/jobs/${jobId}`);
  await frameShown(0);
  await page.getByText('10 objects').waitFor();
  assert.equal(await objects().count(), 10);
  await becomes(() => colorAt(230, 150), near(YELLOW, 8), 'a point');
  await becomes(() => colorAt(165, 95), near(ORANGE, 8), 'an element of the skeleton');
  await becomes(() => colorAt(180, 112.5), near(ORANGE, 90), 'an edge of the skeleton');
  await becomes(() => colorAt(350, 235), near(GREEN, 70), 'the front of the cuboid');
  await becomes(() => colorAt(10, 250), near(RED, 70), 'the left side of the track');
  await becomes(() => colorAt(75, 167.5), near(YELLOW, 70), 'the polyline');
  await page.getByRole('list', { name: 'Tags of the frame' }).getByText('blurred').waitFor();
  await inspect(page);
});

test('annotations are hidden individually and together, and coloured by label or object', async () => {
  await page.getByRole('button', { name: 'Hide whisker #5' }).click();
  await becomes(() => colorAt(230, 150), unlike(YELLOW, 60), 'the hidden points');
  await page.getByRole('button', { name: 'Hide whisker #5' }).click();
  await becomes(() => colorAt(230, 150), near(YELLOW, 8), 'the points again');
  await page.keyboard.press('Shift+H');
  await becomes(() => colorAt(165, 95), unlike(ORANGE, 60), 'the hidden skeleton');
  await page.keyboard.press('Shift+H');
  await page.getByText('Object', { exact: true }).click();
  await becomes(() => colorAt(165, 95), unlike(ORANGE, 30), 'a colour of its own');
  await page.getByText('Label', { exact: true }).click();
  await becomes(() => colorAt(165, 95), near(ORANGE, 8), 'the colour of the label');
});

test('objects are searched and selected in the list and on the canvas', async () => {
  await page.getByLabel('Search objects').fill('cat tabby');
  await page.getByText('2 of 10 objects').waitFor();
  await page.getByRole('button', { name: 'Clear search' }).click();
  const box = await canvas().boundingBox();
  const middle = toScreen(box, 380, 80);
  await page.mouse.click(middle.x, middle.y);
  await page.getByRole('region', { name: 'Selected object' }).getByText('face #7').waitFor();
  assert.equal(await page.getByRole('button', { name: /^face #7/ }).getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Selected object' }).waitFor({ state: 'detached' });
});

test('keys navigate frames, and tracks are interpolated and end', async () => {
  await page.keyboard.press('f');
  await frameShown(1);
  await page.waitForURL('**/jobs/*?frame=1');
  await page.keyboard.press('f');
  await frameShown(2);
  await page.getByText('1 object', { exact: true }).waitFor();
  // halfway between its keyframes: 10 to 210 over four frames
  const astronaut = { width: 512, height: 512 };
  await becomes(() => colorAt(110, 250, astronaut), near(RED, 70), 'the track in between');
  await page.getByRole('button', { name: /^cat #1/ }).click();
  await page.getByRole('button', { name: 'Next keyframe' }).click();
  await frameShown(4);
  await page.getByText('keyframe', { exact: true }).waitFor();
  await page.keyboard.press('d');
  await frameShown(2); // frame 3 is deleted
  await page.getByLabel('Go to frame').fill('3');
  await page.keyboard.press('Enter');
  await frameShown(3);
  await page.getByText('This frame is deleted').waitFor();
  await page.getByLabel('Go to frame').fill('5');
  await page.keyboard.press('Enter');
  await frameShown(5);
  await page.getByText('outside', { exact: true }).waitFor();
  await page.getByTitle('5-retina.jpg').waitFor();
  await page.keyboard.press('Home');
  await frameShown(0);
  await page.keyboard.press('Space');
  await frameShown(5);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
});

test('the wheel zooms at the pointer, dragging pans, 0 fits the frame', async () => {
  await page.keyboard.press('Home');
  await frameShown(0);
  await page.keyboard.press('0');
  const box = await canvas().boundingBox();
  const place = toScreen(box, 230, 150);
  await page.mouse.move(place.x, place.y);
  await page.mouse.wheel(0, -600);
  await becomes(() => colorAt(230, 150), near(YELLOW, 8), 'the point under the pointer');
  await page.mouse.down();
  await page.mouse.move(place.x + 100, place.y + 60, { steps: 4 });
  await page.mouse.up();
  await becomes(() => colorAt(230, 150), unlike(YELLOW, 60), 'what was beside the point');
  await page.keyboard.press('0');
  await becomes(() => colorAt(230, 150), near(YELLOW, 8), 'the point of the whole frame');
});

test('the shortcuts are listed, and original quality is shown', async () => {
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('Go to a frame by number').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const asked = page.waitForRequest((request) => request.url().includes('quality=original'));
  await page.keyboard.press('Shift+Q');
  await asked;
  await becomes(() => colorAt(230, 150), near(YELLOW, 8), 'annotations on the original');
  await page.keyboard.press('Shift+Q');
  await page.keyboard.press('Shift+L');
  await page.getByRole('button', { name: 'Frame 2' }).click();
  await frameShown(2);
  await page.keyboard.press('Shift+L');
  await page.keyboard.press('Home');
  await frameShown(0);
});

test('an issue is created with a box, discussed, resolved, reopened and deleted', async () => {
  await page.keyboard.press('i');
  const box = await canvas().boundingBox();
  const [from, to] = [toScreen(box, 300, 150), toScreen(box, 400, 250)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  await page.getByLabel('What is wrong here?').fill('The cuboid hides the cheek.');
  await page.getByRole('button', { name: 'Create issue' }).click();
  await page.getByText('1 open · 0 resolved').waitFor();
  const [issue] = (await app.api('GET', `/issues?job_id=${jobId}`)).results;
  assert.equal(issue.frame, 0);
  assert.equal(issue.position.length, 4);
  for (const [at, wanted] of [300, 150, 400, 250].entries()) assert.ok(Math.abs(issue.position[at] - wanted) < 1.5);
  const comment = page.getByLabel(`Comment on issue ${issue.id}`);
  await comment.fill('Moved a little.');
  await comment.press('Control+Enter');
  const comments = page.getByRole('list', { name: `Comments of issue ${issue.id}` });
  await comments.getByText('Moved a little.').waitFor();
  await inspect(page, 'job-issue');
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByText('0 open · 1 resolved').waitFor();
  assert.equal((await app.api('GET', `/issues/${issue.id}`)).resolved, true);
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('1 open · 0 resolved').waitFor();
  // its pin opens it again
  await page.getByRole('button', { name: `Issue ${issue.id}, frame 0` }).click();
  await comments.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: /Objects/ }).click();
  const pin = toScreen(await canvas().boundingBox(), 300, 150);
  await page.mouse.click(pin.x, pin.y);
  await comments.getByText('Moved a little.').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
  await page.getByRole('button', { name: 'Delete issue' }).click();
  await page.getByText('No issues yet').waitFor();
  assert.equal((await app.api('GET', `/issues?job_id=${jobId}`)).count, 0);
});

test('the first frame is requested before the user is known', async () => {
  const other = await app.newPage();
  const chunk = other.waitForRequest(/\/data\?type=chunk/);
  await other.route('**/api/users/self', async (route) => {
    await chunk;
    await route.continue();
  });
  await other.goto(`/jobs/${jobId}?frame=2`);
  await other.locator('[data-frame="2"]').waitFor();
  await other.context().close();
});

for (const width of [1280, 375]) {
  test(`the first frame is shown before the app has started, and does not move (${width} pixels)`, async () => {
    const other = await app.newPage({ colorScheme: 'dark', width });
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await other.route('**/assets/start-*.js', async (route) => {
      await held;
      await route.continue();
    });
    await other.goto(`/jobs/${jobId}?frame=2`, { waitUntil: 'commit' });
    const early = other.locator('.early-job canvas[data-frame="2"]');
    await early.waitFor();
    assert.equal(await other.locator('html').getAttribute('data-mantine-color-scheme'), 'dark');
    const place = await early.boundingBox();
    assert.ok(place.width > width / 2 && place.height > 200, 'most of the width is the frame’s');
    release();
    const stage = other.locator('[role=img][data-frame="2"]');
    await stage.waitFor();
    assert.deepEqual(await stage.boundingBox(), place);
    await early.waitFor({ state: 'detached' });
    await other.locator('canvas[data-frame]').waitFor({ state: 'detached' });
    await other.context().close();
  });
}

for (const height of [740, 667]) {
  test(`everything fits the screen of a phone (${height} pixels)`, async () => {
    await page.setViewportSize({ width: 375, height });
    assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), height);
    const picture = await canvas().boundingBox();
    assert.ok(picture.height > 170, `the frame has ${picture.height} pixels`);
    const panel = await page.getByRole('tabpanel').boundingBox();
    assert.ok(panel.height > 100, `the panel has ${panel.height} pixels`);
    await inspect(page);
    await page.setViewportSize({ width: 1360, height: 820 });
  });
}

test('the state of the job is changed', async () => {
  await page.getByRole('combobox', { name: 'State of the job' }).click();
  await page.getByRole('option', { name: 'in progress' }).click();
  await page.getByText(`Job ${jobId} updated.`).waitFor();
  assert.equal((await app.api('GET', `/jobs/${jobId}`)).state, 'in progress');
});

test('the work in the job is recorded', async () => {
  const own = await app.newPage();
  const loaded = own.waitForResponse(/start-reporting/); // after the page
  await own.goto(`/jobs/${jobId}`);
  await own.locator('[data-frame="0"]').waitFor();
  await loaded;
  await own.keyboard.press('f');
  await own.locator('[data-frame="1"]').waitFor();
  const reported = own.waitForResponse(`${app.url}/api/events`);
  await own.getByRole('link', { name: /^Task/ }).first().click();
  assert.equal((await reported).status(), 201);
  const scopes = ['load:job', 'change:frame', 'send:working_time'];
  for (let missing = scopes; missing.length > 0;) {
    const rows = await exportedEvents(own); // the server writes them soon
    missing = scopes.filter((scope) => !rows.some((row) => row.startsWith(`${scope},`)));
  }
  await own.context().close();
});

/** The rows of the events of the job as CSV. */
async function exportedEvents(own) {
  const { rq_id: id } = await app.api('POST', `/events/export?job_id=${jobId}`);
  let request;
  do request = await app.api('GET', `/requests/${encodeURIComponent(id)}`);
  while (['queued', 'started'].includes(request.status));
  return (await (await own.request.get(request.result_url)).text()).split('\r\n');
}

test('the page fits the window while the server cannot be reached', async () => {
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await page.getByRole('tab', { name: /Issues/ }).click();
  await page.getByRole('button', { name: 'Next job' }).click();
  const bar = page.getByText('Cannot reach the server. Your input is kept');
  await bar.waitFor();
  const notice = page.getByText('Check that it is running and that you are connected');
  await notice.hover(); // it stays as long as the pointer is on it
  const { y, height } = await page.getByRole('button', { name: 'Play', exact: true }).boundingBox();
  assert.ok(y + height <= 820, `the player ends at ${y + height}`);
  await page.unroute('**/api/**');
  await page.getByRole('button', { name: 'Reconnect now' }).press('Enter');
  await bar.waitFor({ state: 'detached' });
  await notice.waitFor({ state: 'detached' });
});

test('the next job of the task opens with one click', async () => {
  await page.getByRole('button', { name: 'Next job' }).click();
  await page.getByText('This is your last job in this task.').waitFor();
  const body = { type: 'ground_truth', task_id: 1, frame_selection_method: 'manual', frames: [1] };
  const next = await app.api('POST', '/jobs', body);
  await page.getByRole('button', { name: 'Next job' }).click();
  await page.getByRole('heading', { name: `Job ${next.id}` }).waitFor();
  await page.locator('[data-frame="1"]').waitFor();
  await page.getByRole('button', { name: 'Next job' }).click(); // the first one that is not completed
  await page.getByRole('heading', { name: `Job ${jobId}` }).waitFor();
  await page.goto('/tasks/1');
  const row = page.getByRole('row', { name: new RegExp(`^Select job ${next.id}|Job ${next.id} ground truth`) });
  await row.getByText('1 frame', { exact: true }).waitFor();
  await page.goto(`/jobs/${jobId}`);
});

test('users without permission cannot change the job', async () => {
  const anna = { username: 'anna-b', password: 'Correct-horse-7-battery', email: 'anna@example.org' };
  await app.api('POST', '/auth/register', {
    username: anna.username,
    email: anna.email,
    password1: anna.password,
    password2: anna.password,
    first_name: 'Anna',
    last_name: 'Berg',
  });
  const context = await page.context().browser().newContext({ baseURL: app.url });
  const login = await context.request.post('/api/auth/login', { data: anna });
  assert.equal(login.status(), 200);
  const { id } = await (await context.request.get('/api/users/self')).json();
  await app.api('PATCH', `/jobs/${jobId}`, { assignee: id });
  const hers = await context.newPage();
  await hers.goto(`/jobs/${jobId}?frame=2`);
  await hers.locator('[data-frame="2"]').waitFor();
  await hers.getByText('Stage: annotation').waitFor();
  await hers.getByRole('combobox', { name: 'State of the job' }).waitFor();
  await hers.getByRole('button', { name: 'Add issue' }).waitFor();
  assert.equal(await hers.getByRole('combobox', { name: 'Stage of the job' }).count(), 0);
  await context.close();
});
