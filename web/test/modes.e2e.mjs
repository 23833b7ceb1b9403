// The modes of the editor, each with its keys.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { inspect, startApp } from './support.mjs';

const attribute = (name, type, values, value = values[0]) => ({
  name,
  mutable: false,
  input_type: type,
  values,
  default_value: value,
});
const LABELS = [
  {
    name: 'cat',
    color: '#ff2d55',
    type: 'any',
    attributes: [
      attribute('coat', 'select', ['tabby', 'black']),
      attribute('age', 'number', ['1', '20', '1']),
      attribute('tame', 'checkbox', ['false']),
      attribute('note', 'text', ['']),
    ],
  },
  ...['face', 'whisker', 'box'].map((name) => ({ name, type: 'any' })),
  { name: 'blurred', type: 'tag' },
];

let app;
let page;
let photoJob;
let jobId;
let labels;

before(async () => {
  app = await startApp();
  photoJob = await canvas.createPhotoJob(app, { labels: LABELS });
  ({ jobId, labels } = photoJob);
});

// The unsaved work of one test must not be offered to the next one.
beforeEach(async () => {
  await page?.context().close();
  page = await app.newPage({ width: 1440, height: 900 });
});

after(() => app?.stop());

const stored = () => app.api('GET', `/jobs/${jobId}/annotations`);
const save = () => canvas.save(page);
const frameShown = (frame) => page.locator(`[data-frame="${frame}"]`).waitFor();

/** Opens the job with these annotations, and selects a mode. */
async function open(annotations, mode) {
  await app.api('PUT', `/jobs/${jobId}/annotations`, annotations);
  await canvas.openJob(page, jobId);
  await page.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: mode }).click();
}

test('tags frames with digits, and goes on to the next frame if wanted', async () => {
  await open({ tags: [{ frame: 0, label_id: labels.face.id }] }, 'Tags');
  const list = page.getByRole('list', { name: 'Tags', exact: true });
  await list.getByRole('button', { name: 'face', pressed: true }).waitFor();
  await page.keyboard.press('1');
  await page.keyboard.press('2');
  await list.getByRole('button', { name: 'cat', pressed: true }).waitFor();
  await inspect(page, 'mode-tags');
  await page.reload();
  await page.getByLabel('Go to the next frame after adding a tag').check();
  await list.getByRole('button', { name: 'whisker' }).click();
  await frameShown(1);
  await page.locator('[data-frame]').click();
  await page.keyboard.press('5');
  await list.getByRole('button', { name: 'blurred', pressed: true }).waitFor();
  await save();
  const { tags } = await stored();
  assert.deepEqual(
    tags.map(({ frame, label_id: id }) => `${frame} ${id}`).sort(),
    [`0 ${labels.cat.id}`, `0 ${labels.whisker.id}`, `1 ${labels.blurred.id}`].sort(),
  );
});

test('sets attributes with the keyboard, from object to object', async () => {
  const rectangle = (frame, points) => ({ type: 'rectangle', frame, label_id: labels.cat.id, points });
  const [coat, age, tame, note] = labels.cat.attributes;
  await open(
    { shapes: [rectangle(0, [20, 20, 80, 80]), rectangle(0, [220, 120, 280, 180]), rectangle(1, [30, 30, 90, 90])] },
    'Attributes',
  );
  const values = page.getByRole('list', { name: 'Values of coat' });
  await values.getByRole('button', { name: 'tabby', pressed: true }).waitFor();
  await page.getByText('1 of 2 on frame 0').waitFor();
  await page.keyboard.press('2');
  await values.getByRole('button', { name: 'black', pressed: true }).waitFor();
  await inspect(page, 'mode-attributes');
  await page.keyboard.press('ArrowDown');
  await page.getByLabel('age', { exact: true }).fill('7.4');
  await page.keyboard.press('ArrowDown');
  await page.getByRole('list', { name: 'Values of tame' }).waitFor();
  await page.keyboard.press('1');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.getByLabel('age', { exact: true }).inputValue(), '7');
  await page.getByLabel('age', { exact: true }).press('Tab');
  await page.getByText('2 of 2 on frame 0').waitFor();
  await page.getByLabel('age', { exact: true }).fill('99');
  await page.getByLabel('age', { exact: true }).press('Tab');
  await frameShown(1);
  await page.getByText('1 of 1 on frame 1').waitFor();
  await page.getByLabel('age', { exact: true }).press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.getByLabel('note', { exact: true }).fill('by the river');
  await page.keyboard.press('Tab');
  await page.getByText('There are no more objects').waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.getByText('2 of 2 on frame 0').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Next attribute' }).waitFor();
  await save();
  const { shapes } = await stored();
  const set = shapes.map(({ attributes }) => new Map(attributes.map(({ spec_id: id, value }) => [id, value])));
  assert.deepEqual(
    set.map((attributes) => [coat, age, tame, note].map(({ id }) => attributes.get(id))),
    [
      ['black', '7', 'true', ''],
      ['tabby', '20', 'false', ''],
      ['tabby', '1', 'false', 'by the river'],
    ],
  );
});

test('draws one shape on each frame, and says when the last one is done', async () => {
  await open({ shapes: [] }, 'Single shape');
  const click = async (x, y) => page.mouse.click(...(await canvas.onScreen(page, x, y)));
  await page.getByText('Draw on frame 0').waitFor();
  await page.getByRole('combobox', { name: 'Label' }).click();
  await page.getByRole('option', { name: 'face' }).click();
  await page.getByRole('combobox', { name: 'Shape' }).click();
  await page.getByRole('option', { name: 'polygon' }).click();
  await page.getByLabel('Number of points').fill('3');
  await click(40, 40);
  await click(140, 50);
  await inspect(page, 'mode-single-shape');
  await page.keyboard.press('Control+z');
  await click(120, 60);
  await click(60, 160);
  await frameShown(1);
  await save();
  await page.reload();
  await frameShown(1);
  await page.getByText('Draw on frame 1').waitFor();
  for (const [x, y] of [
    [200, 40],
    [240, 50],
    [220, 90],
  ])
    await click(x, y);
  await page.getByText('2 of 2 frames have an object.').waitFor();
  await page.getByRole('button', { name: 'Save all' }).click();
  await page.getByText('All changes saved').waitFor();
  const { shapes } = await stored();
  assert.deepEqual(
    shapes.map(({ frame, type, label_id: id }) => [frame, type, id]),
    [
      [0, 'polygon', labels.face.id],
      [1, 'polygon', labels.face.id],
    ],
  );
  canvas.near(shapes[0].points, [40, 40, 120, 60, 60, 160]);
});

test('paints a mask on each frame in the single shape mode', async () => {
  await open({ shapes: [] }, 'Single shape');
  await page.getByRole('combobox', { name: 'Shape' }).click();
  await page.getByRole('option', { name: 'mask' }).click();
  await page.getByRole('toolbar', { name: 'New mask' }).waitFor();
  await canvas.drag(page, [100, 100], [150, 100]);
  await page.keyboard.press('n');
  await frameShown(1);
  await page.getByRole('toolbar', { name: 'New mask' }).waitFor();
  await page.getByLabel('Go to the next frame after drawing').uncheck();
  await page.evaluate(() => globalThis.document.activeElement?.blur());
  for (const y of [60, 120]) {
    await canvas.drag(page, [100, y], [150, y]);
    await page.keyboard.press('n');
    await page.getByText('Unsaved changes').waitFor();
    await save();
  }
  const { shapes } = await stored();
  assert.deepEqual(
    shapes.map(({ frame, type }) => [frame, type]),
    [
      [0, 'mask'],
      [1, 'mask'],
      [1, 'mask'],
    ],
  );
});

test('keys are shortcuts again after a field was used, and change no label or attribute', async () => {
  const shape = { type: 'rectangle', frame: 0, label_id: labels.cat.id, points: [20, 20, 80, 80] };
  await open({ shapes: [shape] }, 'Standard');
  await page.getByRole('button', { name: /^cat.*rectangle/ }).click();
  const details = page.getByRole('region', { name: 'Selected object' });
  const choose = async (field, option) => {
    await field.click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const label = details.getByRole('combobox', { name: 'Label' });
  const next = page.getByRole('combobox', { name: 'Label of new objects' });
  const note = details.getByLabel('note');
  const uses = {
    'a label': () => choose(label, 'cat'),
    'a label with Esc': async () => {
      await label.click();
      await page.keyboard.press('Escape');
    },
    'the label of new objects': () => choose(next, 'face'),
    'the label of new objects by its name': async () => {
      await next.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('whisk');
      await page.getByRole('option', { name: 'whisker' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    },
    'a choice': () => choose(details.getByRole('combobox', { name: 'coat' }), 'black'),
    'a number with Enter': () => details.getByLabel('age').press('Enter'),
    'a text with Enter': async () => {
      await note.fill('AB');
      await note.press('Enter');
    },
    'a text with Esc': async () => {
      await note.fill('AB-12');
      await note.press('Escape');
    },
    'a text with a click on the image': async () => {
      await note.click();
      await page.mouse.click(...(await canvas.onScreen(page, 50, 50)));
    },
    'a search': async () => {
      await page.getByLabel('Search objects').click();
      await page.keyboard.press('Enter');
    },
    'the frame': () => page.getByLabel('Go to frame').press('Escape'),
    'a mode': () => choose(page.getByRole('combobox', { name: 'Mode' }), 'Standard'),
    'a checkbox': () => details.getByRole('checkbox', { name: 'tame' }).click(),
    'a switch': () => page.getByText('Shape', { exact: true }).click(),
    'a button': () => page.getByRole('button', { name: 'Tag', exact: true }).click(),
  };
  const attributesNow = async () => {
    await save();
    const { shapes, tags } = await stored();
    return { values: shapes.map(({ label_id: id, attributes }) => [id, attributes]), tags: tags.length };
  };
  for (const [name, use] of Object.entries(uses)) {
    await use();
    const before = await attributesNow();
    for (const key of ['Space', ...'abcdefgijkmnopqrsuvwxyz0123456789[]+-/', 'ArrowUp']) await page.keyboard.press(key);
    for (const key of ['Escape', 'Escape', 'Home']) await page.keyboard.press(key); // the tool, the selection, the frame
    assert.deepEqual(await attributesNow(), before, `after ${name}`);
    await page.getByRole('button', { name: /^cat.*rectangle/ }).click();
    await details.getByLabel('note').waitFor();
  }
  const [{ attributes }] = (await stored()).shapes;
  assert.equal(attributes.find(({ spec_id: id }) => id === labels.cat.attributes[3].id).value, 'AB-12');
});

test('opens jobs at the validation stage for review, where only issues are edited', async () => {
  const { taskId } = photoJob;
  const truth = await app.api('POST', '/jobs', {
    task_id: taskId,
    type: 'ground_truth',
    frame_selection_method: 'manual',
    frames: [0],
  });
  const rectangle = (points) => ({ type: 'rectangle', frame: 0, label_id: labels.cat.id, points });
  await app.api('PUT', `/jobs/${truth.id}/annotations`, { shapes: [rectangle([200, 100, 300, 200])] });
  await app.api('PUT', `/jobs/${jobId}/annotations`, { shapes: [rectangle([20, 20, 120, 120])] });
  await app.api('PATCH', `/jobs/${jobId}`, { stage: 'validation' });
  await page.goto(`/jobs/${jobId}`);
  await frameShown(0);
  await page.getByText('Annotations cannot be changed in this mode.').waitFor();
  const list = page.getByRole('list', { name: 'Objects' });
  await list.getByText('ground truth').waitFor();
  await inspect(page, 'mode-review');
  await page.getByLabel('Show ground truth').uncheck();
  await list.getByText('ground truth').waitFor({ state: 'detached' });

  await page.mouse.click(...(await canvas.onScreen(page, 70, 70)));
  await page.keyboard.press('Delete');
  assert.equal(await list.getByRole('button', { name: /^cat/ }).count(), 1);
  assert.equal(await page.getByRole('button', { name: 'Draw rectangle' }).count(), 0);

  await page.mouse.move(...(await canvas.onScreen(page, 250, 150)));
  await page.keyboard.press('n');
  const field = page.getByLabel('What is wrong here?');
  await field.fill('The second cat is missing.');
  await page.getByRole('button', { name: 'Create issue' }).click();
  await field.waitFor({ state: 'detached' }); // it has the text itself until then
  await page.getByText('The second cat is missing.').waitFor();
  const [issue] = (await app.api('GET', `/issues?job_id=${jobId}`)).results;
  canvas.near(issue.position, [250, 150]);
  assert.equal((await stored()).shapes.length, 1);

  await page.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: 'Standard' }).click();
  await page.getByRole('button', { name: 'Draw rectangle' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Draw rectangle' }).waitFor();
});

test('shows the keyframes of tracks, and goes to them with pointer and keyboard', async () => {
  const keyframe = (frame, points, outside = false) => ({ type: 'rectangle', frame, points, outside });
  const track = (label, shapes) => ({ label_id: label.id, frame: 0, shapes });
  await app.api('PUT', `/jobs/${jobId}/annotations`, {
    tracks: [
      track(labels.cat, [keyframe(0, [20, 20, 80, 80]), keyframe(1, [30, 30, 90, 90])]),
      track(labels.face, [keyframe(0, [120, 20, 180, 80]), keyframe(1, [120, 20, 180, 80], true)]),
    ],
  });
  await page.goto(`/jobs/${jobId}?mode=standard`);
  await frameShown(0);
  await page.getByRole('list', { name: 'Objects' }).getByText('cat').waitFor();
  await page.keyboard.press('Shift+k');
  const strip = page.getByRole('slider', { name: /^Keyframes of cat/ });
  await strip.waitFor();
  await inspect(page, 'job-keyframes');
  const { width, height } = await strip.boundingBox();
  await strip.click({ position: { x: width * 0.75, y: height / 2 } });
  await frameShown(1);
  assert.equal(await strip.getAttribute('aria-valuetext'), 'Frame 1, a keyframe');
  await page.keyboard.press('PageUp');
  await frameShown(0);
  await page.keyboard.press('ArrowRight');
  await frameShown(1);
  await page.getByRole('list', { name: 'Objects' }).getByText('cat').click();
  await page.evaluate(() => globalThis.document.activeElement?.blur());
  await page.keyboard.press('Shift+Home');
  await frameShown(0);
  await page.keyboard.press('Shift+End');
  await frameShown(1);
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Keyframes' }).getByRole('button', { name: /^face/ }).click();
  await strip.waitFor({ state: 'detached' });
  await page.getByRole('slider', { name: /^Keyframes of face/ }).waitFor();
});
