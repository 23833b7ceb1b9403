// Part of npm run bench:canvas: how soon the next frame appears, how long it takes to save 1,000 changed shapes and to merge
// 10,000 that somebody else has changed, and how much memory a long history of operations takes.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { createTask } from '../web/test/annotated-task.mjs';
import { caller } from './api.mjs';

const SIZE = { width: 1920, height: 1080 };
const FRAMES = 20;
const SAVED = 1_000;
const MERGED = 10_000;
const ROUNDS = 5;
/** Operations on one object before the next one is selected. */
const OPERATIONS_EACH = 20;
/** The operations of eight hours of work, to which the memory is extrapolated. */
const DAY = 100_000;

/**
 * @param context a browser context that is logged in
 * @param operations the number of operations whose memory is measured
 */
export async function measureEditing(context, url, operations) {
  const call = await caller(url);
  const { jobId, labels } = await makeFrames(call, url);
  const page = await context.newPage();
  console.log('\n| editing | median | rounds | goal |\n| --- | --- | --- | --- |');
  await fill(call, jobId, labels, 100);
  await open(page, jobId);
  const { clock, processor } = await nextFrames(page);
  report('key press to the next frame', clock, 'ms', '50 ms');
  report('… processor time of the main thread', processor, 'ms', '');
  await fill(call, jobId, labels, SAVED);
  await open(page, jobId);
  report(`saving ${SAVED} changed shapes`, await saves(page), 'ms', '300 ms');
  report(`… the request for ${SAVED} shapes alone`, await requests(page), 'ms', '');
  const { toggles, heap } = await operate(page, operations);
  report('one operation on one shape', [toggles], 'ms', '');
  const basis = operations === DAY ? '' : `, extrapolated from ${operations}`;
  report(`memory of ${DAY} operations${basis}`, [heap], 'MB', '');
  await fill(call, jobId, labels, MERGED);
  await open(page, jobId);
  report(`merging ${MERGED} shapes that others have changed`, await merges(page, call, jobId), 'ms', '1,000 ms');
  report('… that are changed here, too', await conflicts(page, call, jobId), 'ms', '1,000 ms');
  await page.close();
}

function report(name, found, unit, goal) {
  const sorted = found.toSorted((a, b) => a - b);
  const shown = found.map((one) => one.toFixed(0)).join(' ');
  console.log(`| ${name} | ${sorted[Math.floor(sorted.length / 2)].toFixed(1)} ${unit} | ${shown} | ${goal} |`);
}

async function makeFrames(call, url) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-editing-'));
  try {
    const photo = join(import.meta.dirname, '..', 'demo', 'photos', 'hubble-deep-field.jpg');
    const image = await sharp(photo).resize(SIZE.width, SIZE.height, { fit: 'fill' }).jpeg({ quality: 80 }).toBuffer();
    const files = Array.from({ length: FRAMES }, (_, at) => join(folder, `${String(at).padStart(3, '0')}.jpg`));
    for (const file of files) await writeFile(file, image);
    return await createTask(call, { url, key: call.key }, files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Small rectangles in a grid on the first frame, and some on the others. */
const fill = (call, jobId, labels, count) =>
  call('PUT', `/jobs/${jobId}/annotations`, { version: 0, tags: [], tracks: [], shapes: rectangles(labels, count) });

function rectangles(labels, count) {
  const columns = Math.ceil(Math.sqrt(count * 1.8));
  const step = (SIZE.width - 20) / columns;
  const at = (frame, index) => {
    const [x, y] = [10 + (index % columns) * step, 10 + Math.floor(index / columns) * step];
    return { type: 'rectangle', frame, label_id: labels.cat.id, points: [x, y, x + step / 2, y + step / 2] };
  };
  const others = Array.from({ length: FRAMES - 1 }, (_, before) =>
    Array.from({ length: 100 }, (_unused, index) => at(before + 1, index)),
  );
  return [...Array.from({ length: count }, (_, index) => at(0, index)), ...others.flat()];
}

async function open(page, jobId) {
  await page.goto('about:blank');
  await page.goto(`/jobs/${jobId}`);
  await page.locator('[role=img][data-frame="0"]').waitFor();
  await page.getByRole('button', { name: 'Draw rectangle', exact: true }).waitFor();
  await page.waitForTimeout(3_000);
}

/** @returns milliseconds from each key press until the canvas shows the frame: on the clock, and of the main thread */
async function nextFrames(page) {
  const used = await mainThread(page);
  const found = { clock: [], processor: [] };
  for (let frame = 1; frame < FRAMES; frame += 1) {
    const before = await used();
    const clock = await page.evaluate(async (next) => {
      const start = performance.now();
      dispatchEvent(new KeyboardEvent('keydown', { key: 'f', bubbles: true, cancelable: true }));
      while (document.querySelector(`[role=img][data-frame="${next}"]`) === null)
        await new Promise(requestAnimationFrame);
      return performance.now() - start;
    }, frame);
    found.clock.push(clock);
    found.processor.push((await used()) - before);
    await page.waitForTimeout(300);
  }
  return found;
}

/** Selects all shapes of the frame with a box. */
async function selectAll(page) {
  const box = await page.locator('[role=img][data-frame="0"]').boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + 2, box.y + 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height - 2, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.mouse.move(0, 0); // a notice under the pointer stays
}

/** Changes all shapes of the frame, and saves them. @returns milliseconds until they are saved */
async function saves(page) {
  await selectAll(page);
  const found = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    await page.keyboard.press('q');
    await page.getByText('Unsaved changes').waitFor();
    await page.waitForTimeout(1_000);
    found.push(
      await page.evaluate(async () => {
        const start = performance.now();
        dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true, cancelable: true }));
        const isSaved = () => document.body.innerText.includes('All changes saved');
        while (!isSaved()) await new Promise((resolve) => requestAnimationFrame(resolve));
        return performance.now() - start;
      }),
    );
  }
  return found.slice(1);
}

/** @returns how long the requests of these saves took */
const requests = (page) =>
  page.evaluate((rounds) => {
    const sent = performance.getEntriesByType('resource').filter(({ name }) => name.includes('action=update'));
    return sent.slice(-rounds).map(({ duration }) => duration);
  }, ROUNDS);

/** Changes one shape after the other. @returns the time and the memory that the operations take */
async function operate(page, operations) {
  const client = await page.context().newCDPSession(page);
  await page.keyboard.press('Escape');
  await page.locator('ul[aria-label=Objects] button').first().click();
  const toggle = (count) =>
    page.evaluate(
      async ([times, each]) => {
        const press = (key) => dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        const start = performance.now();
        for (let at = 0; at < times; at += 1) {
          press('q');
          if (at % each !== 0) continue;
          press('Tab');
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
        return (performance.now() - start) / times;
      },
      [count, OPERATIONS_EACH],
    );
  const used = async () => {
    await client.send('HeapProfiler.collectGarbage');
    return (await client.send('Runtime.getHeapUsage')).usedSize;
  };
  await toggle(200);
  const before = await used();
  const toggles = await toggle(operations);
  const heap = (((await used()) - before) / operations) * (DAY / 1e6);
  await page.keyboard.press('Control+s');
  await page.getByText('All changes saved').waitFor();
  return { toggles, heap };
}

/** @returns the processor time of the page's main thread until it has shown what somebody else has saved */
async function merges(page, call, jobId) {
  const found = [];
  const notice = page.getByText(/saved: 10,000 objects changed|Somebody else has saved/).first();
  for (let round = 0; round < 3; round += 1) {
    const busy = await watchBusy(page);
    await changeAll(call, jobId, { occluded: round % 2 === 0 });
    await notice.waitFor();
    await page.waitForTimeout(6_000);
    found.push(await busy());
    // While a notice is shown, the next one adds up the changes of both.
    await notice.waitFor({ state: 'hidden' });
  }
  return found;
}

/** @returns the same if somebody else has saved what is changed here, too, so that all shapes are in conflict */
async function conflicts(page, call, jobId) {
  await selectAll(page);
  await page.keyboard.press('q');
  await page.getByText('Unsaved changes').waitFor();
  await page.waitForTimeout(3_000);
  const busy = await watchBusy(page);
  await changeAll(call, jobId, { z_order: 1 });
  await page
    .getByText(/were also changed by somebody else/)
    .first()
    .waitFor();
  await page.waitForTimeout(6_000);
  return [await busy()];
}

/** @returns a function that returns the processor time of the page's main thread since now, in milliseconds */
async function watchBusy(page) {
  const used = await mainThread(page);
  const before = await used();
  return async () => (await used()) - before;
}

/** @returns a function that returns the processor time that the page's main thread has used, in milliseconds */
async function mainThread(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  };
}

/** Saves a change of all shapes of the first frame, as somebody else would. */
async function changeAll(call, jobId, change) {
  const { shapes } = await call('GET', `/jobs/${jobId}/annotations`);
  const changed = shapes.filter(({ frame }) => frame === 0).map((shape) => ({ ...shape, ...change }));
  await call('PATCH', `/jobs/${jobId}/annotations?action=update`, { shapes: changed });
}
