// Point clouds for tests and benchmarks, tasks of them, and gestures in their views.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { createTask } from './annotated-task.mjs';

/** The car in the street: position of its centre, heading in radians, and size. */
export const CAR = { x: 6, y: -2, z: 0.8, heading: 0.4, size: [4, 1.8, 1.6] };
const LABELS = [
  { name: 'car', color: '#ff2d55', type: 'cuboid' },
  { name: 'pedestrian', color: '#00e5ff', type: 'any' },
];
const HALF = 20;
const GOLDEN = 0.618_033_988_75;
const PARTS = { ground: 0.7, car: 0.2 };

/**
 * Points of a street of 40 × 40 m at height 0, with a car and two walls.
 * @param ahead how far the car is ahead of its first position, in metres
 * @returns x, y, z and intensity (0 to 1) of each point
 */
export function streetPoints(count, ahead = 0) {
  const values = new Float32Array(count * 4);
  // Evenly spread and the same every time, unlike random numbers.
  const at = (i, step) => (i * step) % 1;
  for (let i = 0; i < count; i += 1) {
    const [a, b] = [at(i, GOLDEN), at(i, 0.754_877_666_25)];
    const part = at(i, 0.569_840_290_99);
    if (part < PARTS.ground) values.set([(a * 2 - 1) * HALF, (b * 2 - 1) * HALF, 0, 0.2 + 0.1 * a], i * 4);
    else if (part < PARTS.ground + PARTS.car) values.set(carPoint(i, a, b, ahead), i * 4);
    else values.set([(a * 2 - 1) * HALF, (i % 2 === 0 ? 1 : -1) * HALF * 0.9, b * 4, 0.5], i * 4);
  }
  return values;
}

/** A point on one of the sides or the roof of the car. */
function carPoint(i, a, b, ahead) {
  const [length, width, height] = CAR.size;
  const side = i % 5;
  const u = a - 0.5;
  const [x, y, z] = [
    [u * length, width / 2, b * height],
    [u * length, -width / 2, b * height],
    [length / 2, u * width, b * height],
    [-length / 2, u * width, b * height],
    [u * length, (b - 0.5) * width, height],
  ][side];
  const [cos, sin] = [Math.cos(CAR.heading), Math.sin(CAR.heading)];
  return [CAR.x + ahead + x * cos - y * sin, CAR.y + x * sin + y * cos, z, 0.9];
}

/** A PCD file. @param kind `ascii` or `binary` */
export function pcdFile(values, kind = 'binary') {
  const points = values.length / 4;
  const header = [
    '# .PCD v0.7 - Point Cloud Data file format',
    'VERSION 0.7',
    'FIELDS x y z intensity',
    'SIZE 4 4 4 4',
    'TYPE F F F F',
    'COUNT 1 1 1 1',
    `WIDTH ${points}`,
    'HEIGHT 1',
    'VIEWPOINT 0 0 0 1 0 0 0',
    `POINTS ${points}`,
    `DATA ${kind}`,
  ].join('\n');
  if (kind === 'binary') return Buffer.concat([Buffer.from(`${header}\n`), kittiFile(values)]);
  const lines = Array.from({ length: points }, (_, i) => values.slice(i * 4, i * 4 + 4).join(' '));
  return Buffer.from(`${header}\n${lines.join('\n')}\n`);
}

/** A file in KITTI's format: the points without a header. */
export const kittiFile = (values) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);

/** Creates a task of files. @param files contents by name @returns the ids of the task and its job, and its labels by name */
export async function createCloudTask(app, files) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-clouds-'));
  try {
    const { url, username, password } = app;
    const { key } = await app.api('POST', '/auth/login', { username, password });
    const paths = Object.keys(files).map((name) => join(folder, name));
    await Promise.all(Object.values(files).map((content, at) => writeFile(paths[at], content)));
    return await createTask(app.api, { url, key }, paths, { name: 'Street', labels: LABELS });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** New cuboids have the size of a car. */
export const SIZE = [4, 1.8, 1.6];
/** The views along an axis show a selected cuboid with as much space around it. */
const REACH = 2;

/** Creates a job of a street with a moving car, in which the first frame has a context image. @param image its file */
export async function createStreetJob(app, image, frames = 3) {
  const clouds = Array.from({ length: frames }, (_, at) => [
    `street/${at}.pcd`,
    pcdFile(streetPoints(20_000, at), at === 1 ? 'ascii' : 'binary'),
  ]);
  const archive = zipSync({ ...Object.fromEntries(clouds), 'street/related_images/0_pcd/camera.jpg': image });
  return createCloudTask(app, { 'street.zip': archive });
}

/** Opens a job of point clouds and waits for the drawing tool. */
export async function openClouds(page, jobId) {
  await page.goto(`/jobs/${jobId}`);
  await page.locator('canvas[data-frame="0"]').waitFor();
  await page.getByRole('button', { name: 'Draw cuboid' }).waitFor();
}

export const boxOf = (page, view) => page.locator(`[data-view="${view}"]`).boundingBox();

export const middleOf = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

/** Adds a cuboid with a click into the middle of a view. */
export async function placeIn(page, view) {
  await page.keyboard.press('n');
  await page.mouse.click(...middleOf(await boxOf(page, view)));
  await page.getByRole('region', { name: 'Selected object' }).waitFor();
}

/** Drags in a view, whose middle is the centre of the selected cuboid. @param from, to in metres to the right and up */
export async function dragIn(page, view, from, to, more = {}) {
  const box = await boxOf(page, view);
  const scale = Math.min(box.width, box.height) / (Math.hypot(...SIZE) * REACH);
  const [x, y] = middleOf(box);
  const { beyond = 0 } = more; // pixels further up
  await page.mouse.move(x + from[0] * scale, y - from[1] * scale - beyond);
  await page.mouse.down();
  await page.mouse.move(x + to[0] * scale, y - to[1] * scale, { steps: 4 });
  await page.mouse.up();
}

/** The field of a number of the selected cuboid. */
export const field = (page, name) => page.getByRole('textbox', { name, exact: true });

/** Checks numbers up to a tolerance. */
export function near(found, wanted, tolerance) {
  assert.equal(found.length, wanted.length);
  for (const [at, value] of found.entries())
    assert.ok(Math.abs(value - wanted[at]) <= tolerance, `${found.join()} instead of ${wanted.join()}`);
}
