import { sql } from '../../src/engines/sql/sql.js';
import type { TestApp } from './app.js';
import type { Person } from './given.js';
import { rectangle } from './given-annotations.js';
import { backupOf, restored } from './given-backup.js';
import { computedQuality, givenExample } from './given-quality.js';
import { annotate, merged, replicatedJobs } from './given-consensus.js';
import { ended, exported, sendAnnotations, worked } from './given-exchange.js';
import { givenPhotos } from './given-media.js';

const PASSWORD = 'a long enough Passw0rd';
const FORMAT = 'CVAT 1.1';

/**
 * Causes every event at least once over the API. A new event needs its step here.
 *
 * @param admin an administrator
 */
export async function liveThroughEverything(app: TestApp, admin: Person): Promise<void> {
  const account = await accounts(app, admin);
  const organization = await organizations(admin);
  admin.http.set('X-Organization', organization.slug);
  const project = await projects(admin);
  const task = await givenPhotos(app, admin, 2, { project_id: project });
  const job = await jobs(admin, task.id);
  await issues(admin, job);
  await exchange(app, admin, project, task.id);
  await admin.http.delete(`/api/tasks/${task.id}`).expect(204);
  await admin.http.delete(`/api/projects/${project}`).expect(204);
  await consensus(app, admin);
  await quality(app, admin);
  await automaticAnnotation(app, admin);
  await ended(app, admin, await admin.http.post('/api/events/export'));
  await memberships(admin);
  admin.http.set('X-Organization', '');
  await admin.http.delete(`/api/organizations/${organization.id}`).expect(204);
  await admin.http.delete(`/api/users/${account}`).expect(204);
}

/** @returns the id of an account that still exists at the end */
async function accounts(app: TestApp, admin: Person): Promise<number> {
  await app.http
    .post('/api/auth/register')
    .send({ username: 'newcomer', email: 'newcomer@example.org', password1: PASSWORD, password2: PASSWORD })
    .expect(201);
  const [row] = await app.db.query<{ id: number }>(sql`select id from app_user where username = 'newcomer'`);
  const id = row?.id ?? 0;
  await admin.http.patch(`/api/users/${id}`).send({ first_name: 'Finn', last_name: 'Fresh' }).expect(200);
  return id;
}

async function organizations(admin: Person): Promise<{ id: number; slug: string }> {
  const made = await admin.http.post('/api/organizations').send({ slug: 'acme', name: 'Acme' }).expect(201);
  const { id, slug } = made.body as { id: number; slug: string };
  await admin.http
    .patch(`/api/organizations/${id}`)
    .send({ description: 'We annotate', contact: { email: 'mail@example.org' } })
    .expect(200);
  return { id, slug };
}

async function projects(admin: Person): Promise<number> {
  const labels = [
    {
      name: 'car',
      color: '#2080c0',
      attributes: [{ name: 'make', mutable: false, input_type: 'text', default_value: 'none', values: [] }],
    },
  ];
  const made = await admin.http.post('/api/projects').send({ name: 'streets', labels }).expect(201);
  const { id } = made.body as { id: number };
  await admin.http.patch(`/api/projects/${id}`).send({ name: 'streets by day', assignee_id: admin.id }).expect(200);
  return id;
}

/** @returns the id of the first job of the task, which has annotations */
async function jobs(admin: Person, task: number): Promise<number> {
  const [{ id } = { id: 0 }] = (await admin.http.get(`/api/jobs?task_id=${task}`)).body.results as { id: number }[];
  await admin.http.patch(`/api/tasks/${task}`).send({ subset: 'train', assignee_id: admin.id }).expect(200);
  await admin.http.patch(`/api/jobs/${id}`).send({ stage: 'acceptance', state: 'completed' }).expect(200);
  const labels = await admin.http.get(`/api/labels?task_id=${task}`);
  const [label] = labels.body.results as { id: number }[];
  const shapes = [rectangle(label?.id ?? 0, 0, { points: [1, 1, 4, 5] })];
  await admin.http.put(`/api/jobs/${id}/annotations`).send({ shapes }).expect(200);
  return id;
}

async function issues(admin: Person, job: number): Promise<void> {
  const made = await admin.http
    .post('/api/issues')
    .send({ job, frame: 0, position: [1, 2, 3, 4], message: 'the wheel is missing' })
    .expect(201);
  const { id } = made.body as { id: number };
  await admin.http.patch(`/api/issues/${id}`).send({ resolved: true }).expect(200);
  const comment = await admin.http.post('/api/comments').send({ issue: id, message: 'there it is' }).expect(201);
  const path = `/api/comments/${(comment.body as { id: number }).id}`;
  await admin.http.patch(path).send({ message: 'there it is, at frame 1' }).expect(200);
  await admin.http.delete(path).expect(204);
  await admin.http.delete(`/api/issues/${id}`).expect(204);
}

/** Exports and imports. */
async function exchange(app: TestApp, admin: Person, project: number, task: number): Promise<void> {
  const annotations = await exported(app, admin, `tasks/${task}`, {
    format: 'CVAT for images 1.1',
    save_images: 'false',
  });
  const dataset = await exported(app, admin, `projects/${project}`, {
    format: 'CVAT for images 1.1',
    save_images: 'true',
  });
  const content = annotations.body as Buffer;
  const sent = await sendAnnotations(admin, `tasks/${task}`, FORMAT, { name: 'a.zip', content });
  await worked(app, admin, (sent.body as { rq_id: string }).rq_id);
  const into = await admin.http
    .post(`/api/projects/${project}/dataset/`)
    .query({ format: FORMAT })
    .attach('dataset_file', dataset.body as Buffer, { filename: 'd.zip', contentType: 'application/zip' })
    .expect(202);
  await worked(app, admin, (into.body as { rq_id: string }).rq_id);
  await restored(app, admin, 'tasks', await backupOf(app, admin, 'tasks', task));
}

/** Merges the replicas of a task, and those of one of its jobs, and compares them. */
async function consensus(app: TestApp, admin: Person): Promise<void> {
  const task = await givenPhotos(app, admin, 1, { consensus_replicas: 2 });
  const [job] = await replicatedJobs(app, task.id);
  for (const id of job?.replicas ?? []) await annotate(admin, id, {});
  await ended(app, admin, await admin.http.post(`/api/tasks/${task.id}/agreement`));
  await merged(app, admin, { task_id: task.id });
  await merged(app, admin, { job_id: job?.id });
  await admin.http.delete(`/api/tasks/${task.id}`).expect(204);
}

/** Computes the quality of a task. */
async function quality(app: TestApp, admin: Person): Promise<void> {
  const task = await givenExample(app, admin);
  await computedQuality(app, admin, { task_id: task.id });
  await admin.http.delete(`/api/tasks/${task.id}`).expect(204);
}

/** Annotates a task with a function that is not there any more. */
async function automaticAnnotation(app: TestApp, admin: Person): Promise<void> {
  const task = await givenPhotos(app, admin, 1);
  const id = `action=autoannotate&target=task&target_id=${task.id}`;
  await app.db.query(sql`
    insert into background_request (id, type, target, parameters, owner_id, task_id, base_url, created_date)
    values (${id}, 'autoannotate:task', 'task', '{"functionId": "gone"}', ${admin.id}, ${task.id}, 'http://localhost', now())`);
  await worked(app, admin, id);
  await admin.http.delete(`/api/tasks/${task.id}`).expect(204);
}

async function memberships(admin: Person): Promise<void> {
  const invited = await admin.http
    .post('/api/invitations')
    .send({ email: 'newcomer@example.org', role: 'worker' })
    .expect(201);
  const list = await admin.http.get('/api/memberships?filter={"==":[{"var":"user"},"newcomer"]}').expect(200);
  const [membership] = list.body.results as { id: number }[];
  await admin.http.patch(`/api/memberships/${membership?.id}`).send({ role: 'supervisor' }).expect(200);
  await admin.http.delete(`/api/invitations/${(invited.body as { key: string }).key}`).expect(204);
  await admin.http.delete(`/api/memberships/${membership?.id}`).expect(204);
}
