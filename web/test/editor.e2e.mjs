// The annotation editor: what is drawn and edited on the canvas arrives on the server, and nothing is lost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { near } from './job-canvas.mjs';
import { inspect, startApp, until } from './support.mjs';

let app;
let page;
let jobId;
let labels;

before(async () => {
  app = await startApp();
  ({ jobId, labels } = await canvas.createPhotoJob(app));
  page = await app.newPage({ width: 1360, height: 820 });
});

after(() => app?.stop());

const open = (target = page) => canvas.openJob(target, jobId);
const onScreen = (x, y, target = page) => canvas.onScreen(target, x, y);
const click = async (x, y, target = page) => target.mouse.click(...(await onScreen(x, y, target)));
const drag = (from, to) => canvas.drag(page, from, to);
const save = (target = page) => canvas.save(target);
const stored = () => app.api('GET', `/jobs/${jobId}/annotations`);
const clear = () => app.api('DELETE', `/jobs/${jobId}/annotations`);

/** @returns a function that kills the renderer process of a page */
async function killer(target) {
  const session = await target.context().browser().newBrowserCDPSession();
  const renderers = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.filter(({ type }) => type === 'renderer');
  };
  const before = new Map((await renderers()).map(({ id, cpuTime }) => [id, cpuTime]));
  // Nothing tells which process renders the page, so it is made the busiest one.
  await target.evaluate(() => {
    const start = performance.now();
    while (performance.now() - start < 400);
  });
  const busy = ({ id, cpuTime }) => cpuTime - (before.get(id) ?? 0);
  const [{ id }] = (await renderers()).toSorted((a, b) => busy(b) - busy(a));
  await session.detach();
  return async () => {
    const crashed = target.waitForEvent('crash');
    process.kill(id, 'SIGKILL');
    await crashed;
  };
}

const DRAWINGS = [
  [
    'rectangle',
    [
      [50, 40],
      [150, 120],
    ],
    [50, 40, 150, 120],
  ],
  [
    'ellipse',
    [
      [110, 90],
      [160, 130],
    ],
    [110, 90, 160, 50],
  ],
  [
    'polygon',
    [
      [200, 50],
      [300, 60],
      [260, 150],
    ],
    [200, 50, 300, 60, 260, 150],
  ],
  [
    'polyline',
    [
      [20, 200],
      [120, 220],
      [220, 210],
    ],
    [20, 200, 120, 220, 220, 210],
  ],
  [
    'points',
    [
      [300, 200],
      [320, 210],
    ],
    [300, 200, 320, 210],
  ],
  [
    'cuboid',
    [
      [50, 60],
      [150, 160],
    ],
    [50, 60, 50, 160, 150, 60, 150, 160, 170, 40, 170, 140, 70, 40, 70, 140],
  ],
];

for (const [type, clicks, points] of DRAWINGS) {
  test(`draws a ${String(type)} by clicks, and saves it`, async () => {
    await clear();
    await open();
    await page.getByRole('button', { name: `Draw ${String(type)}`, exact: true }).click();
    for (const at of clicks) await click(...at);
    if (clicks.length > 2 || type === 'points') await page.keyboard.press('n');
    await save();
    const { shapes } = await stored();
    assert.deepEqual(
      shapes.map((shape) => shape.type),
      [type],
    );
    near(shapes[0].points, points);
    assert.equal(shapes[0].frame, 0);
    assert.equal(shapes[0].source, 'manual');
  });
}

test('fits the template of a skeleton into a box, and moves one of its elements', async () => {
  await clear();
  await open();
  await page.getByRole('button', { name: 'Draw skeleton' }).click();
  await click(100, 80);
  await click(200, 180);
  await drag([150, 130], [170, 120]);
  await save();
  const [{ type, label_id: label, elements }] = (await stored()).shapes;
  assert.deepEqual([type, label], ['skeleton', labels.pose.id]);
  near(
    elements.flatMap(({ points }) => points),
    [100, 80, 170, 120, 200, 180],
  );
});

test('draws a rectangle by dragging, moves and resizes it, and undoes and redoes every step', async () => {
  await clear();
  await open();
  await page.getByRole('button', { name: 'Draw rectangle' }).click();
  await drag([50, 40], [150, 120]);
  await drag([100, 80], [130, 100]);
  await drag([180, 140], [200, 200]);
  await save();
  const [moved] = (await stored()).shapes;
  near(moved.points, [80, 60, 200, 200]);
  for (let times = 0; times < 2; times += 1) await page.keyboard.press('Control+z');
  await save();
  const [first] = (await stored()).shapes;
  near(first.points, [50, 40, 150, 120]);
  assert.equal(first.id, moved.id);
  await page.keyboard.press('Control+z');
  await save();
  assert.deepEqual((await stored()).shapes, []);
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('Control+Shift+z');
  await save();
  near((await stored()).shapes[0].points, [80, 60, 200, 200]);
});

test('changes label, attributes and state, and deletes', async () => {
  await app.api('PUT', `/jobs/${jobId}/annotations`, {
    shapes: [{ type: 'rectangle', frame: 0, label_id: labels.cat.id, points: [50, 40, 150, 120] }],
  });
  await open();
  await click(100, 80);
  const details = page.getByRole('region', { name: 'Selected object' });
  await details.getByRole('combobox', { name: 'coat' }).click();
  await page.getByRole('option', { name: 'black' }).click();
  await details.getByRole('checkbox', { name: 'Occluded' }).check();
  await save();
  const [shape] = (await stored()).shapes;
  assert.deepEqual([shape.attributes[0].value, shape.occluded], ['black', true]);
  await details.getByRole('combobox', { name: 'Label' }).click();
  await page.getByRole('option', { name: 'face', exact: true }).click();
  await save();
  const [changed] = (await stored()).shapes;
  assert.deepEqual([changed.label_id, changed.attributes, changed.id], [labels.face.id, [], shape.id]);
  await inspect(page, 'job-editor');
  await page.keyboard.press('Delete');
  await save();
  assert.deepEqual((await stored()).shapes, []);
});

test('draws a track whose keyframes interpolate', async () => {
  await clear();
  await open();
  await page.getByText('Track', { exact: true }).click();
  await page.getByRole('button', { name: 'Draw rectangle' }).click();
  await drag([50, 40], [150, 120]);
  await page.keyboard.press('f');
  await page.locator('[data-frame="1"]').waitFor();
  await page.keyboard.press('q');
  await save();
  const { tracks } = await stored();
  assert.deepEqual(
    tracks[0].shapes.map(({ frame, occluded }) => [frame, occluded]),
    [
      [0, false],
      [1, true],
    ],
  );
});

test('pastes several times while Ctrl is held', async () => {
  await clear();
  await open();
  await page.getByRole('button', { name: 'Draw rectangle' }).click();
  await click(50, 40);
  await click(90, 70);
  await page.getByRole('region', { name: 'Selected object' }).waitFor();
  await page.keyboard.press('Control+c');
  await page.keyboard.down('Control');
  await page.keyboard.press('v');
  await click(200, 100);
  await click(300, 200);
  await page.keyboard.up('Control');
  await click(20, 280); // selects nothing, and pastes nothing
  await save();
  const { shapes } = await stored();
  assert.equal(shapes.length, 4);
  for (const [at, points] of [
    [50, 40, 90, 70],
    [50, 40, 90, 70],
    [180, 85, 220, 115],
    [280, 185, 320, 215],
  ].entries())
    near(shapes[at].points, points);
});

test('selects, changes and deletes with the keyboard alone, and splits a track', async () => {
  await app.api('PUT', `/jobs/${jobId}/annotations`, {
    tracks: [
      {
        frame: 0,
        label_id: labels.face.id,
        shapes: [{ type: 'rectangle', frame: 0, points: [50, 40, 150, 120] }],
      },
    ],
    shapes: [{ type: 'polygon', frame: 1, label_id: labels.face.id, points: [10, 10, 60, 10, 30, 70] }],
  });
  await open();
  const chosen = page.getByRole('region', { name: 'Selected object' });
  await page.getByRole('button', { name: /face.*track/ }).press('Enter');
  await chosen.waitFor();
  await page.evaluate(() => globalThis.document.activeElement?.blur());
  await page.keyboard.press('f');
  await page.locator('[data-frame="1"]').waitFor();
  await page.keyboard.press('Alt+m');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await chosen.getByText('polygon').or(chosen.getByText('face')).first().waitFor();
  await save();
  const { tracks, shapes } = await stored();
  assert.deepEqual(
    tracks.map(({ frame, shapes: keyframes }) => [frame, keyframes.map((one) => [one.frame, one.outside])]),
    [
      [
        0,
        [
          [0, false],
          [1, true],
        ],
      ],
      [1, [[1, false]]],
    ],
  );
  assert.equal(shapes.length, 1);
});

test('keeps unsaved changes when the tab is killed', async () => {
  await clear();
  const other = await page.context().newPage();
  await open(other);
  await other.getByRole('button', { name: 'Draw rectangle' }).click();
  await click(50, 40, other);
  await click(150, 120, other);
  await other.getByText('Unsaved changes').waitFor();
  await canvas.untilKept(other);
  await other.route('**/annotations/**', (route) => route.abort());
  await other.close({ runBeforeUnload: false });
  await open();
  // A save that began when the tab was closed is completed at once. Otherwise the changes are offered again.
  if ((await stored()).shapes.length === 0) {
    await page.getByText('Unsaved changes').waitFor();
    await save();
  }
  near((await stored()).shapes[0].points, [50, 40, 150, 120]);
});

test('keeps unsaved changes when the process of the tab crashes', async () => {
  await clear();
  const other = await page.context().newPage();
  await open(other);
  await other.getByRole('button', { name: 'Draw rectangle', exact: true }).click();
  await click(50, 40, other);
  await click(150, 120, other);
  await other.getByText('Unsaved changes').waitFor();
  await canvas.untilKept(other);
  const kill = await killer(other);
  await kill();
  await other.close();
  await open();
  await page.getByText('Unsaved changes').waitFor();
  await save();
  near((await stored()).shapes[0].points, [50, 40, 150, 120]);
});

test('keeps changes when the process of the tab is killed during a save', async () => {
  for (const delay of [0, 5, 10, 20, 40]) {
    await clear();
    const other = await page.context().newPage();
    await open(other);
    const kill = await killer(other);
    await other.getByRole('button', { name: 'Draw rectangle', exact: true }).click();
    await click(50, 40, other);
    await click(150, 120, other);
    await other.getByText('Unsaved changes').waitFor();
    const sent = other.waitForRequest((request) => request.method() === 'PATCH' && /annotations/.test(request.url()));
    await other.keyboard.press('Control+s');
    await sent;
    await other.waitForTimeout(delay); // the server receives the request, processes it, or has sent its response
    await kill();
    await other.close();
    await open();
    await page.getByText('All changes saved').or(page.getByText('Unsaved changes')).waitFor();
    await save();
    const { shapes } = await stored();
    assert.equal(shapes.length, 1);
    near(shapes[0].points, [50, 40, 150, 120]);
  }
});

test('merges what another user has saved, and asks about an object that both have changed', async () => {
  await app.api('PUT', `/jobs/${jobId}/annotations`, {
    shapes: [
      { type: 'rectangle', frame: 0, label_id: labels.cat.id, points: [50, 40, 150, 120] },
      { type: 'rectangle', frame: 0, label_id: labels.cat.id, points: [200, 40, 300, 120] },
    ],
  });
  const { shapes } = await stored();
  await open();
  await click(100, 80);
  await drag([100, 80], [110, 90]);
  const [mine, other] = shapes;
  await app.api('PATCH', `/jobs/${jobId}/annotations?action=update`, {
    shapes: [
      { ...mine, points: [0, 0, 20, 20] },
      { ...other, points: [200, 40, 310, 130] },
    ],
  });
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await save();
  const [first, second] = (await stored()).shapes;
  near(first.points, [60, 50, 160, 130]);
  assert.deepEqual(second.points, [200, 40, 310, 130]);
});

const badGateway = { status: 502, contentType: 'application/json', body: '{"detail":"Bad gateway"}' };

for (const [name, answer] of [
  ['the network was cut', (route) => route.abort()],
  ['a proxy failed on the way back', (route) => route.fulfill(badGateway)],
]) {
  test(`saves once after ${String(name)}`, async () => {
    await clear();
    await open();
    await page.getByRole('button', { name: 'Draw rectangle' }).click();
    await drag([50, 40], [150, 120]);
    // The server saves, but its response is lost.
    await page.route('**/annotations/**', async (route) => {
      await route.fetch();
      await answer(route);
    });
    await page.keyboard.press('Control+s');
    await page.getByText('Not saved').waitFor();
    await page.unroute('**/annotations/**');
    await save();
    assert.equal((await stored()).shapes.length, 1);
  });
}

for (const [name, detail] of [
  [
    'a crash of the server, which lost the response',
    'The request with this Idempotency-Key was processed, but its response was lost.',
  ],
  [
    'an update of the app, which writes the request in another way',
    'This Idempotency-Key was used for another request.',
  ],
]) {
  test(`saves once after ${name}`, async () => {
    await clear();
    await open();
    await page.getByRole('button', { name: 'Draw rectangle' }).click();
    await drag([50, 40], [150, 120]);
    await page.route(
      '**/annotations/**',
      async (route) => {
        await route.fetch();
        await route.fulfill({ status: 409, json: { detail } });
      },
      { times: 1 },
    );
    await save();
    await drag([100, 80], [110, 90]);
    await save();
    const { shapes } = await stored();
    assert.equal(shapes.length, 1);
    near(shapes[0].points, [60, 50, 160, 130]);
  });
}

test('names the objects whose label was deleted, and saves all others', async () => {
  const job = await canvas.createPhotoJob(app);
  await canvas.openJob(page, job.jobId);
  await page.getByRole('button', { name: 'Draw rectangle' }).click();
  await drag([50, 40], [150, 120]);
  await page.keyboard.press('Control+2');
  const name = await page.getByRole('combobox', { name: 'Label', exact: true }).inputValue();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+1');
  await page.getByRole('button', { name: 'Draw rectangle' }).click();
  await drag([200, 40], [300, 120]);
  await app.api('DELETE', `/labels/${job.labels[name].id}`);
  await page.keyboard.press('Control+s');
  await page.getByRole('status').getByText('1 object has a label that was deleted.').first().waitFor();
  assert.equal((await app.api('GET', `/jobs/${job.jobId}/annotations`)).shapes.length, 1);
  await page.getByRole('link', { name: 'Photographs of animals' }).click();
  await page.getByText(`Changes of job ${job.jobId} are not saved`).waitFor();
  await page.goBack();
  await page.getByText('Unsaved changes').waitFor();
  await page.mouse.click(...(await onScreen(100, 80)));
  await page.keyboard.press('Control+1');
  await save();
  assert.equal((await app.api('GET', `/jobs/${job.jobId}/annotations`)).shapes.length, 2);
});

test('shows a worker the name of the task, and asks only for what the worker may see', async () => {
  const project = await app.api('POST', '/projects', { name: 'Animals', labels: [{ name: 'cat' }] });
  const job = await canvas.createPhotoJob(app, { project_id: project.id, labels: undefined });
  const worker = await app.newPage({ width: 1360, height: 820, loggedIn: false });
  await app.register(worker.context(), { username: 'willa', password: 'stones piled high' });
  const { results: people } = await app.api('GET', '/users?search=willa');
  await app.api('PATCH', `/jobs/${job.jobId}`, { assignee: people[0].id, stage: 'validation' });
  const refused = [];
  worker.on('response', (answer) => (answer.status() === 403 ? refused.push(answer.url()) : undefined));
  await worker.goto('/my-work');
  await worker.getByRole('link', { name: 'Photographs of animals' }).click();
  await worker.locator('[data-frame="0"]').waitFor();
  await worker.getByTitle('Photographs of animals').waitFor();
  await worker.getByRole('combobox', { name: 'State of the job' }).waitFor(); // the permissions are known
  await worker.waitForLoadState('load');
  assert.deepEqual(refused, []);
  await worker.context().close();
});

test('keeps unsaved changes when the job is assigned to somebody else', async () => {
  const job = await canvas.createPhotoJob(app);
  const other = await app.newPage({ width: 1360, height: 820, loggedIn: false });
  await app.register(other.context(), { username: 'norma', password: 'stones piled high' });
  const { results: people } = await app.api('GET', '/users?search=norma');
  await app.api('PATCH', `/jobs/${job.jobId}`, { assignee: people[0].id });
  await canvas.openJob(other, job.jobId);
  await other.getByRole('button', { name: 'Draw rectangle' }).click();
  await click(50, 40, other);
  await click(150, 120, other);
  await app.api('PATCH', `/jobs/${job.jobId}`, { assignee: null });
  await other.keyboard.press('Control+s');
  await other.getByText('Your unsaved changes are kept in this browser.').waitFor();
  await other.getByRole('button', { name: 'Draw rectangle' }).waitFor({ state: 'detached' });
  await app.api('PATCH', `/jobs/${job.jobId}`, { assignee: people[0].id });
  await canvas.openJob(other, job.jobId);
  await save(other);
  assert.equal((await app.api('GET', `/jobs/${job.jobId}/annotations`)).shapes.length, 1);
  await other.context().close();
});

test('does not save twice when the session expires during a save', async () => {
  await clear();
  await open();
  await page.getByRole('button', { name: 'Draw rectangle' }).click();
  await drag([50, 40], [150, 120]);
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.keyboard.press('Control+s');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/Username/).fill(app.username);
  await dialog.locator('input[type=password]').fill(app.password);
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.ok(cookies.length > 0);
  await save();
  assert.equal((await stored()).shapes.length, 1);
  assert.equal(await page.getByRole('list', { name: 'Objects' }).getByRole('listitem').count(), 1);
});

test('says that the server does not respond, and repeats the save', async () => {
  await clear();
  const tab = await app.newPage({ width: 1360, height: 820 });
  await tab.clock.install();
  await open(tab);
  await tab.getByRole('button', { name: 'Draw rectangle' }).click();
  await click(50, 40, tab);
  await click(150, 120, tab);
  const keys = [];
  let respond;
  const isTold = new Promise((resolve) => (respond = resolve));
  await tab.route('**/annotations/?action=create', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length === 1) return; // there is never a response
    await isTold;
    await route.continue();
  });
  await tab.keyboard.press('Control+s');
  await until(() => keys.length === 1);
  await tab.clock.runFor(45_000);
  await tab.getByRole('status').getByText('The server does not respond. Your browser keeps the changes.').waitFor();
  respond();
  await tab.getByText('All changes saved').waitFor();
  assert.equal((await stored()).shapes.length, 1);
  assert.deepEqual(keys, [keys[0], keys[0]]);
  await tab.context().close();
});

test('does not save the work of a user as another one, who logs in after the session has expired', async () => {
  const job = await canvas.createPhotoJob(app);
  const tab = await app.newPage({ width: 1360, height: 820, loggedIn: false });
  const adele = { username: 'adele', password: 'stones piled high' };
  await app.register(tab.context(), adele);
  const { results: people } = await app.api('GET', '/users?search=adele');
  await app.api('PATCH', `/jobs/${job.jobId}`, { assignee: people[0].id });
  const shapes = async () => (await app.api('GET', `/jobs/${job.jobId}/annotations`)).shapes;
  await canvas.openJob(tab, job.jobId);
  await tab.getByRole('button', { name: 'Draw rectangle' }).click();
  await click(50, 40, tab);
  await click(150, 120, tab);
  await tab.context().clearCookies();
  await tab.keyboard.press('Control+s');
  await tab.getByRole('dialog', { name: 'Your session has expired' }).waitFor();
  const logIn = async (dialog, { username, password }) => {
    await dialog.getByLabel(/Username/).fill(username);
    await dialog.locator('input[type=password]').fill(password);
    await dialog.getByRole('button', { name: 'Log in' }).click();
  };
  await logIn(tab.getByRole('dialog'), app);
  const dialog = tab.getByRole('dialog', { name: `You are logged in as ${app.username}` });
  await dialog.getByText('The changes on this page belong to adele.').waitFor();
  await inspect(tab);
  await dialog.getByRole('button', { name: `Load the page as ${app.username}` }).click();
  await tab.getByText('All changes saved').waitFor();
  assert.deepEqual(await shapes(), []);
  await tab.context().clearCookies();
  await tab.context().request.post('/api/auth/login', { data: adele });
  await canvas.openJob(tab, job.jobId);
  await save(tab);
  assert.equal((await shapes()).length, 1);
  await tab.context().close();
});

test('does not save the work of a user as another one, who logs in in another tab', async () => {
  const job = await canvas.createPhotoJob(app);
  const tab = await app.newPage({ width: 1360, height: 820, loggedIn: false });
  const irena = { username: 'irena', password: 'stones piled high' };
  await app.register(tab.context(), irena);
  const { results: people } = await app.api('GET', '/users?search=irena');
  await app.api('PATCH', `/jobs/${job.jobId}`, { assignee: people[0].id });
  await canvas.openJob(tab, job.jobId);
  await tab.getByRole('button', { name: 'Draw rectangle' }).click();
  await click(50, 40, tab);
  await click(150, 120, tab);
  const other = await app.newPage(); // a session of its own: the next login ends it
  await tab.context().addCookies(await other.context().cookies()); // as after a login in another tab
  await other.context().close();
  await tab.keyboard.press('Control+s');
  const dialog = tab.getByRole('dialog', { name: `You are logged in as ${app.username}` });
  await dialog.getByLabel(/Username/).fill(irena.username);
  await dialog.locator('input[type=password]').fill(irena.password);
  const { shapes } = await app.api('GET', `/jobs/${job.jobId}/annotations`);
  assert.deepEqual(shapes, []);
  await dialog.getByRole('button', { name: 'Log in' }).click();
  await tab.getByRole('dialog').waitFor({ state: 'detached' }); // keys do nothing while it closes
  await save(tab);
  assert.equal((await app.api('GET', `/jobs/${job.jobId}/annotations`)).shapes.length, 1);
  await tab.context().close();
});

test('two tabs of one user in one job do not take over each other', async () => {
  await clear();
  await open();
  const other = await page.context().newPage();
  await page.getByRole('button', { name: 'Draw rectangle' }).click();
  await drag([50, 40], [150, 120]);
  await page.getByText('Unsaved changes').waitFor();
  await canvas.untilKept(page);
  await open(other);
  await other.getByText('All changes saved').waitFor();
  await other.getByRole('button', { name: 'Draw rectangle' }).click();
  await click(200, 40, other);
  await click(300, 120, other);
  await save(other);
  await other.close();
  await page.bringToFront();
  await save();
  assert.equal((await stored()).shapes.length, 2);
});

test('a gesture ends when the frame changes', async () => {
  await clear();
  await open();
  await page.getByRole('button', { name: 'Draw rectangle' }).click();
  await page.mouse.move(...(await onScreen(50, 40)));
  await page.mouse.down();
  await page.mouse.move(...(await onScreen(100, 80)));
  await page.keyboard.press('f');
  await page.locator('[data-frame="1"]').waitFor();
  await page.mouse.move(...(await onScreen(150, 120)));
  await page.mouse.up();
  await page.getByText('No annotations on this frame').waitFor();
  await page.getByText('All changes saved').waitFor();
});
