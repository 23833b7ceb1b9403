// Gestures on the canvas of a job page, in coordinates of the image, and what they must have stored.
import assert from 'node:assert/strict';
import { createTask } from './annotated-task.mjs';
import { photo } from './support.mjs';

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

/** @returns the position on the screen of a position in a frame that fits its canvas */
export async function onScreen(page, x, y) {
  const box = await page.locator('[data-frame]').boundingBox();
  const scale = Math.min((box.width - 2 * MARGIN) / SIZE.width, (box.height - 2 * MARGIN) / SIZE.height);
  return [box.x + box.width / 2 + (x - SIZE.width / 2) * scale, box.y + box.height / 2 + (y - SIZE.height / 2) * scale];
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

/** Checks that coordinates are those that were clicked, up to a pixel of the image. */
export function near(points, wanted) {
  assert.equal(points.length, wanted.length);
  for (const [at, value] of points.entries())
    assert.ok(Math.abs(value - wanted[at]) <= 1, `${points.join()} for ${wanted.join()}`);
}
