// What is clicked in the editor, at several zooms and rotations, is what the official SDK reads, up to a pixel of the image.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { installedClients } from '../../test/clients/python.mjs';
import * as canvas from './job-canvas.mjs';
import { near } from './job-canvas.mjs';
import { createStreetJob, dragIn, near as nearInSpace, openClouds, placeIn, SIZE } from './point-clouds.mjs';
import { photo, startApp } from './support.mjs';

const CLIENTS = join(import.meta.dirname, '..', '..', 'test', 'clients');
const python = installedClients(CLIENTS);
/** Run as part of CI, in which the tests with the clients have installed them. */
const skip = python === undefined && 'The CVAT SDK is not installed. Run `npm run test:clients` once.';

let app;

before(async () => {
  if (python !== undefined) app = await startApp();
});

after(() => app?.stop());

/** The annotations of a job as the SDK reads them. */
async function readBySdk(jobId) {
  const env = { ...process.env, CAIRN_URL: app.url, CAIRN_USERNAME: app.username, CAIRN_PASSWORD: app.password };
  const { stdout } = await promisify(execFile)(python, [join(CLIENTS, 'read_annotations.py'), String(jobId)], { env });
  return JSON.parse(stdout)[jobId];
}

/** Zooms are relative to the frame that fits. */
const VIEWS = [
  { zoom: 1, angle: 0 },
  { zoom: 3, angle: 90 },
  { zoom: 0.6, angle: 180 },
  { zoom: 2, angle: 270 },
];
/** Where the image is zoomed. */
const ANCHOR = [225, 150];
/** Change of the scale by a wheel that turns by one. */
const WHEEL = 0.0016;
/** Distance of the rotation handle from a rectangle, in pixels of the screen. */
const HANDLE_GAP = 24;

/** Shows the frame in a view. @returns functions for gestures in coordinates of the image */
async function look(page, { zoom, angle }) {
  const size = async () => JSON.stringify(await page.locator('[data-frame]').boundingBox());
  for (let turned = 0; turned < angle; turned += 90) await page.keyboard.press('Control+r');
  let [anchor, scale, shownIn] = [[0, 0], 1, ''];
  const show = async () => {
    await page.keyboard.press('0');
    shownIn = await size();
    anchor = await canvas.onScreen(page, ...ANCHOR, angle);
    const beside = await canvas.onScreen(page, ANCHOR[0] + 100, ANCHOR[1], angle);
    scale = (Math.hypot(beside[0] - anchor[0], beside[1] - anchor[1]) / 100) * zoom;
    await page.mouse.move(...anchor);
    await page.mouse.wheel(0, -Math.log(zoom) / WHEEL);
    await page.getByText(`${Math.round(scale * 100)} %`, { exact: true }).waitFor();
  };
  await show();
  const at = async ([x, y]) => {
    // A message above the canvas makes it smaller.
    if ((await size()) !== shownIn) await show();
    const fitted = await canvas.onScreen(page, x, y, angle);
    return anchor.map((value, axis) => value + (fitted[axis] - value) * zoom);
  };
  return {
    unit: () => 1 / scale,
    click: async (...points) => {
      for (const point of points) await page.mouse.click(...(await at(point)));
    },
    drag: async (from, to) => {
      const [start, end] = [await at(from), await at(to)];
      await page.mouse.move(...start);
      await page.mouse.down();
      await page.mouse.move(...end, { steps: 4 });
      await page.mouse.up();
    },
    back: async () => {
      for (let turned = 0; turned < angle; turned += 90) await page.keyboard.press('Control+Shift+r');
    },
  };
}

const corners = [
  [205, 130],
  [245, 170],
];
const BOX = corners.flat();
const vertices = [
  [200, 132],
  [246, 136],
  [230, 168],
];

test('the SDK reads what was clicked, for every kind of shape, at several zooms and rotations', { skip }, async () => {
  const { jobId, labels } = await canvas.createPhotoJob(app);
  const page = await app.newPage({ width: 1440, height: 900 });
  await canvas.openJob(page, jobId);
  const tool = (type) => page.getByRole('button', { name: `Draw ${type}`, exact: true }).click();
  for (const view of VIEWS) {
    const { click, drag, unit, back } = await look(page, view);
    await tool('rectangle');
    await click(...corners);
    await tool('rectangle');
    await click(...corners);
    await drag([225, 130 - HANDLE_GAP * unit()], [265, 150]);
    await tool('ellipse');
    await click([220, 150], [244, 166]);
    for (const type of ['polygon', 'polyline', 'points']) {
      await tool(type);
      await click(...vertices);
      await page.keyboard.press('n');
    }
    await tool('cuboid');
    await click(...corners);
    await tool('skeleton');
    await click(...corners);
    await tool('mask');
    await page.getByRole('toolbar', { name: 'New mask' }).getByText('Square', { exact: true }).click();
    await page.getByLabel('Brush size in pixels').fill('10');
    await page.keyboard.press('Enter');
    await drag([215, 150], [235, 150]);
    await page.keyboard.press('n');
    await back();
  }
  await canvas.save(page);

  const { shapes } = await readBySdk(jobId);
  assert.equal(shapes.length, VIEWS.length * 9);
  shapes.sort((a, b) => a.id - b.id);
  const cuboid = [205, 130, 205, 170, 245, 130, 245, 170, 253, 122, 253, 162, 213, 122, 213, 162];
  for (const [at] of VIEWS.entries()) {
    const [rectangle, rotated, ellipse, polygon, polyline, points, box, skeleton, mask] = shapes.slice(at * 9);
    near(rectangle.points, BOX);
    near(rotated.points, BOX);
    assert.ok(Math.abs(rotated.rotation - 90) <= 2, `rotated by ${rotated.rotation}`);
    near(ellipse.points, [220, 150, 244, 134]);
    for (const outline of [polygon, polyline, points]) near(outline.points, vertices.flat());
    near(box.points, cuboid);
    const element = (name) => {
      const { id } = labels.pose.sublabels.find((sublabel) => sublabel.name === name);
      return skeleton.elements.find((one) => one.label_id === id).points;
    };
    near([...element('left eye'), ...element('right eye'), ...element('nose')], [205, 130, 225, 150, 245, 170]);
    near(mask.points.slice(-4), [210, 145, 239, 154]);
    assert.deepEqual(
      [rectangle, rotated, ellipse, polygon, polyline, points, box, skeleton, mask].map(({ type }) => type),
      ['rectangle', 'rectangle', 'ellipse', 'polygon', 'polyline', 'points', 'cuboid', 'skeleton', 'mask'],
    );
  }
});

test('the SDK reads tags and tracks', { skip }, async () => {
  const { jobId, labels } = await canvas.createPhotoJob(app);
  const page = await app.newPage({ width: 1440, height: 900 });
  await canvas.openJob(page, jobId);
  const { click, drag, back } = await look(page, { zoom: 2, angle: 90 });
  await page.getByText('Track', { exact: true }).click();
  await page.getByRole('button', { name: 'Draw rectangle', exact: true }).click();
  await click(...corners);
  await drag([240, 165], [250, 175]);
  await page.keyboard.press('f');
  await page.locator('[data-frame="1"]').waitFor();
  await page.keyboard.press('o');
  await page.getByRole('combobox', { name: 'Label of new objects' }).click();
  await page.getByRole('option', { name: 'blurred' }).click();
  await page.getByRole('button', { name: 'Tag', exact: true }).click();
  await back();
  await canvas.save(page);

  const { tags, tracks } = await readBySdk(jobId);
  assert.deepEqual(
    tags.map(({ label_id: label, frame }) => [label, frame]),
    [[labels.blurred.id, 1]],
  );
  const [{ shapes }] = tracks;
  assert.deepEqual(
    shapes.map(({ frame, outside }) => [frame, outside]),
    [
      [0, false],
      [1, true],
    ],
  );
  for (const { points } of shapes) near(points, [215, 140, 255, 180]);
});

test('the SDK reads cuboids of point clouds', { skip }, async () => {
  const { jobId } = await createStreetJob(app, await readFile(photo('chelsea.jpg')), 1);
  const page = await app.newPage({ width: 1440, height: 900 });
  await openClouds(page, jobId);
  await placeIn(page, 'top');
  const before = await page.getByRole('textbox', { name: 'Position X', exact: true }).inputValue();
  // Along the cuboid, which is parallel to the axes.
  await dragIn(page, 'top', [0, 0], [0, 2]);
  await canvas.save(page);
  const { shapes } = await readBySdk(jobId);
  const [{ type, points }] = shapes;
  assert.deepEqual([shapes.length, type, points.length], [1, 'cuboid', 16]);
  nearInSpace([points[0]], [Number(before) + 2], 0.05);
  nearInSpace(points.slice(6, 9), SIZE, 0.0001);
});
