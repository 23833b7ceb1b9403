// The view of the canvas: positions stay those of the image, however it is shown.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import * as canvas from './job-canvas.mjs';
import { inspect, startApp } from './support.mjs';

let app;
let page;
let jobId;

before(async () => {
  app = await startApp();
  ({ jobId } = await canvas.createPhotoJob(app));
  page = await app.newPage({ width: 1360, height: 820 });
});

after(() => app?.stop());

const stored = () => app.api('GET', `/jobs/${jobId}/annotations`);
const clear = () => app.api('DELETE', `/jobs/${jobId}/annotations`);
const details = () => page.getByRole('region', { name: 'Selected object' });

test('on a rotated image, shapes are drawn, selected and moved where they are seen', async () => {
  for (const [keys, angle] of [
    [['Control+r'], 90],
    [['Control+r', 'Control+r'], 180],
    [['Control+Shift+r'], 270],
  ]) {
    await clear();
    await canvas.openJob(page, jobId);
    for (const key of keys) await page.keyboard.press(key);
    const at = (x, y) => canvas.onScreen(page, x, y, angle);
    await page.getByRole('button', { name: 'Draw rectangle' }).click();
    await page.mouse.click(...(await at(50, 40)));
    await page.mouse.click(...(await at(150, 120)));
    await details().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await details().waitFor({ state: 'detached' });
    await page.mouse.click(...(await at(50, 60)));
    await details().waitFor();
    await page.mouse.move(...(await at(50, 60)));
    await page.mouse.down();
    await page.mouse.move(...(await at(70, 90)), { steps: 4 });
    await page.mouse.up();
    await canvas.save(page);
    const [{ points }] = (await stored()).shapes;
    canvas.near(points, [70, 70, 170, 150]);
  }
  assert.equal(await page.evaluate(() => performance.getEntriesByType('navigation')[0].type), 'navigate');
  await inspect(page);
});

/** Fingers and a pen, which Playwright cannot move by itself. */
async function handsOn(target) {
  const session = await target.context().newCDPSession(target);
  const touch = (type, fingers) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: fingers.map(([x, y], id) => ({ x, y, id })) });
  const pen = (type, [x, y]) =>
    session.send('Input.dispatchMouseEvent', {
      type,
      x,
      y,
      button: 'left',
      buttons: type === 'mouseReleased' ? 0 : 1,
      clickCount: 1,
      pointerType: 'pen',
    });
  /** Moves fingers from where they start to where they end, in steps, and rests them there. */
  const slide = async (from, to, steps = 8) => {
    await touch('touchStart', from);
    for (let step = 1; step <= steps; step += 1) {
      const between = ([x, y], at) => [x + ((to[at][0] - x) * step) / steps, y + ((to[at][1] - y) * step) / steps];
      await touch('touchMove', from.map(between));
    }
    // Fingers that are lifted while they move start a fling, and Chromium ignores the tap that stops it.
    await pause(200);
    await touch('touchEnd', []);
  };
  return { touch, pen, slide };
}

test('a finger draws, two fingers zoom and pan, and draw nothing', async () => {
  const touchPage = await app.newPage({ width: 1360, height: 820, hasTouch: true });
  const { slide } = await handsOn(touchPage);
  await clear();
  await canvas.openJob(touchPage, jobId);
  const at = (x, y) => canvas.onScreen(touchPage, x, y);
  await touchPage.getByRole('button', { name: 'Draw rectangle', exact: true }).tap();
  await slide([await at(150, 100)], [await at(250, 180)]);
  await touchPage.getByRole('region', { name: 'Selected object' }).waitFor();
  await canvas.save(touchPage);
  canvas.near((await stored()).shapes[0].points, [150, 100, 250, 180]);

  await touchPage.getByRole('button', { name: 'Draw rectangle', exact: true }).tap();
  const percent = async () => Number.parseInt(await touchPage.getByText(/^\d+ %$/).textContent(), 10);
  const before = await percent();
  const [x, y] = await at(200, 140);
  // Their middle stays where it is, and so does the centre of the rectangle.
  await slide(
    [
      [x - 60, y],
      [x + 60, y],
    ],
    [
      [x - 120, y],
      [x + 120, y],
    ],
  );
  assert.ok(Math.abs((await percent()) / before - 2) < 0.05, `${await percent()} after ${before}`);
  await slide(
    [
      [x - 60, y],
      [x + 60, y],
    ],
    [
      [x - 100, y + 50],
      [x + 20, y + 50],
    ],
  );
  await touchPage.getByRole('button', { name: 'Select objects' }).tap();
  await touchPage.touchscreen.tap(x + 300, y - 250);
  await touchPage.getByRole('region', { name: 'Selected object' }).waitFor({ state: 'detached' });
  await touchPage.touchscreen.tap(x - 40, y + 50);
  await touchPage.getByRole('region', { name: 'Selected object' }).waitFor();
  await canvas.save(touchPage);
  assert.equal((await stored()).shapes.length, 1);
  await touchPage.context().close();
});

test('a palm is ignored while a pen draws', async () => {
  const penPage = await app.newPage({ width: 1360, height: 820, hasTouch: true });
  const { touch, pen } = await handsOn(penPage);
  await clear();
  await canvas.openJob(penPage, jobId);
  const at = (x, y) => canvas.onScreen(penPage, x, y);
  await penPage.getByRole('button', { name: 'Draw rectangle' }).click();
  await touch('touchStart', [await at(300, 200)]); // the palm is there before the pen
  await pen('mousePressed', await at(50, 40));
  await pen('mouseMoved', await at(100, 80));
  await touch('touchMove', [await at(320, 230)]);
  await touch('touchEnd', []);
  await touch('touchStart', [await at(310, 210)]);
  await touch('touchMove', [await at(340, 240)]);
  await pen('mouseMoved', await at(150, 120));
  await pen('mouseReleased', await at(150, 120));
  await touch('touchEnd', []);
  await penPage.getByRole('region', { name: 'Selected object' }).waitFor();
  await canvas.save(penPage);
  const { shapes } = await stored();
  assert.equal(shapes.length, 1);
  canvas.near(shapes[0].points, [50, 40, 150, 120]);
  await penPage.context().close();
});
