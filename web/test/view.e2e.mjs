// The view of the canvas: positions stay those of the image, however it is shown.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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
    await page.mouse.click(...(await at(50, 80)));
    await details().waitFor();
    await page.mouse.move(...(await at(50, 80)));
    await page.mouse.down();
    await page.mouse.move(...(await at(70, 110)), { steps: 4 });
    await page.mouse.up();
    await canvas.save(page);
    const [{ points }] = (await stored()).shapes;
    canvas.near(points, [70, 70, 170, 150]);
  }
  assert.equal(await page.evaluate(() => performance.getEntriesByType('navigation')[0].type), 'navigate');
  await inspect(page);
});
