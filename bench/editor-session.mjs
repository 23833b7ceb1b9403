// npm run bench:session: the requests of one annotator in the real editor, in headless Chromium: opening a job, annotating
// frames, the automatic save, an idle minute and the completion. docs/scale.md and bench/annotators.mjs build on them.

import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../tools/chromium.mjs';
import { createTask } from '../web/test/annotated-task.mjs';
import { caller } from './api.mjs';
import { photographs } from './photographs.mjs';
import { ADMIN } from './server.mjs';
import { withTestDatabase } from './workplace.mjs';

const FRAMES = 50;
/** Frames that are annotated before the automatic save, and the rectangles on each. */
const ANNOTATED = 3;
const OBJECTS = 8;
const WINDOW = { width: 1600, height: 900 };
const AUTOSAVE_MS = 32_000;
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const cli = resolve(import.meta.dirname, '..', 'dist', 'cli.js');

const routeOf = (path, { jobId, taskId }) =>
  path
    .replace(`/jobs/${jobId}`, '/jobs/{id}')
    .replace(`/tasks/${taskId}`, '/tasks/{id}')
    .replace(/(number|id|version|after|page_size)=\d+/g, '$1=…')
    .replace(/(job_id|task_id)=\d+/g, '$1={id}');

await withTestDatabase(cli, async ({ start }) => {
  const { url } = await start();
  const call = await caller(url);
  const { jobId, taskId } = await createTask(call, { url, key: call.key }, await photographs(FRAMES, console.error));
  const browser = await chromium.launch(chromiumOptions());
  try {
    const context = await browser.newContext({ baseURL: url, viewport: WINDOW });
    await context.request.post('/api/auth/login', { data: ADMIN });
    const page = await context.newPage();
    const recorder = await record(page, { jobId, taskId });
    await page.goto('/');
    await pause(2_000);
    recorder.end('open the app');
    await page.goto(`/jobs/${jobId}`);
    await page.locator('[data-frame="0"]').waitFor();
    await page.getByRole('button', { name: 'Draw rectangle', exact: true }).waitFor();
    await pause(3_000);
    recorder.end('open a job');
    for (let frame = 0; frame < ANNOTATED; frame += 1) await annotate(page, frame);
    recorder.end(`annotate ${ANNOTATED} frames`);
    await pause(AUTOSAVE_MS);
    await page.getByText('All changes saved').waitFor();
    recorder.end('automatic save');
    await pause(60_000);
    recorder.end('a minute without input');
    await page.keyboard.press('Control+s');
    for (let frame = ANNOTATED; frame < FRAMES; frame += 1) {
      await page.keyboard.press('f');
      await pause(150);
    }
    await pause(2_000);
    recorder.end(`look at the other ${FRAMES - ANNOTATED} frames`);
    recorder.print();
  } finally {
    await browser.close();
  }
});

/** Draws rectangles and goes to the next frame. */
async function annotate(page, frame) {
  const box = await page.locator(`[data-frame="${frame}"]`).boundingBox();
  for (let index = 0; index < OBJECTS; index += 1) {
    await page.getByRole('button', { name: 'Draw rectangle', exact: true }).click();
    const [x, y] = [box.x + 80 + 120 * (index % 4), box.y + 120 + 200 * Math.floor(index / 4)];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 90, y + 130, { steps: 4 });
    await page.mouse.up();
    await pause(250);
  }
  await page.keyboard.press('Escape');
  await page.getByText(`${OBJECTS} objects`).first().waitFor();
  await page.keyboard.press('f');
  await pause(500);
}

/** Counts requests by phase and route, with their bytes on the wire. */
async function record(page, { jobId, taskId }) {
  const phases = [];
  let current = new Map();
  const open = new Map();
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  network.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { pathname, search } = new URL(request.url);
    if (!request.url.startsWith('http')) return;
    const path = pathname.startsWith('/api') ? routeOf(pathname + search, { jobId, taskId }) : 'files of the app';
    const key = `${request.method} ${path}`;
    const line = current.get(key) ?? { count: 0, sent: 0, received: 0 };
    line.count += 1;
    line.sent += request.postData?.length ?? 0;
    current.set(key, line);
    open.set(requestId, line);
  });
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const line = open.get(requestId);
    if (line !== undefined) line.received += encodedDataLength;
  });
  return {
    end(name) {
      phases.push({ name, lines: current });
      current = new Map();
    },
    print() {
      for (const { name, lines } of phases) {
        console.log(`\n${name}\n\n| request | number | sent | received |\n| --- | --- | --- | --- |`);
        for (const [key, { count, sent, received }] of lines)
          console.log(`| ${key} | ${count} | ${kilobytes(sent)} | ${kilobytes(received)} |`);
      }
    },
  };
}
