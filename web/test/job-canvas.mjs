// Gestures on the canvas of a job page, in coordinates of the image, and what they must have stored.
import assert from 'node:assert/strict';
import { createTask } from './annotated-task.mjs';
import { photo, until } from './support.mjs';

/** Of the photograph on frame 0. */
const SIZE = { width: 451, height: 300 };
/** Left free around a frame that fits. */
const MARGIN = 16;

/** Creates a task of two photographs. @param more other fields of the task @returns the ids of the task and its job, and its labels by name */
export async function createPhotoJob(app, more) {
  const { url, username, password } = app;
  const { key } = await app.api('POST', '/auth/login', { username, password });
  const photos = ['chelsea', 'raccoon'].map((name) => photo(`${name}.jpg`));
  return createTask(app.api, { url, key }, photos, more);
}

/** Opens a job and waits for the drawing tools. */
export async function openJob(page, jobId) {
  await page.goto(`/jobs/${jobId}`);
  await page.locator('[data-frame="0"]').waitFor();
  await page.getByRole('button', { name: 'Draw rectangle' }).waitFor();
}

/** Cosine and sine of the angles at which an image can be shown. */
const TURNS = { 0: [1, 0], 90: [0, 1], 180: [-1, 0], 270: [0, -1] };

/** @param angle at which the image is shown @returns the position on the screen of a position in a frame that fits its canvas */
export async function onScreen(page, x, y, angle = 0) {
  const box = await page.locator('[data-frame]').boundingBox();
  const [across, down] = angle % 180 === 0 ? [SIZE.width, SIZE.height] : [SIZE.height, SIZE.width];
  const scale = Math.min((box.width - 2 * MARGIN) / across, (box.height - 2 * MARGIN) / down);
  const [cos, sin] = TURNS[angle];
  const [dx, dy] = [(x - SIZE.width / 2) * scale, (y - SIZE.height / 2) * scale];
  return [box.x + box.width / 2 + dx * cos - dy * sin, box.y + box.height / 2 + dx * sin + dy * cos];
}

/** Drags from one position to another, in several moves of the pointer. */
export async function drag(page, from, to) {
  await page.mouse.move(...(await onScreen(page, ...from)));
  await page.mouse.down();
  await page.mouse.move(...(await onScreen(page, ...to)), { steps: 4 });
  await page.mouse.up();
}

export async function save(page) {
  await page.keyboard.press('Control+s');
  await page.getByText('All changes saved').waitFor();
}

/** Waits until the browser has stored unsaved changes of a tab, which then survive its end; or until it has deleted them. */
export async function untilKept(page, isKept = true) {
  const waiting = isKept ? 'unsaved changes are not stored' : 'unsaved changes are not deleted';
  await until(async () => (await page.evaluate(hasUnsavedWork)) === isKept, waiting);
}

/** Runs in the page, which has opened the database. */
function hasUnsavedWork() {
  return new Promise((resolve, reject) => {
    const opened = globalThis.indexedDB.open('keyval-store');
    opened.addEventListener('error', () => reject(opened.error));
    opened.addEventListener('success', () => {
      const names = opened.result.transaction('keyval').objectStore('keyval').getAllKeys();
      names.addEventListener('error', () => reject(names.error));
      names.addEventListener('success', () => {
        opened.result.close();
        resolve(names.result.some((name) => typeof name === 'string' && name.startsWith('unsaved annotations')));
      });
    });
  });
}

/** Checks that coordinates are those that were clicked, up to a pixel of the image. */
export function near(points, wanted) {
  assert.equal(points.length, wanted.length);
  for (const [at, value] of points.entries())
    assert.ok(Math.abs(value - wanted[at]) <= 1, `${points.join()} for ${wanted.join()}`);
}
