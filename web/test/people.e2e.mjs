// Accounts and organizations.
import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { after, before, test } from 'node:test';
import { createTask } from './annotated-task.mjs';
import { inspect, photo, startApp, until } from './support.mjs';

let app;
let page;

before(async () => {
  app = await startApp();
  page = await app.newPage();
});

after(() => app.stop());

test('a new account shows errors at its fields and is created', async () => {
  const other = await app.newPage({ loggedIn: false });
  await other.goto('/register');
  await other.getByLabel('Username').fill('marie');
  await other.getByLabel('Email').fill('marie@example.org');
  await other.getByRole('textbox', { name: 'Password', exact: false }).first().fill('password');
  await other.getByRole('textbox', { name: 'Confirm password' }).fill('password');
  await other.getByRole('button', { name: 'Create account' }).click();
  await other.getByText('This password is too common.').first().waitFor();
  await inspect(other);
  await other.getByRole('textbox', { name: 'Password', exact: false }).first().fill('stones piled high');
  await other.getByRole('textbox', { name: 'Confirm password' }).fill('stones piled high');
  await other.getByRole('button', { name: 'Create account' }).click();
  await other.getByRole('heading', { name: 'No projects yet' }).waitFor();
  await other.context().close();
});

test('profile, password and access tokens are managed', async () => {
  await page.goto('/account');
  await page.getByLabel('First name').fill('Ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Profile saved.').waitFor();
  await inspect(page);
  await page.getByRole('tab', { name: 'Password' }).click();
  await page.getByLabel('Current password').fill('not this one');
  await page
    .getByRole('textbox', { name: 'New password', exact: true })
    .or(page.getByLabel('New password').first())
    .first()
    .fill('stones piled high');
  await page.getByLabel('Confirm new password').fill('stones piled high');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('alert').first().waitFor();
  await inspect(page);
  await page.getByRole('tab', { name: 'Access tokens' }).click();
  await page.getByLabel('Name').fill('Nightly export');
  await page.getByRole('button', { name: 'Create token' }).click();
  const value = await page.getByTestId('secret').textContent();
  const answer = await fetch(`${app.url}/api/users/self`, { headers: { Authorization: `Bearer ${value}` } });
  assert.equal(answer.status, 200);
  await inspect(page, 'access-token');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Revoke Nightly export' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('You have no access tokens.').waitFor();
  const later = await fetch(`${app.url}/api/users/self`, { headers: { Authorization: `Bearer ${value}` } });
  assert.equal(later.status, 401);
});

test('an organization is created, and a member is invited, given a role and made its owner', async () => {
  await page.goto('/organizations');
  await inspect(page);
  await page.getByRole('link', { name: 'New organization' }).first().click();
  await page.getByLabel('Short name').fill('cairn-lab');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Cairn laboratory');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.getByRole('tab', { name: 'Invitations' }).click();
  await page.getByLabel('Email').fill('marie@example.org');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByText('marie is now a member.').waitFor();
  await inspect(page);
  await page.getByRole('tab', { name: 'Members' }).click();
  await page.getByRole('combobox', { name: 'Role of marie' }).click();
  await page.getByRole('option', { name: 'maintainer' }).click();
  await until(async () => {
    const { results } = await app.api('GET', '/memberships?org=cairn-lab');
    return results.some(({ user, role }) => user.username === 'marie' && role === 'maintainer');
  });
  await inspect(page, 'organization');
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Transfer ownership' }).click();
  await page.getByRole('combobox', { name: 'New owner' }).click();
  await page.getByRole('option', { name: 'marie' }).click();
  await page.getByRole('button', { name: 'Transfer', exact: true }).click();
  await page.getByText('The organization has a new owner.').waitFor();
  const { results } = await app.api('GET', '/organizations?slug=cairn-lab');
  assert.equal(results[0].owner.username, 'marie');
});

test('a person without an account joins with an invitation link, and cannot see the invitation without it', async () => {
  await page.goto('/organizations/1?show=invitations');
  for (const address of ['by.link@example.org', 'by.herself@example.org']) {
    await page.getByLabel('Email').fill(address);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('row').filter({ hasText: address }).waitFor();
  }
  const linkFor = async (address) => {
    const row = page.getByRole('row').filter({ hasText: address });
    await row.getByRole('button', { name: 'Copy link' }).click();
    await row.getByRole('button', { name: 'Copied' }).waitFor();
    return page.evaluate('navigator.clipboard.readText()');
  };
  const link = await linkFor('by.link@example.org');
  await inspect(page);
  const other = await app.newPage({ loggedIn: false });
  const makeAccount = async (name) => {
    await other.getByLabel('Username').fill(name);
    await other.getByRole('textbox', { name: 'Password', exact: false }).first().fill('stones piled high');
    await other.getByRole('textbox', { name: 'Confirm password' }).fill('stones piled high');
    await other.getByRole('button', { name: 'Create account' }).click();
  };
  await other.goto(link);
  assert.equal(await other.getByLabel('Email').inputValue(), 'by.link@example.org');
  await makeAccount('linked');
  await other.getByRole('link', { name: 'Cairn laboratory' }).waitFor();
  await other.context().clearCookies();
  await other.goto('/register');
  await other.getByLabel('Email').fill('by.herself@example.org');
  await makeAccount('herself');
  await other.getByRole('button', { name: 'Organization: Personal space' }).click();
  await other.getByRole('menuitem', { name: 'Organizations and invitations' }).click();
  await other.getByText('No organizations yet').waitFor();
  assert.equal(await other.getByRole('button', { name: 'Accept invitation to cairn-lab' }).count(), 0);
  await other.goto(await linkFor('by.herself@example.org'));
  const toLogin = await other.getByRole('link', { name: 'log in to accept it' }).getAttribute('href');
  await other.goto(new URL(toLogin, 'http://h').searchParams.get('next'));
  await other.getByRole('button', { name: 'Accept invitation to cairn-lab' }).click();
  await other.getByRole('button', { name: 'Switch to Cairn laboratory' }).click();
  // a worker gets projects, and makes none
  await other.getByText('Projects that are assigned to you').waitFor();
  assert.equal(await other.getByRole('link', { name: 'New project' }).count(), 0);
  await inspect(other);
  await other.context().close();
});

test('the app works in one organization at a time', async () => {
  await page.goto('/projects');
  await page.getByRole('button', { name: 'Organization: Cairn laboratory' }).click();
  await page.getByRole('menuitem', { name: 'Personal space' }).click();
  await page.getByRole('button', { name: 'Organization: Personal space' }).waitFor();
  await page.getByRole('button', { name: 'Organization: Personal space' }).click();
  await page.getByRole('menuitem', { name: 'Cairn laboratory' }).click();
  await page.goto('/projects/new');
  await page.getByLabel('Name').first().fill('Shared');
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { name: 'Shared' }).waitFor();
  const { results } = await app.api('GET', '/projects?org=cairn-lab');
  assert.deepEqual(
    results.map(({ name }) => name),
    ['Shared'],
  );
});

test('the assignee of a job sees only what they have permission for', async () => {
  const other = await app.newPage({ loggedIn: false });
  await app.register(other.context(), { username: 'pauline', password: 'stones piled high' });
  const { results: people } = await app.api('GET', '/users?search=pauline');
  const { url, username, password } = app;
  const { key } = await app.api('POST', '/auth/login', { username, password });
  const { jobId, taskId } = await createTask(app.api, { url, key }, [photo('chelsea.jpg')]);
  await app.api('PATCH', `/jobs/${jobId}`, { assignee: people[0].id });
  await other.goto('/jobs');
  await other.getByRole('combobox', { name: `State of job ${jobId}` }).click();
  await other.getByRole('option', { name: 'in progress' }).click();
  await other.getByLabel(`Select job ${jobId}`).check();
  const bar = other.getByRole('region', { name: 'Edit selected jobs' });
  await bar.getByRole('combobox', { name: 'State for selected jobs' }).waitFor();
  assert.equal(await bar.getByRole('combobox').count(), 1);
  assert.equal(await other.getByRole('combobox', { name: `Stage of job ${jobId}` }).count(), 0);
  assert.equal(await other.getByRole('combobox', { name: `Assignee of job ${jobId}` }).count(), 0);
  await inspect(other);
  await app.api('PATCH', `/tasks/${taskId}`, { assignee_id: people[0].id });
  await other.reload();
  await other.getByRole('combobox', { name: `Stage of job ${jobId}` }).click();
  await other.getByRole('option', { name: 'validation' }).click();
  await other.getByRole('link', { name: 'Photographs of animals' }).click();
  await other.getByRole('button', { name: 'Actions for Photographs of animals' }).click();
  await other.getByRole('menuitem', { name: 'Add ground truth job' }).waitFor();
  assert.equal(await other.getByRole('menuitem', { name: 'Delete' }).count(), 0);
  assert.equal((await app.api('GET', `/jobs/${jobId}`)).stage, 'validation');
  await other.context().close();
});

test('a link to an object of another organization switches to that organization', async () => {
  const { results: projects } = await app.api('GET', '/projects?org=cairn-lab');
  const { url, username, password } = app;
  const { key } = await app.api('POST', '/auth/login', { username, password });
  await app.api('PATCH', `/projects/${projects[0].id}`, { labels: [{ name: 'pebble' }] });
  const task = await app.api('POST', '/tasks?org=cairn-lab', { name: 'Pebbles', project_id: projects[0].id });
  const form = new FormData();
  form.set('image_quality', '70');
  form.set('client_files[0]', await openAsBlob(photo('coffee.jpg')), 'coffee.jpg');
  await fetch(`${url}/api/tasks/${task.id}/data`, {
    method: 'POST',
    headers: { Authorization: `Token ${key}` },
    body: form,
  });
  await page.getByRole('button', { name: 'Organization: Cairn laboratory' }).click();
  await page.getByRole('menuitem', { name: 'Personal space' }).click();
  await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
  await page.goto(`/tasks/${task.id}`);
  await page.getByRole('button', { name: 'Organization: Cairn laboratory' }).waitFor();
  await page.getByRole('link', { name: /^Job \d+$/ }).waitFor();
  const { results: jobs } = await app.api('GET', `/jobs?task_id=${task.id}`);
  const { results: labels } = await app.api('GET', `/labels?task_id=${task.id}`);
  const shape = { type: 'rectangle', frame: 0, points: [10, 10, 90, 90], label_id: labels[0].id };
  await app.api('PUT', `/jobs/${jobs[0].id}/annotations`, { shapes: [shape], tags: [], tracks: [] });
  await page.getByRole('button', { name: 'Organization: Cairn laboratory' }).click();
  await page.getByRole('menuitem', { name: 'Personal space' }).click();
  await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
  await page.goto(`/jobs/${jobs[0].id}`);
  await page.getByText('pebble').first().waitFor();
  await page.getByRole('button', { name: 'Organization: Cairn laboratory' }).waitFor();
});

test('an assignee who is not a member of the organization sees the job, its labels and its issues', async () => {
  const outsider = await workerNamed('odile');
  const { results: jobs } = await app.api('GET', '/jobs?org=cairn-lab');
  const [{ id: job }] = jobs;
  await app.api('PATCH', `/jobs/${job}`, { assignee: outsider.id });
  const issue = { job, frame: 0, position: [20, 20, 60, 60], message: 'Is this one round?' };
  await app.api('POST', '/issues?org=cairn-lab', issue);
  await outsider.page.goto('/jobs');
  await outsider.page.getByRole('combobox', { name: `State of job ${job}` }).click();
  await outsider.page.getByRole('option', { name: 'in progress' }).click();
  await until(async () => (await app.api('GET', `/jobs/${job}`)).state === 'in progress');
  assert.equal(await outsider.page.getByRole('combobox', { name: `Stage of job ${job}` }).count(), 0);
  await inspect(outsider.page);
  await outsider.page.getByRole('link', { name: `Job ${job}` }).click();
  await outsider.page.getByText('pebble').first().waitFor();
  await outsider.page.getByRole('tab', { name: /Issues/ }).click();
  await outsider.page.getByRole('button', { name: /Issue \d+/ }).click();
  await outsider.page.getByText('Is this one round?').first().waitFor();
  await outsider.page.reload(); // what is asked for ahead is the same
  await outsider.page.getByText('pebble').first().waitFor();
  await inspect(outsider.page);
  await outsider.page.context().close();
});

test('maintainers can open the next job of a task, whoever its assignee is', async () => {
  const { id: task } = (await app.api('GET', '/tasks?org=cairn-lab')).results[0];
  await app.api('POST', '/jobs', {
    type: 'ground_truth',
    task_id: task,
    frame_selection_method: 'manual',
    frames: [0],
  });
  const { results: jobs } = await app.api('GET', `/jobs?task_id=${task}&sort=id`);
  const marie = await app.newPage({ loggedIn: false });
  await marie.context().request.post('/api/auth/login', { data: { username: 'marie', password: 'stones piled high' } });
  await marie.goto(`/jobs/${jobs[0].id}`);
  await marie.getByRole('button', { name: 'Organization: Cairn laboratory' }).waitFor();
  await marie.getByRole('button', { name: 'Next job' }).click();
  await marie.waitForURL(`**/jobs/${jobs[1].id}`);
  await marie.context().close();
});

test('new tasks in a project are offered to users with permission', async () => {
  const worker = await workerNamed('walter');
  const project = await app.api('POST', '/projects?org=', { name: 'Handed over', labels: [{ name: 'stone' }] });
  await app.api('PATCH', `/projects/${project.id}`, { assignee_id: worker.id });
  await worker.page.goto(`/projects/${project.id}`);
  await worker.page.getByText('No tasks in this project yet').waitFor();
  await worker.page.getByRole('button', { name: 'Actions for Handed over' }).click();
  await worker.page.getByRole('menuitem', { name: 'Import dataset' }).waitFor(); // what may be done is known
  assert.equal(await worker.page.getByRole('link', { name: 'New task' }).count(), 0);
  await app.api('PATCH', `/users/${worker.id}`, { groups: ['user'] });
  await worker.page.reload();
  await worker.page.getByRole('link', { name: 'New task' }).first().waitFor();
  await worker.page.context().close();
});

test('a worker of an organization is told who can create projects, tasks, webhooks and cloud storages', async () => {
  const worker = await app.newPage({ loggedIn: false });
  await app.register(worker.context(), { username: 'wilma', password: 'stones piled high' });
  await app.api('POST', '/invitations?org=cairn-lab', { email: 'wilma@example.org', role: 'worker' });
  await worker.goto('/projects');
  await worker.getByRole('button', { name: 'Organization: Cairn laboratory' }).waitFor();
  for (const path of ['/projects/new', '/tasks/new', '/cloudstorages/new', '/webhooks/new']) {
    await worker.goto(path);
    await worker.getByRole('heading', { name: 'You do not have permission' }).waitFor();
    assert.equal(await worker.locator('main form').count(), 0, path);
  }
  await inspect(worker);
  await worker.context().close();
});

/** Registers a user of the group worker without an organization. @returns the ID of the user, and their page */
async function workerNamed(username) {
  const other = await app.newPage({ loggedIn: false });
  await app.register(other.context(), { username, password: 'stones piled high' });
  const { results } = await app.api('GET', `/users?search=${username}`);
  await app.api('PATCH', `/users/${results[0].id}`, { groups: ['worker'] });
  return { id: results[0].id, page: other };
}

test('input for a new organization and a new webhook is kept after a reload', async () => {
  await page.goto('/organizations/new');
  await page.getByLabel('Short name').fill('half-way');
  await page.reload();
  assert.equal(await page.getByLabel('Short name').inputValue(), 'half-way');
  await page.goto('/webhooks/new?target_url=https://example.org/hooks');
  await page.getByLabel('Description').fill('Half written');
  await page.getByRole('radio', { name: 'the whole organization' }).check();
  await page.reload();
  assert.equal(await page.getByLabel('Description').inputValue(), 'Half written');
  assert.equal(await page.getByLabel('Target URL').inputValue(), 'https://example.org/hooks');
  assert.ok(await page.getByRole('radio', { name: 'the whole organization' }).isChecked());
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('heading', { name: 'Webhook created' }).waitFor();
  await page.goto('/webhooks/new?target_url=https://example.org/hooks');
  assert.equal(await page.getByLabel('Description').inputValue(), '');
});

test('a project can be created with the keyboard alone', async () => {
  await page.goto('/projects');
  await page.getByRole('link', { name: 'Shared' }).waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'New project');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New project' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('By hand');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By hand' }).waitFor();
});

test('a new browser selects the organization with recent work, and an empty job list offers other organizations', async () => {
  const other = await app.newPage({ loggedIn: false });
  await app.register(other.context(), { username: 'berta', password: 'stones piled high' });
  const { results: people } = await app.api('GET', '/users?search=berta');
  await app.api('POST', '/organizations', { slug: 'quarry', name: 'Quarry' });
  await app.api('POST', '/organizations', { slug: 'other-one', name: 'Another one' });
  for (const slug of ['quarry', 'other-one'])
    await app.api('POST', `/invitations?org=${slug}`, { email: 'berta@example.org', role: 'worker' });
  const { url, username, password } = app;
  const { key } = await app.api('POST', '/auth/login', { username, password });
  const inQuarry = (method, path, body) => app.api(method, path === '/tasks' ? '/tasks?org=quarry' : path, body);
  const { jobId } = await createTask(inQuarry, { url, key }, [photo('chelsea.jpg')]);
  await app.api('PATCH', `/jobs/${jobId}`, { assignee: people[0].id });
  await other.goto('/');
  await other.getByRole('button', { name: 'Organization: Quarry' }).waitFor();
  await other.waitForURL('**/my-work');
  const start = other.getByRole('link', { name: `Start job ${jobId}` });
  await start.waitFor();
  await inspect(other);
  await start.click();
  await other.waitForURL(`**/jobs/${jobId}?frame=0`);
  await other.goto('/jobs');
  await other.getByRole('link', { name: `Job ${jobId}` }).waitFor();
  await other.getByRole('button', { name: 'Organization: Quarry' }).click();
  await other.getByRole('menuitem', { name: 'Personal space' }).click();
  await other.getByRole('button', { name: 'Organization: Personal space' }).waitFor();
  await other.reload();
  await other.getByRole('button', { name: 'Organization: Personal space' }).waitFor(); // what was selected stays
  await other.getByRole('link', { name: 'Jobs' }).click();
  await other.getByText('No jobs in your personal space').waitFor();
  await inspect(other);
  await other.getByRole('button', { name: 'Switch to Quarry' }).click();
  await other.getByRole('link', { name: `Job ${jobId}` }).waitFor();
  const { results: members } = await app.api('GET', '/memberships?org=quarry');
  const { id: membership } = members.find(({ user }) => user.username === 'berta');
  await app.api('DELETE', `/memberships/${membership}?org=quarry`);
  await other.goto('/projects');
  await other.getByRole('button', { name: /Organization: (Another one|Personal space)/ }).waitFor();
  await other.context().close();
});
