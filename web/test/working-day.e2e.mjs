// A server in use: projects of several people, tasks in progress, a job in review. These are the screenshots of the README.
// Every page is checked as in the other tests.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTask } from './annotated-task.mjs';
import { showsTablesWhole } from './page-rules.mjs';
import { inspect, photo, startApp } from './support.mjs';

const PEOPLE = [
  ['marie', 'Marie', 'Tharp'],
  ['ada_l', 'Ada', 'Lovelace'],
  ['rachel', 'Rachel', 'Carson'],
];
const PROJECTS = ['Cats, eyes and whiskers', 'Deep sky survey', 'Launch pad cameras', 'Kitchen robot'];
/** Name, index of its project, photographs, number of completed jobs and of jobs in validation. */
const TASKS = [
  ['Training crew portraits', 2, ['astronaut', 'rocket'], [1, 1]],
  ['Lift-off, camera 4', 2, ['rocket', 'astronaut'], [2, 0]],
  ['Hubble field, north', 1, ['hubble-deep-field', 'retina', 'rocket'], [1, 1]],
  ['Cups from above', 3, ['coffee', 'chelsea'], [0, 1]],
  ['Raccoons at night', 0, ['raccoon', 'chelsea', 'coffee', 'retina'], [3, 1]],
  ['Close-ups of cats', 0, ['chelsea', 'raccoon', 'astronaut', 'coffee', 'rocket', 'retina'], [0, 0]],
];
const LABELS = [
  { name: 'cat', color: '#ff9f0a', type: 'polygon' },
  { name: 'eye', color: '#30d158', type: 'ellipse' },
  { name: 'nose', color: '#ff375f', type: 'polygon' },
  { name: 'whiskers', color: '#64d2ff', type: 'polyline' },
  { name: 'ear tip', color: '#bf5af2', type: 'points' },
  { name: 'close-up', color: '#ffd60a', type: 'tag' },
];

let app;
let page;
let jobId;

before(async () => {
  app = await startApp();
  const { api, url, username, password } = app;
  const { key } = await api('POST', '/auth/login', { username, password });
  const people = [];
  for (const [name, first, last] of PEOPLE) {
    const secret = 'stones piled high';
    const account = { username: name, first_name: first, last_name: last, email: `${name}@example.org` };
    people.push(await api('POST', '/auth/register', { ...account, password1: secret, password2: secret }));
  }
  const { results: users } = await api('GET', '/users?sort=id');
  const idOf = (name) => users.find((user) => user.username === name).id;
  const projects = [];
  for (const name of PROJECTS)
    projects.push(await api('POST', '/projects', { name, labels: LABELS.map((label) => ({ ...label })) }));
  for (const [at, [name, project, photos, [done, checked]]] of TASKS.entries()) {
    const more = { name, labels: undefined, project_id: projects[project].id, segment_size: photos.length > 4 ? 6 : 1 };
    const files = photos.map((each) => photo(`${each}.jpg`));
    const made = await createTask(api, { url, key }, files, more);
    const assignee = idOf(PEOPLE[at % PEOPLE.length][0]);
    await api('PATCH', `/tasks/${made.taskId}`, { assignee_id: assignee });
    const { results: jobs } = await api('GET', `/jobs?task_id=${made.taskId}&sort=id`);
    const ids = jobs.map(({ id }) => id);
    await api('PATCH', '/jobs', { ids, assignee, state: 'in progress' });
    if (done > 0) await api('PATCH', '/jobs', { ids: ids.slice(0, done), stage: 'acceptance', state: 'completed' });
    if (checked > 0) await api('PATCH', '/jobs', { ids: ids.slice(done, done + checked), stage: 'validation' });
    if (at === TASKS.length - 1) await annotate(ids[0], made.labels);
  }
  assert.equal(people.length, PEOPLE.length);
  page = await app.newPage({ width: 1360, height: 820 });
});

after(() => app?.stop());

/** Annotates a cat's face in a photograph of 451 x 300 pixels, and adds an issue. */
async function annotate(job, labels) {
  jobId = job;
  const shape = (label, type, points, rest = {}) => ({ label_id: labels[label].id, type, frame: 0, points, ...rest });
  const left = [252, 293, 150, 282, 90, 236, 50, 160, 40, 20, 110, 4, 190, 1, 300, 1];
  const right = [381, 23, 365, 71, 363, 114, 352, 168, 332, 228, 300, 276];
  await api('PUT', `/jobs/${job}/annotations`, {
    version: 0,
    tags: [{ label_id: labels['close-up'].id, frame: 0 }],
    tracks: [],
    shapes: [
      shape('cat', 'polygon', [...left, ...right]),
      shape('eye', 'ellipse', [172, 115, 213, 79], { z_order: 1 }),
      shape('eye', 'ellipse', [319, 130, 346, 104], { z_order: 1 }),
      shape('nose', 'polygon', [236, 228, 257, 223, 284, 232, 294, 234, 282, 249, 263, 266, 252, 249, 242, 238], {
        z_order: 1,
      }),
      shape('whiskers', 'polyline', [238, 222, 170, 232, 104, 254, 62, 276], { z_order: 2 }),
      shape('whiskers', 'polyline', [236, 232, 182, 254, 132, 284], { z_order: 2 }),
      shape('whiskers', 'polyline', [300, 252, 340, 268, 381, 286], { z_order: 2 }),
    ],
  });
  const issue = {
    job,
    frame: 0,
    position: [122, 70, 222, 160],
    message: 'The lid belongs to the eye: a little larger.',
  };
  const { id } = await api('POST', '/issues', issue);
  await api('POST', '/comments', { issue: id, message: 'True. I look at the other frames as well.' });
}
const api = (...call) => app.api(...call);

test('a job in review', async () => {
  await page.goto(`/jobs/${jobId}`);
  await page.locator('[data-frame="0"]').waitFor();
  await page.getByRole('button', { name: 'Filmstrip' }).click();
  await page.getByRole('tab', { name: /Issues/ }).click();
  await page.getByRole('button', { name: /Issue 1/ }).click();
  await page.getByText('True. I look at the other frames').waitFor();
  await inspect(page, 'job-review');
  await page.getByRole('tab', { name: /Objects/ }).click();
  await page.getByText('whiskers').first().waitFor();
  await inspect(page, 'job');
});

test('tasks in progress', async () => {
  await page.goto('/tasks');
  await page.getByRole('link', { name: 'Raccoons at night' }).waitFor();
  await inspect(page, 'tasks');
});

test('projects of several people', async () => {
  await page.goto('/projects');
  await page.getByRole('link', { name: 'Deep sky survey' }).waitFor();
  await inspect(page, 'projects');
});

test('jobs with the names of their tasks', async () => {
  await page.goto('/jobs');
  await page.getByRole('link', { name: 'Hubble field, north' }).first().waitFor();
  await page.getByLabel('Select all jobs on this page').check();
  await inspect(page, 'jobs');
  await page.setViewportSize({ width: 1024, height: 768 });
  await showsTablesWhole(page);
});

test('early requests of the job page are not repeated', async () => {
  const asked = [];
  const note = (request) => {
    // Once the page hears of other users, it asks whether its annotations are still current.
    if (request.headers()['if-none-match'] === undefined)
      asked.push(new URL(request.url()).pathname + new URL(request.url()).search);
  };
  page.on('request', note);
  await page.goto(`/jobs/${jobId}?frame=2`);
  await page.locator('[data-frame="2"]').waitFor();
  await page.getByText('No annotations on this frame').waitFor();
  page.off('request', note);
  const ahead = asked.filter((path) => /users\/self|labels|annotations|meta|type=chunk|\/api\/jobs\/\d+$/.test(path));
  assert.deepEqual(ahead, [...new Set(ahead)]);
  assert.equal(ahead.length, 6, ahead.join(' '));
});
