// Several people in one job: they see each other, and nobody overwrites the work of others without noticing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as canvas from './job-canvas.mjs';
import { near } from './job-canvas.mjs';
import { inspect, startApp } from './support.mjs';

const PASSWORD = 'stones piled high';

let app;
let jobId;
let labels;
/** The page of the administrator, who is in the job when it is opened. */
let ann;
/** The page of Norma, to whom the job is assigned. */
let norma;
let normaId;

before(async () => {
  app = await startApp();
  ({ jobId, labels } = await canvas.createPhotoJob(app));
  ann = await app.newPage({ width: 1360, height: 820 });
  norma = await app.newPage({ width: 1360, height: 820, loggedIn: false });
  await app.register(norma.context(), { username: 'norma', password: PASSWORD });
  [{ id: normaId }] = (await app.api('GET', '/users?search=norma')).results;
  await app.api('PATCH', `/jobs/${jobId}`, { assignee: normaId });
});

after(() => app?.stop());

const drag = (page, from, to) => canvas.drag(page, from, to);
const click = async (page, x, y) => page.mouse.click(...(await canvas.onScreen(page, x, y)));
const stored = async () => (await app.api('GET', `/jobs/${jobId}/annotations`)).shapes;
const others = (page, names) => page.getByRole('button', { name: `Also in this job: ${names}`, exact: true });
const draw = async (page, from, to) => {
  await page.getByRole('button', { name: 'Draw rectangle', exact: true }).click();
  await drag(page, from, to);
};
const rectangle = (points) => ({ type: 'rectangle', frame: 0, label_id: labels.cat.id, points });

/** Both open the job with these rectangles. */
async function openTogether(...boxes) {
  await app.api('PUT', `/jobs/${jobId}/annotations`, { shapes: boxes.map(rectangle) });
  for (const page of [ann, norma]) await canvas.openJob(page, jobId);
  await others(ann, 'norma').waitFor();
  await others(norma, app.username).waitFor();
}

test('people see who else is in the job, and who has left or whose tab was killed', async () => {
  await openTogether();
  await others(ann, 'norma').press('Enter');
  await ann.getByRole('dialog', { name: 'Also in this job: norma' }).getByText('norma').waitFor();
  await inspect(ann, 'job-people');
  await ann.keyboard.press('Escape');
  const third = await ann.context().newPage();
  await canvas.openJob(third, jobId);
  await others(ann, 'you (in another window) and norma').waitFor();
  await third.close({ runBeforeUnload: false }); // runs no code of the page
  await others(ann, 'norma').waitFor();
  await norma.goto('/');
  await others(ann, 'norma').waitFor({ state: 'detached' });
});

test('what others save appears at once, with who saved it and how much', async () => {
  await openTogether([50, 40, 150, 120]);
  await draw(ann, [200, 40], [300, 120]); // unsaved
  await click(norma, 100, 80);
  await drag(norma, [100, 80], [110, 90]);
  await draw(norma, [50, 160], [150, 240]);
  await canvas.save(norma);
  await ann.getByText('norma saved: 1 object created, 1 object changed.').waitFor();
  await ann.getByRole('button', { name: 'Save', exact: true }).waitFor();
  await canvas.save(ann);
  const shapes = await stored();
  assert.equal(shapes.length, 3);
  near(shapes[0].points, [60, 50, 160, 130]);
  near(shapes.at(-1).points, [200, 40, 300, 120]);
  assert.equal(await ann.getByRole('list', { name: 'Objects' }).getByRole('listitem').count(), 3);
});

test('labels that are created and deleted meanwhile are known at once', async () => {
  const { taskId, jobId: other, labels: own } = await canvas.createPhotoJob(app);
  const box = (label, points) => ({ ...rectangle(points), label_id: label });
  await app.api('PUT', `/jobs/${other}/annotations`, { shapes: [box(own.face.id, [50, 40, 150, 120])] });
  await canvas.openJob(ann, other);
  const objects = ann.getByRole('list', { name: 'Objects' });
  await objects.getByText('face').waitFor();
  await app.api('PATCH', `/tasks/${taskId}`, { labels: [{ name: 'paw' }] });
  const [paw] = (await app.api('GET', `/labels?task_id=${taskId}&search=paw`)).results;
  await app.api('PATCH', `/jobs/${other}/annotations?action=create`, { shapes: [box(paw.id, [200, 40, 300, 120])] });
  await objects.getByText('paw').waitFor();
  await app.api('DELETE', `/labels/${own.face.id}`);
  await objects.getByText('face').waitFor({ state: 'detached' });
  await ann.getByText(/saved: .*1 object deleted\./).waitFor();
});

test('objects that both have changed are shown next to each other, and saved only after the decision', async () => {
  await openTogether([50, 40, 150, 120], [200, 40, 300, 120], [50, 160, 150, 240]);
  for (const [x, y] of [
    [100, 80],
    [250, 80],
  ]) {
    await click(ann, x, y);
    await drag(ann, [x, y], [x + 10, y + 10]);
    await click(norma, x, y);
    await drag(norma, [x, y], [x + 40, y + 20]);
  }
  await click(ann, 100, 200);
  await drag(ann, [100, 200], [130, 200]); // nobody else changes it
  await canvas.save(norma);
  await ann.getByText('2 objects were also changed by somebody else.').waitFor();
  await ann.keyboard.press('Control+s');
  const dialog = ann.getByRole('dialog');
  await dialog.getByText('2 objects were changed by you and by somebody else').waitFor();
  near((await stored())[0].points, [90, 60, 190, 140]);
  near((await stored())[2].points, [80, 160, 180, 240]);
  await dialog.getByText('Changed by norma.').waitFor();
  await dialog.getByRole('img', { name: /^Theirs: cat #/ }).waitFor();
  const position = dialog.getByRole('row', { name: /^Position \(different\)/ });
  assert.match(await position.innerText(), /60, 50\s+90, 60/);
  await inspect(ann, 'job-conflict');
  await ann.keyboard.press('Escape'); // decide later
  await dialog.waitFor({ state: 'detached' });
  await ann.getByRole('button', { name: 'Decide' }).press('Enter');
  await dialog.getByText('1 of 2').waitFor();
  await dialog.getByRole('button', { name: 'Keep mine' }).press('Enter');
  await dialog.getByText('1 object was changed by you and by somebody else').waitFor();
  await ann.keyboard.press('Tab');
  await ann.keyboard.press('Enter'); // keep theirs
  await dialog.waitFor({ state: 'detached' });
  await ann.getByText('All changes saved').waitFor();
  const [first, second] = await stored();
  near(first.points, [60, 50, 160, 130]);
  near(second.points, [240, 60, 340, 140]);
});

test('an outline that is redrawn while somebody else saves the object does not overwrite their version', async () => {
  const outline = [50, 40, 150, 40, 150, 120, 50, 120];
  await app.api('PUT', `/jobs/${jobId}/annotations`, { shapes: [{ ...rectangle(outline), type: 'polygon' }] });
  await canvas.openJob(ann, jobId);
  await others(ann, 'norma').waitFor({ state: 'detached' });
  const [{ id }] = await stored();
  const move = (points) =>
    app.api('PATCH', `/jobs/${jobId}/annotations?action=update`, {
      shapes: [{ ...rectangle(points), type: 'polygon', id }],
    });
  const redraw = async () => {
    await ann.keyboard.press('Shift+N');
    for (const at of [
      [200, 200],
      [250, 200],
      [250, 250],
    ])
      await click(ann, ...at);
  };
  const conflict = ann.getByText('1 object was also changed by somebody else.');
  await click(ann, 100, 80);
  await redraw();
  await move([60, 50, 160, 50, 160, 130]);
  await conflict.waitFor();
  await ann.keyboard.press('Escape'); // nothing is redrawn, so their version is shown
  await conflict.waitFor({ state: 'detached' });
  await ann.getByText('All changes saved').waitFor();
  await redraw();
  await move([70, 60, 170, 60, 170, 140]);
  await conflict.waitFor();
  await ann.keyboard.press('n');
  await ann.keyboard.press('Control+s');
  const dialog = ann.getByRole('dialog');
  await dialog.getByText('1 object was changed by you and by somebody else').waitFor();
  near((await stored())[0].points, [70, 60, 170, 60, 170, 140]);
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await ann.getByText('All changes saved').waitFor();
  near((await stored())[0].points, [200, 200, 250, 200, 250, 250]);
});

test('all conflicts are settled at once, also after the page was opened again', async () => {
  await openTogether([50, 40, 150, 120], [200, 40, 300, 120]);
  for (const [x, y] of [
    [100, 80],
    [250, 80],
  ]) {
    await click(ann, x, y);
    await drag(ann, [x, y], [x + 10, y + 10]);
  }
  await app.api('PUT', `/jobs/${jobId}/annotations`, { shapes: [] });
  await ann.getByText('2 objects were also changed by somebody else.').waitFor();
  await canvas.openJob(ann, jobId);
  const dialog = ann.getByRole('dialog');
  await dialog.getByText('Deleted by you (in another window).').waitFor();
  assert.equal((await stored()).length, 0);
  await dialog.getByRole('button', { name: 'Keep all of mine' }).click();
  await ann.getByText('All changes saved').waitFor();
  near((await stored())[0].points, [60, 50, 160, 130]);
  assert.equal((await stored()).length, 2);
});

test('says that the job is assigned to somebody else or that its state has changed', async () => {
  await openTogether();
  await draw(norma, [50, 40], [150, 120]);
  await app.api('PATCH', `/jobs/${jobId}`, { state: 'in progress' });
  const notice = norma.getByRole('alert');
  await notice.getByText('The state of this job is now in progress. 1 change is not saved.').waitFor();
  await notice.getByRole('button', { name: 'Save now' }).click();
  await norma.getByText('All changes saved').waitFor();
  await draw(norma, [200, 40], [300, 120]);
  await app.api('PATCH', `/jobs/${jobId}`, { assignee: null });
  await notice.getByText('You can no longer view this job').waitFor();
  await notice.getByText(/1 change is not saved\. Your browser keeps them/).waitFor();
  await norma.getByRole('button', { name: 'Draw rectangle', exact: true }).waitFor({ state: 'detached' });
  await inspect(norma);
  await app.api('PATCH', `/jobs/${jobId}`, { assignee: normaId });
  await canvas.openJob(norma, jobId);
  await canvas.save(norma);
  assert.equal((await stored()).length, 2);
});

test('keeps unsaved changes for a download when the job is deleted', async () => {
  const doomed = await canvas.createPhotoJob(app);
  await canvas.openJob(ann, doomed.jobId);
  await draw(ann, [50, 40], [150, 120]);
  await app.api('DELETE', `/tasks/${doomed.taskId}`);
  await ann.getByRole('alert').getByText('This job was deleted').waitFor();
  const download = async () => {
    const downloading = ann.waitForEvent('download');
    await ann.getByRole('button', { name: 'Download unsaved changes' }).click();
    const chunks = await (await (await downloading).createReadStream()).toArray();
    const { shapes } = JSON.parse(Buffer.concat(chunks).toString());
    near(shapes[0].points, [50, 40, 150, 120]);
  };
  await download();
  await ann.getByRole('status').getByText('Not saved').waitFor(); // so the browser has stored it
  await ann.reload();
  await ann.getByText('Your browser has 1 unsaved change of this job').waitFor();
  await inspect(ann);
  await download();
  await ann.getByRole('button', { name: 'Discard' }).click();
  await ann.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await ann.getByText('Your browser has 1 unsaved change of this job').waitFor({ state: 'detached' });
});
