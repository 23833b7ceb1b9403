// Editing several objects at once: selection, groups, locks, labels, merging and copies.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { near } from './job-canvas.mjs';
import { inspect, startApp } from './support.mjs';

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

const stored = () => app.api('GET', `/jobs/${jobId}/annotations`);
const rectangle = (points, more = {}) => ({ type: 'rectangle', frame: 0, label_id: labels.cat.id, points, ...more });

/** Opens the job with these annotations. */
async function open(annotations) {
  await app.api('PUT', `/jobs/${jobId}/annotations`, annotations);
  await canvas.openJob(page, jobId);
}

const click = async (x, y, modifiers = []) => {
  for (const name of modifiers) await page.keyboard.down(name);
  await page.mouse.click(...(await canvas.onScreen(page, x, y)));
  for (const name of modifiers) await page.keyboard.up(name);
};

const drag = (from, to) => canvas.drag(page, from, to);
const save = () => canvas.save(page);

const THREE = [
  [20, 20, 80, 80],
  [120, 20, 180, 80],
  [220, 20, 280, 80],
];

test('moves, changes and deletes several selected objects, each in one step', async () => {
  await open({ shapes: THREE.map((points) => rectangle(points)) });
  await click(50, 50);
  await click(150, 50, ['Shift']);
  await page.getByText('2 objects are selected').waitFor();
  await page.keyboard.press('q');
  await drag([150, 50], [160, 90]);
  await save();
  const { shapes } = await stored();
  assert.deepEqual(shapes.map(({ occluded }) => occluded).sort(), [false, true, true]);
  near(
    shapes.flatMap(({ points }) => points),
    [30, 60, 90, 120, 130, 60, 190, 120, 220, 20, 280, 80],
  );
  await page.keyboard.press('Delete');
  await save();
  assert.equal((await stored()).shapes.length, 1);
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('Control+z');
  await save();
  const restored = (await stored()).shapes.map(({ points }) => points).sort(([a], [b]) => a - b);
  near(restored.flat(), THREE.flat());
});

test('selects with a box, and in the list with Ctrl and Shift', async () => {
  await open({ shapes: THREE.map((points) => rectangle(points)) });
  await page.keyboard.down('Shift');
  await drag([100, 10], [230, 100]);
  await page.keyboard.up('Shift');
  const chosen = page.getByRole('list', { name: 'Objects' }).locator('button[aria-pressed="true"]:has-text("cat")');
  await page.getByText('2 objects are selected').waitFor();
  const rows = page.getByRole('list', { name: 'Objects' }).getByRole('button', { name: /^cat/ });
  await rows.nth(2).click();
  await rows.nth(0).click({ modifiers: ['Shift'] });
  await page.getByText('3 objects are selected').waitFor();
  await rows.nth(1).click({ modifiers: ['Control'] });
  await page.getByText('2 objects are selected').waitFor();
  assert.equal(await chosen.count(), 2);
  await page.keyboard.press('Control+c');
  await page.keyboard.press('f');
  await page.locator('[data-frame="1"]').waitFor();
  await page.keyboard.press('Control+v');
  await save();
  assert.deepEqual((await stored()).shapes.map(({ frame }) => frame).sort(), [0, 0, 0, 1, 1]);
});

test('groups, locks, pins and labels the selected objects with the keyboard', async () => {
  await open({ shapes: THREE.map((points) => rectangle(points)) });
  await click(50, 50);
  await click(150, 50, ['Shift']);
  await page.keyboard.press('g');
  await page.keyboard.press('Control+2');
  await page.keyboard.press('p');
  await drag([150, 50], [160, 90]);
  await page.keyboard.press('l');
  await page.keyboard.press('Delete');
  await save();
  const { shapes } = await stored();
  const changed = shapes.filter(({ points }) => points[0] < 200);
  assert.deepEqual(
    changed.map(({ group, label_id: label }) => [group, label]),
    [
      [1, labels.face.id],
      [1, labels.face.id],
    ],
  );
  near(
    changed.flatMap(({ points }) => points),
    THREE.slice(0, 2).flat(),
  );
  await page.keyboard.press('Shift+Delete');
  await save();
  assert.equal((await stored()).shapes.length, 1);
  await page.keyboard.press('t');
  await page.keyboard.press('l');
  await page.getByRole('list', { name: 'Objects' }).getByText('locked').waitFor();
  await page.keyboard.press('t');
  await page.keyboard.press('h');
  await page.getByRole('button', { name: 'Hide all annotations', pressed: true }).waitFor();
  await page.keyboard.press('t');
  await page.keyboard.press('h');
});

test('merges shapes of two frames into a track, and copies to following frames', async () => {
  await open({
    tags: [{ frame: 0, label_id: labels.cat.id }],
    shapes: [rectangle([20, 20, 80, 80]), rectangle([30, 30, 90, 90], { frame: 1 })],
  });
  await page.getByRole('button', { name: /^cat.*tag/ }).click();
  await click(50, 50, ['Shift']);
  await page.keyboard.press('f');
  await page.locator('[data-frame="1"]').waitFor();
  await page.getByRole('button', { name: /^cat.*rectangle/ }).click({ modifiers: ['Control'] });
  await page.keyboard.press('m');
  await save();
  const { tags, shapes, tracks } = await stored();
  assert.equal(tags.length, 1);
  assert.deepEqual(shapes, []);
  assert.deepEqual(
    tracks[0].shapes.map(({ frame, outside }) => [frame, outside]),
    [
      [0, false],
      [1, false],
    ],
  );
  await open({ shapes: [rectangle([20, 20, 80, 80])] });
  await click(50, 50);
  await page.keyboard.press('Control+b');
  const dialog = page.getByRole('dialog', { name: 'Copy to other frames' });
  await dialog.getByText('1 object will be copied to 1 frame.').waitFor();
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await save();
  assert.deepEqual((await stored()).shapes.map(({ frame }) => frame).sort(), [0, 1]);
});

test('offers only labels that suit the object, and keeps locked tags', async () => {
  await open({
    tags: [{ frame: 0, label_id: labels.blurred.id }],
    shapes: [
      {
        type: 'skeleton',
        frame: 0,
        label_id: labels.pose.id,
        points: [],
        elements: labels.pose.sublabels.map(({ id }, at) => ({
          type: 'points',
          frame: 0,
          label_id: id,
          points: [100 + 50 * at, 100],
        })),
      },
    ],
  });
  await click(100, 100);
  const details = page.getByRole('region', { name: 'Selected object' });
  await details.getByRole('combobox', { name: 'Label' }).click();
  assert.deepEqual(await page.getByRole('listbox').getByRole('option').allTextContents(), ['pose']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^blurred.*tag/ }).click();
  await page.getByRole('combobox', { name: 'Label of new objects' }).click();
  await page.getByRole('option', { name: 'blurred' }).click();
  const tag = page.getByRole('button', { name: 'Tag', exact: true });
  await details.getByRole('checkbox', { name: 'Locked' }).check();
  assert.equal(await tag.isDisabled(), true);
  await details.getByRole('checkbox', { name: 'Locked' }).uncheck();
  await tag.click();
  await save();
  assert.deepEqual((await stored()).tags, []);
});

/** What the field for the label of new objects shows. */
const labelField = () => page.getByRole('combobox', { name: 'Label of new objects' });

async function selectLabel(name) {
  await labelField().click();
  await page.getByRole('option', { name, exact: true }).click();
}

test('draws the label that is selected, and refuses tools that it does not fit', async () => {
  await open({ shapes: [] });
  await labelField().click();
  const names = await page.getByRole('listbox').getByRole('option').allTextContents();
  assert.deepEqual(names, Object.keys(labels));
  await page.keyboard.press('Escape');
  await selectLabel('blurred');
  await page.keyboard.press('Alt+1');
  await page.getByText('The label blurred is only for tags, not for rectangles. Select another label.').waitFor();
  await drag([20, 20], [80, 80]);
  await selectLabel('pose');
  await page.keyboard.press('Alt+7');
  await drag([100, 20], [180, 90]);
  assert.equal(await labelField().inputValue(), 'pose');
  await page.keyboard.press('Alt+1');
  const shown = await labelField().inputValue();
  await drag([200, 20], [280, 80]);
  await page.getByRole('tab', { name: 'Issues' }).click();
  await page.getByText('Unsaved changes').waitFor();
  await save();
  const drawn = (await stored()).shapes.map(({ type, label_id: id }) => [type, id]);
  assert.deepEqual(drawn.sort(), [
    ['rectangle', labels[shown].id],
    ['skeleton', labels.pose.id],
  ]);
});

test('keeps a polygon that is being drawn when a label is selected that it cannot have', async () => {
  await open({ shapes: [] });
  await page.keyboard.press('Alt+3');
  for (const [x, y] of THREE) await click(x, y);
  await click(150, 150);
  await selectLabel('blurred');
  await page.getByText('The label blurred is only for tags, not for polygons.').waitFor();
  const shown = await labelField().inputValue();
  await page.keyboard.press('n');
  await save();
  assert.deepEqual(
    (await stored()).shapes.map(({ type, label_id: id }) => [type, id]),
    [['polygon', labels[shown].id]],
  );
});

test('shows every tool in a small window, and notifications beside the panels', async () => {
  await open({ shapes: [rectangle([20, 20, 80, 80])] });
  const areVisible = async (parts, container) => {
    const outer = await container.boundingBox();
    for (const part of await parts.all()) {
      const box = await part.boundingBox();
      const [left, top] = [box.x - outer.x, box.y - outer.y];
      const isInside = left > -2 && top >= 0 && left + box.width < outer.width + 2 && top + box.height <= outer.height;
      assert.ok(isInside, (await part.getAttribute('aria-label')) ?? (await part.innerText()));
    }
  };
  const tools = page.getByRole('toolbar', { name: 'Tools' });
  const areas = page.getByRole('navigation', { name: 'Main navigation' });
  const sizes = [
    [1440, 900],
    [820, 1180],
    [900, 600],
  ];
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await areVisible(tools.getByRole('button'), tools);
    await areVisible(areas.getByRole('link'), areas);
  }
  await click(50, 50);
  await page.getByRole('button', { name: 'Next job' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'last job' });
  await notice.waitFor();
  await page.getByRole('button', { name: 'Actions for the selected object' }).click(); // fails if it is covered
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  await notice.waitFor();
  await inspect(page);
  await page.setViewportSize({ width: 1360, height: 820 });
});
