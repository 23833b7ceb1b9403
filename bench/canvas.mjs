// npm run bench:canvas: how smoothly the job page zooms, pans and paints a mask on an image of 3840×2160 with 2,000
// annotations, how soon it shows its first frame, and how smoothly it turns point clouds, in headless Chromium without a
// graphics card. See docs/benchmarks.md for the numbers.
//
//   npm run bench:canvas -- --shapes 10000
//   npm run bench:canvas -- --only clouds      or shapes, or editing
//   npm run bench:canvas -- --only editing --operations 100000

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { chromiumOptions } from '../tools/chromium.mjs';
import { createTask } from '../web/test/annotated-task.mjs';
import { createCloudTask, pcdFile, streetPoints } from '../web/test/point-clouds.mjs';
import { caller } from './api.mjs';
import { measureEditing } from './editing.mjs';
import { processorTime } from './processor-time.mjs';
import { ADMIN } from './server.mjs';
import { withTestDatabase } from './workplace.mjs';

const SIZE = { width: 3840, height: 2160 };
/** An ordinary photograph, in addition to the image of the goal. */
const PHOTO = { width: 1920, height: 1080, shapes: 100 };
const WINDOW = { width: 1600, height: 900 };
const FRAMES = 300;
const ROUNDS = 3;
const OPENINGS = 5;
const BRUSH = 'paint with a brush of 50 px';
/** Points of the measured clouds. */
const CLOUDS = [100_000, 1_000_000];
const GOALS = { framesPerSecond: 50, firstFrameMs: 500, cloudFramesPerSecond: 30 };
const { values } = parseArgs({
  options: {
    shapes: { type: 'string', default: '2000' },
    only: { type: 'string' },
    operations: { type: 'string', default: '5000' },
  },
});
const count = Number(values.shapes);
const cli = resolve(import.meta.dirname, '..', 'dist', 'cli.js');

await withTestDatabase(cli, async ({ start }) => {
  const { url } = await start();
  const server = await chromium.launchServer(chromiumOptions());
  try {
    const browser = await chromium.connect(server.wsEndpoint());
    const measures = (part) => values.only === undefined || values.only === part;
    if (measures('shapes')) {
      const jobs = { large: await makeJob(url, SIZE, count), photo: await makeJob(url, PHOTO, PHOTO.shapes) };
      await measure(browser, server.process().pid, url, jobs);
    }
    if (measures('editing')) {
      const context = await browser.newContext({ baseURL: url, viewport: WINDOW });
      await context.request.post('/api/auth/login', { data: ADMIN });
      await measureEditing(context, url, Number(values.operations));
      await context.close();
    }
    if (measures('clouds')) await measureClouds(browser, url);
    await browser.close();
  } finally {
    await server.close();
  }
});

async function makeJob(url, size, shapeCount) {
  const call = await caller(url);
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-canvas-'));
  try {
    const image = join(folder, 'image.jpg');
    const photo = join(import.meta.dirname, '..', 'demo', 'photos', 'hubble-deep-field.jpg');
    await writeFile(
      image,
      await sharp(photo).resize(size.width, size.height, { fit: 'fill' }).jpeg({ quality: 90 }).toBuffer(),
    );
    const { jobId, labels } = await createTask(call, { url, key: call.key }, [image]);
    await call('PUT', `/jobs/${jobId}/annotations`, {
      version: 0,
      tags: [],
      tracks: [],
      shapes: shapes(labels, shapeCount),
    });
    return jobId;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Half rectangles, half polygons of 16 corners, spread over the image; the same in each run. */
function shapes(labels, shapeCount) {
  let state = 12_345;
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const ids = ['cat', 'face', 'whisker', 'box'].map((name) => labels[name].id);
  return Array.from({ length: shapeCount }, (_, at) => {
    const [x, y, radius] = [random() * SIZE.width, random() * SIZE.height, 30 + random() * 130];
    const common = { label_id: ids[at % ids.length], frame: 0, occluded: at % 7 === 0 };
    if (at % 2 === 0) return { ...common, type: 'rectangle', points: [x - radius, y - radius, x + radius, y + radius] };
    const corners = Array.from({ length: 16 }, (_unused, corner) => {
      const [angle, length] = [(corner / 16) * 2 * Math.PI, radius * (0.7 + 0.3 * random())];
      return [x + Math.cos(angle) * length, y + Math.sin(angle) * length];
    });
    return { ...common, type: 'polygon', points: corners.flat() };
  });
}

async function measure(browser, pid, url, jobs) {
  const context = await browser.newContext({ baseURL: url, viewport: WINDOW });
  await context.request.post('/api/auth/login', { data: ADMIN });
  const page = await context.newPage();
  const photo = await openings(page, jobs.photo);
  const large = await openings(page, jobs.large);
  await page.getByText(`${count} objects`).waitFor();
  await page.waitForTimeout(2000);
  const rows = [];
  for (const gesture of ['pan the whole image', 'pan at 100 %', 'zoom', BRUSH, `${BRUSH} at 100 %`]) {
    if (gesture === BRUSH) await startMask(page);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = processorTime(pid);
      const intervals = await page.evaluate(perform, { gesture, frames: FRAMES });
      rounds.push({ ...summary(intervals), processor: (processorTime(pid) - before) / FRAMES });
    }
    rows.push({ gesture, ...median(rounds) });
  }
  console.log(`\n${SIZE.width}×${SIZE.height}, ${count} shapes, load ${loadavg()[0].toFixed(1)} at the end\n`);
  console.log('| gesture | frames/s | median frame | 95 % of frames within | processor time per frame | reached |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const { gesture, rate, middle, most, processor } of rows) {
    const reached = rate >= GOALS.framesPerSecond ? 'yes' : 'NO';
    console.log(
      `| ${gesture} | ${rate.toFixed(1)} | ${middle.toFixed(1)} ms | ${most.toFixed(1)} ms | ${processor.toFixed(0)} ms | ${reached} |`,
    );
  }
  const middle = large[Math.floor(large.length / 2)];
  const isSoon = middle.shown <= GOALS.firstFrameMs ? 'yes' : 'NO';
  console.log(`| first frame, from the opening of the page | | ${middle.shown.toFixed(0)} ms | | | ${isSoon} |`);
  console.log(`| … and the page can be worked with | | ${middle.ready.toFixed(0)} ms | | | |`);
  const ordinary = photo[Math.floor(photo.length / 2)];
  console.log(
    `| first frame of ${PHOTO.width}×${PHOTO.height} with ${PHOTO.shapes} annotations | | ${ordinary.shown.toFixed(0)} ms | | | |`,
  );
  console.log(`| … and the page can be worked with | | ${ordinary.ready.toFixed(0)} ms | | | |`);
  console.log('\nWhat the opening of the large one was made of, in milliseconds since its beginning:\n');
  for (const { name, from, until } of middle.steps) console.log(`  ${from.toFixed(0)}–${until.toFixed(0)}  ${name}`);
}

/** Starts to paint a mask with a brush of 50 pixels. */
async function startMask(page) {
  await page.getByRole('button', { name: 'Draw mask' }).click();
  await page.getByLabel('Brush size in pixels').fill('50');
  await page.keyboard.press('Enter');
}

async function measureClouds(browser, url) {
  const app = { url, ...ADMIN, api: await caller(url) };
  const context = await browser.newContext({ baseURL: url, viewport: WINDOW });
  await context.request.post('/api/auth/login', { data: ADMIN });
  const page = await context.newPage();
  console.log(
    '\n| point cloud | opened after | frames/s while turning | 95 % of frames within | all points after | reached |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const points of CLOUDS) {
    const { jobId } = await createCloudTask(app, { 'street.pcd': pcdFile(streetPoints(points)) });
    const opened = [];
    for (let opening = 0; opening <= OPENINGS; opening += 1)
      opened.push(await timeToShow(page, jobId, 'canvas[data-frame="0"][data-complete]'));
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { intervals, complete } = await page.evaluate(turn, FRAMES);
      rounds.push({ ...summary(intervals), complete });
    }
    const { rate, most, complete } = median(rounds);
    const first = opened.slice(1).toSorted((a, b) => a - b)[Math.floor(OPENINGS / 2)];
    const reached = rate >= GOALS.cloudFramesPerSecond ? 'yes' : 'NO';
    console.log(
      `| ${points} points | ${first.toFixed(0)} ms | ${rate.toFixed(1)} | ${most.toFixed(1)} ms | ${complete.toFixed(0)} ms | ${reached} |`,
    );
  }
  await context.close();
}

/** Opens the page of a job. @returns milliseconds until there is an element for the selector */
async function timeToShow(page, jobId, selector) {
  await page.goto('about:blank');
  await page.goto(`/jobs/${jobId}`, { waitUntil: 'commit' });
  const shown = await page.waitForFunction((wanted) => {
    const canvas = document.querySelector(wanted);
    return canvas === null ? undefined : performance.now();
  }, selector);
  return shown.jsonValue();
}

/**
 * Runs in the page: turns the perspective view once per browser frame.
 * @returns milliseconds between frames, and from the end until the view shows all points
 */
async function turn(frames) {
  const view = document.querySelector('[data-view="perspective"]');
  const { left, top, width, height } = view.getBoundingClientRect();
  const pointer = (type, x, buttons) =>
    view.dispatchEvent(
      new PointerEvent(type, {
        clientX: left + width / 2 + x,
        clientY: top + height / 2,
        buttons,
        button: type === 'pointermove' ? -1 : 0,
        isPrimary: true,
        bubbles: true,
        cancelable: true,
      }),
    );
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const intervals = [];
  pointer('pointerdown', 0, 1);
  let last = await nextFrame();
  for (let at = 0; at < frames; at += 1) {
    pointer('pointermove', Math.sin(at / 40) * 300, 1);
    const now = await nextFrame();
    intervals.push(now - last);
    last = now;
  }
  pointer('pointerup', Math.sin((frames - 1) / 40) * 300, 0);
  while (document.querySelector('canvas[data-complete]') === null) await nextFrame();
  return { intervals, complete: performance.now() - last };
}

/** @returns results of opening a job's page, fastest first, without the first opening, which prepares the chunk */
async function openings(page, jobId) {
  const found = [];
  for (let opening = 0; opening <= OPENINGS; opening += 1) found.push(await firstFrame(page, jobId));
  return found.slice(1).toSorted((a, b) => a.shown - b.shown);
}

/**
 * Opens the page of a job.
 *
 * @returns when the first frame was on the canvas, when the tools and the object list were visible, too, and when each
 *   request was sent and answered, all in milliseconds since the navigation began
 */
async function firstFrame(page, jobId) {
  const shown = await timeToShow(page, jobId, '[data-frame="0"]');
  const ready = await page.waitForFunction(() => {
    const isThere =
      document.querySelector('[role=img][data-frame="0"]') !== null && /\d objects/.test(document.body.innerText);
    return isThere ? performance.now() : undefined;
  });
  const steps = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name, startTime, responseEnd }) => ({
      name: name.replace(location.origin, ''),
      from: startTime,
      until: responseEnd,
    })),
  );
  const told = steps.filter(
    ({ name }) => name.startsWith('/api/') || /\/(ahead|opening|start|job-page)-.*\.js$/.test(name),
  );
  return { shown, ready: await ready.jsonValue(), steps: told };
}

/** Runs in the page: moves the view, or the brush, once per browser frame. @returns milliseconds between frames */
async function perform({ gesture, frames }) {
  const canvas = document.querySelector('[data-frame]');
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const middle = { clientX: left + width / 2, clientY: top + height / 2 };
  const pointer = (type, x, y, buttons) =>
    canvas.dispatchEvent(
      new PointerEvent(type, {
        clientX: middle.clientX + x,
        clientY: middle.clientY + y,
        buttons,
        button: type === 'pointermove' ? -1 : 0,
        isPrimary: true,
        bubbles: true,
        cancelable: true,
      }),
    );
  const press = (key) => window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  press('0');
  const isClose = gesture.endsWith('at 100 %');
  if (isClose) press('1');
  for (let at = 0; at < 30; at += 1) await nextFrame();
  const reach = isClose ? { x: 700, y: 350 } : { x: 150, y: 90 };
  const intervals = [];
  if (gesture !== 'zoom') pointer('pointerdown', 0, 0, 1);
  let last = await nextFrame();
  for (let at = 0; at < frames; at += 1) {
    const phase = at / 40;
    if (gesture === 'zoom') {
      const deltaY = -60 * Math.cos(phase);
      canvas.dispatchEvent(new WheelEvent('wheel', { ...middle, deltaY, bubbles: true, cancelable: true }));
    } else pointer('pointermove', Math.sin(phase) * reach.x, (1 - Math.cos(phase)) * reach.y, 1);
    const now = await nextFrame();
    intervals.push(now - last);
    last = now;
  }
  if (gesture !== 'zoom') pointer('pointerup', 0, 0, 0);
  return intervals;
}

function summary(intervals) {
  const sorted = intervals.toSorted((a, b) => a - b);
  const sum = sorted.reduce((total, value) => total + value, 0);
  return {
    rate: (1000 * sorted.length) / sum,
    middle: sorted[Math.floor(sorted.length / 2)],
    most: sorted[Math.floor(sorted.length * 0.95)],
  };
}

/** The median of each number. */
function median(rounds) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(
    names.map((name) => [
      name,
      rounds.map((round) => round[name]).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)],
    ]),
  );
}
