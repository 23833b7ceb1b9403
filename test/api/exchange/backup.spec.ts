import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { backupOf, restored } from '../../support/given-backup.js';
import { unpacked, worked } from '../../support/given-exchange.js';
import { givenPhotos, givenTask, POOL, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, zipOf } from '../../support/images.js';
import { describeWithFfmpeg, numberedVideo } from '../../support/videos.js';

const SVG =
  '<circle data-type="element node" data-element-id="1" data-node-id="1" data-label-name="head"></circle>' +
  '<circle data-type="element node" data-element-id="2" data-node-id="2" data-label-name="foot"></circle>';
const LABELS = [
  {
    name: 'car',
    color: '#aa00bb',
    attributes: [
      { name: 'parked', mutable: true, input_type: 'checkbox', default_value: 'false', values: ['false'] },
      { name: 'make', mutable: false, input_type: 'select', default_value: 'bmw', values: ['bmw', 'vw'] },
    ],
  },
  {
    name: 'person',
    type: 'skeleton',
    svg: SVG,
    sublabels: [
      { name: 'head', type: 'points', attributes: [] },
      { name: 'foot', type: 'points', attributes: [] },
    ],
  },
];

/** Removes what differs after a restore. */
const portable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, entry: unknown) =>
      ['id', 'url', 'label_id', 'spec_id', 'task_id', 'project_id', 'svg'].includes(key) ? undefined : entry,
    ),
  ) as unknown;

/** Archive writers reject names that lead out of the archive, so the name is changed in the finished archive. */
const withBadName = (archive: Buffer): Buffer =>
  Buffer.from(archive.toString('latin1').replaceAll('QQ/data', '../data'), 'latin1');

describe('backups', () => {
  let app: TestApp;
  let owner: Person;
  let stranger: Person;

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    owner = await given.person();
    stranger = await given.person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    await app.db.query(sql`delete from background_request`);
    await app.db.query(sql`delete from outbox_event`);
  });

  const get = async (path: string) => {
    const answer = await owner.http.get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body;
  };
  const labelsOf = async (query: string) => (await get(`/api/labels?${query}&page_size=all`)).results;
  const jobsOf = async (task: number) => (await get(`/api/jobs?task_id=${task}&sort=id&page_size=all`)).results;
  const stored = async (folder: string): Promise<string[]> => {
    const root = join(app.config.dataDir, folder);
    const lists = (await readdir(root)).map((name) => readdir(join(root, name)).catch(() => [name]));
    return (await Promise.all(lists)).flat();
  };

  /** A task with two jobs that share a frame, annotations of all types, a deleted frame and a guide with an image. */
  async function givenFull(): Promise<number> {
    const created = await owner.http
      .post('/api/tasks')
      .send({
        name: 'Street: A/B',
        bug_tracker: 'https://bugs.example/1',
        subset: 'train',
        labels: LABELS,
        segment_size: 4,
        overlap: 1,
      })
      .expect(201);
    const task: number = created.body.id;
    const entries = await Promise.all([0, 1, 2, 3, 4, 5].map(async (index) => [`d/img_${index}.jpg`, await imageFile({ red: index * 30 })] as const)); // prettier-ignore
    await sendFiles(owner, task, { 'frames.zip': await zipOf(Object.fromEntries(entries)) }, { chunk_size: 3 }).expect(
      202,
    );
    expect((await processed(app, owner, task)).body.status).toBe('finished');
    const [car, person] = await labelsOf(`task_id=${task}`);
    const spec = (name: string): number => car.attributes.find((known: { name: string }) => known.name === name).id;
    const [head, foot] = person.sublabels.map(({ id }: { id: number }) => id);
    const joint = { type: 'points', frame: 5, attributes: [] };
    const [first, second] = await jobsOf(task);
    const keyframe = (frame: number, more: object = {}) => ({ type: 'rectangle', frame, points: [frame, 1, frame + 9, 9], attributes: [], ...more }); // prettier-ignore
    await owner.http
      .put(`/api/jobs/${first.id}/annotations`)
      .send({
        tags: [{ frame: 0, label_id: car.id, group: 2, attributes: [] }],
        shapes: [
          { type: 'rectangle', frame: 1, label_id: car.id, points: [1.125, 2, 30, 40.5], rotation: 30, z_order: 4, group: 2, occluded: true, source: 'auto', score: 0.25, attributes: [{ spec_id: spec('make'), value: 'vw' }] }, // prettier-ignore
          { type: 'mask', frame: 2, label_id: car.id, points: [0, 3, 2, 3, 4, 3], attributes: [] },
          { type: 'ellipse', frame: 2, label_id: car.id, points: [10, 10, 20, 5], attributes: [] },
        ],
        tracks: [
          {
            frame: 0,
            label_id: car.id,
            attributes: [{ spec_id: spec('make'), value: 'vw' }],
            shapes: [
              keyframe(0, { attributes: [{ spec_id: spec('parked'), value: 'true' }] }),
              keyframe(3, { outside: true }),
            ],
          },
        ],
        intervals: [{ start: 0, stop: 2, label_id: car.id, attributes: [] }],
      }) // prettier-ignore
      .expect(200);
    await owner.http
      .put(`/api/jobs/${second.id}/annotations`)
      .send({
        shapes: [
          {
            type: 'skeleton',
            frame: 5,
            label_id: person.id,
            attributes: [],
            elements: [
              { ...joint, label_id: head, points: [1, 2] },
              { ...joint, label_id: foot, points: [3, 4], outside: true },
            ],
          },
        ],
        tracks: [
          {
            frame: 4,
            label_id: person.id,
            attributes: [],
            shapes: [{ type: 'skeleton', frame: 4, points: [], attributes: [] }],
            elements: [head, foot].map((label) => ({
              frame: 4,
              label_id: label,
              attributes: [],
              shapes: [{ type: 'points', frame: 4, points: [5, 5], attributes: [] }],
            })),
          },
        ],
      }) // prettier-ignore
      .expect(200);
    await owner.http.patch(`/api/jobs/${second.id}`).send({ stage: 'validation' }).expect(200);
    await owner.http
      .patch(`/api/tasks/${task}/data/meta`)
      .send({ deleted_frames: [4] })
      .expect(200);
    await givenGuide({ task_id: task });
    return task;
  }

  async function givenGuide(target: object): Promise<void> {
    const guide = (
      await owner.http
        .post('/api/guides')
        .send({ ...target, markdown: '' })
        .expect(201)
    ).body.id;
    const asset = await owner.http
      .post('/api/assets')
      .field('guide_id', String(guide))
      .attach('file', await imageFile({ format: 'png' }), 'look here.png')
      .expect(201);
    const markdown = `# Rules\n![so](/api/assets/${asset.body.uuid})`;
    await owner.http.patch(`/api/guides/${guide}`).send({ markdown }).expect(200);
  }

  async function expectSameTask(before: number, after: number): Promise<void> {
    const [old, fresh] = [await get(`/api/tasks/${before}`), await get(`/api/tasks/${after}`)];
    for (const key of ['name', 'bug_tracker', 'subset', 'size', 'mode', 'dimension', 'image_quality', 'segment_size', 'overlap', 'data_chunk_size', 'data_compressed_chunk_type', 'data_original_chunk_type', 'validation_mode', 'consensus_enabled']) expect([key, fresh[key]]).toEqual([key, old[key]]); // prettier-ignore
    expect(fresh.owner.id).toBe(owner.id);
    const [oldMeta, freshMeta] = [await get(`/api/tasks/${before}/data/meta`), await get(`/api/tasks/${after}/data/meta`)]; // prettier-ignore
    for (const key of ['frames', 'deleted_frames', 'size']) expect(freshMeta[key]).toEqual(oldMeta[key]);
    const [oldJobs, freshJobs] = [await jobsOf(before), await jobsOf(after)];
    const range = ({ type, status, start_frame: start, stop_frame: stop }: Record<string, unknown>) => [type, status, start, stop]; // prettier-ignore
    expect(freshJobs.map(range)).toEqual(oldJobs.map(range));
    for (const [index, { id, type }] of oldJobs.entries()) {
      if (type === 'consensus_replica') continue;
      const [was, is] = [await get(`/api/jobs/${id}/annotations`), await get(`/api/jobs/${freshJobs[index].id}/annotations`)]; // prettier-ignore
      expect(portable(is)).toEqual(portable(was));
    }
    expect(portable(await get(`/api/tasks/${after}/annotations`))).toEqual(portable(await get(`/api/tasks/${before}/annotations`))); // prettier-ignore
  }

  it('contain a complete task, and restore it unchanged', async () => {
    const task = await givenFull();
    const archive = await backupOf(app, owner, 'tasks', task);
    const files = await unpacked(app.config.dataDir, archive);
    expect([...files.keys()].filter((name) => !name.startsWith('assets/')).toSorted()).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => `data/d/img_${index}.jpg`).concat(['annotation_guide.md', 'annotations.json', 'data/manifest.jsonl', 'task.json']).toSorted(), // prettier-ignore
    );
    const manifest = JSON.parse(String(files.get('task.json')));
    expect(Object.keys(manifest)).toEqual(['name', 'bug_tracker', 'status', 'subset', 'consensus_replicas', 'labels', 'version', 'data', 'jobs']); // prettier-ignore
    expect(manifest).toMatchObject({
      name: 'Street: A/B',
      labels: [{ name: 'car', color: '#aa00bb' }, { name: 'person', svg: SVG, sublabels: [{ name: 'head' }, { name: 'foot' }] }],
      data: { chunk_size: 3, start_frame: 0, stop_frame: 5, deleted_frames: [4] },
      jobs: [{ type: 'annotation', start_frame: 0, stop_frame: 3 }, { type: 'annotation', status: 'validation', start_frame: 3, stop_frame: 5 }],
    }); // prettier-ignore
    const [first] = JSON.parse(String(files.get('annotations.json')));
    expect(first.shapes[0]).toMatchObject({ label: 'car', attributes: [{ name: 'make', value: 'vw' }], score: 0.25 });
    expect(JSON.stringify(first)).not.toMatch(/"(id|label_id|spec_id)"/);

    await app.db.query(sql`delete from outbox_event`);
    const { body } = await restored(app, owner, 'tasks', archive);
    expect(body).toMatchObject({
      status: 'finished',
      message: '',
      operation: { type: 'import:backup', target: 'task', project_id: null, task_id: null, job_id: null, format: null },
      result_id: expect.any(Number),
    });
    expect(body.id).toMatch(/^action=import&target=task&id=[0-9a-f-]{36}&subresource=backup$/);
    expect(Date.parse(body.expiry_date) - Date.parse(body.finished_date)).toBe(3_600_000);
    await expectSameTask(task, body.result_id);
    const skeleton = (await labelsOf(`task_id=${body.result_id}`))[1];
    expect(skeleton.svg).toBe(
      SVG.replace('data-label-name="head"', `data-label-id="${skeleton.sublabels[0].id}"`).replace('data-label-name="foot"', `data-label-id="${skeleton.sublabels[1].id}"`), // prettier-ignore
    );
    const { guide_id: guide } = await get(`/api/tasks/${body.result_id}`);
    const { markdown } = await get(`/api/guides/${guide}`);
    const [, uuid] = /\/api\/assets\/([0-9a-f-]+)/.exec(markdown) ?? [];
    expect(String(files.get('annotation_guide.md'))).not.toContain(uuid);
    expect((await owner.http.get(`/api/assets/${uuid}`)).headers['content-type']).toContain('image/png');
    const events = (await recordedEvents(app)).map(({ name }) => name);
    expect(events).toEqual(expect.arrayContaining(['create:task', 'create:job', 'update:annotations', 'completed:request[import:backup]'])); // prettier-ignore
    expect(await stored('imports')).toEqual([]);
  });

  it('contain a project with its tasks, except those without data', async () => {
    const project: number = (await owner.http.post('/api/projects').send({ name: 'Streets', labels: LABELS })).body.id;
    const tasks: number[] = [];
    for (const subset of ['train', 'valid']) {
      const { id } = await givenPhotos(app, owner, 2, { project_id: project });
      await owner.http.patch(`/api/tasks/${id}`).send({ subset }).expect(200);
      const [car] = await labelsOf(`project_id=${project}`);
      const shape = { type: 'rectangle', frame: 1, label_id: car.id, points: [1, 1, 5, subset.length], attributes: [] };
      await owner.http
        .put(`/api/tasks/${id}/annotations`)
        .send({ shapes: [shape] })
        .expect(200);
      tasks.push(id);
    }
    await givenTask(owner, { project_id: project });
    await givenGuide({ project_id: project });
    const archive = await backupOf(app, owner, 'projects', project);
    const files = await unpacked(app.config.dataDir, archive);
    expect([...files.keys()].filter((name) => name.endsWith('.json')).toSorted()).toEqual(['project.json', 'task_0/annotations.json', 'task_0/task.json', 'task_1/annotations.json', 'task_1/task.json']); // prettier-ignore
    const { body } = await restored(app, owner, 'projects', archive);
    expect(body).toMatchObject({ status: 'finished', operation: { type: 'import:backup', target: 'project', project_id: null } }); // prettier-ignore
    const fresh = await get(`/api/projects/${body.result_id}`);
    expect(fresh).toMatchObject({ name: 'Streets', guide_id: expect.any(Number), task_subsets: ['train', 'valid'] });
    expect(portable(await labelsOf(`project_id=${body.result_id}`))).toEqual(portable(await labelsOf(`project_id=${project}`))); // prettier-ignore
    const made = (await get(`/api/tasks?project_id=${body.result_id}&sort=id`)).results;
    expect(made).toHaveLength(2);
    for (const [index, task] of tasks.entries()) await expectSameTask(task, made[index].id);
  });

  it('restore validation frames', async () => {
    const pool = await givenPhotos(app, owner, 6, { segment_size: 3 }, POOL);
    const { body } = await restored(app, owner, 'tasks', await backupOf(app, owner, 'tasks', pool.id));
    expect(body).toMatchObject({ status: 'finished', message: '' });
    await expectSameTask(pool.id, body.result_id);
    const layout = await get(`/api/tasks/${pool.id}/validation_layout`);
    expect(await get(`/api/tasks/${body.result_id}/validation_layout`)).toEqual(layout);
    expect(layout.honeypot_count).toBeGreaterThan(0);
  });

  it('restore selected images, replicas and ground truth', async () => {
    const parameters = {
      start_frame: 1, frame_filter: 'step=2',
      'validation_params.mode': 'gt', 'validation_params.frame_selection_method': 'random_uniform', 'validation_params.frame_count': 2,
    }; // prettier-ignore
    const { id } = await givenPhotos(app, owner, 9, { segment_size: 2, consensus_replicas: 2 }, parameters);
    const { body } = await restored(app, owner, 'tasks', await backupOf(app, owner, 'tasks', id));
    expect(body).toMatchObject({ status: 'finished', message: '' });
    await expectSameTask(id, body.result_id);
    const layout = await get(`/api/tasks/${id}/validation_layout`);
    expect(await get(`/api/tasks/${body.result_id}/validation_layout`)).toEqual(layout);
  });

  it('restore replicas that old versions of CVAT list among the jobs', async () => {
    const { id } = await givenPhotos(app, owner, 2);
    const files = Object.fromEntries(await unpacked(app.config.dataDir, await backupOf(app, owner, 'tasks', id)));
    const manifest = JSON.parse(String(files['task.json'])) as Record<string, unknown>;
    const job = { status: 'annotation', start_frame: 0, stop_frame: 1 };
    const replica = { ...job, type: 'consensus_replica', status: 'completed' };
    const jobs = [{ ...job, type: 'annotation' }, replica, replica];
    const tagged = [0, 1, 1].map((frame) => ({ tags: [{ frame, label: 'car' }] }));
    const archive = await zipOf({
      ...files,
      'task.json': Buffer.from(JSON.stringify({ ...manifest, consensus_replicas: 2, jobs })),
      'annotations.json': Buffer.from(JSON.stringify(tagged)),
    });
    const { body } = await restored(app, owner, 'tasks', archive);
    expect(body).toMatchObject({ status: 'finished' });
    const found = await jobsOf(body.result_id);
    const tags = await Promise.all(found.map((one: { id: number }) => get(`/api/jobs/${one.id}/annotations`)));
    expect(found.map(({ type, state }: { type: string; state: string }) => [type, state])).toEqual([
      ['annotation', 'new'],
      ['consensus_replica', 'completed'],
      ['consensus_replica', 'completed'],
    ]);
    expect(tags.map((one) => one.tags)).toMatchObject([[{ frame: 0 }], [{ frame: 1 }], [{ frame: 1 }]]);
  });

  it('are named after their content', async () => {
    const { id } = await givenPhotos(app, owner, 1);
    const asked = await owner.http.post(`/api/tasks/${id}/backup/export`);
    const request = `action=export&target=task&target_id=${id}&user_id=${owner.id}&subresource=backup`;
    expect([asked.status, asked.body]).toEqual([202, { rq_id: request }]);
    expect((await owner.http.post(`/api/tasks/${id}/backup/export`)).status).toBe(409);
    const { body } = await worked(app, owner, request);
    expect(body).toMatchObject({ operation: { type: 'export:backup', target: 'task', task_id: id, format: null } });
    const { pathname, search } = new URL(body.result_url);
    expect(pathname).toBe(`/api/tasks/${id}/backup/download`);
    const answer = await owner.http.get(`${pathname}${search}`);
    expect(answer.headers['content-disposition']).toMatch(/filename="task_media_backup_\d{4}(_\d\d){5}\.zip"/);
    expect((await stranger.http.get(`${pathname}${search}`)).status).toBe(403);
  });

  it('reject invalid requests', async () => {
    const empty = await givenTask(owner);
    const { id } = await givenPhotos(app, owner, 1);
    const answers = [
      await owner.http.post(`/api/tasks/${empty}/backup/export`),
      await owner.http.post(`/api/tasks/${id}/backup/export?lightweight=maybe`),
      await owner.http.post(`/api/tasks/${id}/backup/export?location=moon`),
      await stranger.http.post(`/api/tasks/${id}/backup/export`),
      await owner.http.post('/api/tasks/backup'),
      await owner.http.post('/api/tasks/backup?filename=nothing.zip'),
      await owner.http.post('/api/projects/backup').field('project_file', 'text'),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, ['Backup of a task without data is not allowed']],
      [400, ["'lightweight' must be true or false"]],
      [400, ["The specified location 'moon' is not supported"]],
      [403, { detail: 'You do not have permission to perform this action.' }],
      [400, { task_file: ['No file was submitted.'] }],
      [400, ['No such file were uploaded']],
      [400, { project_file: ['No file was submitted.'] }],
    ]);
  });

  it('leave out annotations on frames that do not exist', async () => {
    const { id } = await givenPhotos(app, owner, 2);
    const [job] = await jobsOf(id);
    const [label] = await labelsOf(`task_id=${id}`);
    const tags = [0, 1].map((frame) => ({ frame, label_id: label.id, attributes: [] }));
    await owner.http.put(`/api/jobs/${job.id}/annotations`).send({ tags }).expect(200);
    await app.db.query(sql`update annotation_tag set frame = 7 where job_id = ${job.id} and frame = 1`);
    const { body } = await restored(app, owner, 'tasks', await backupOf(app, owner, 'tasks', id));
    const { tags: after } = await get(`/api/tasks/${body.result_id}/annotations`);
    expect(after).toMatchObject([{ frame: 0 }]);
  });

  it.each([
    ['projects', 'dataset', 'dataset/export'],
    ['projects', 'annotations', 'dataset/export'],
    ['projects', 'backup', 'backup/export'],
    ['tasks', 'dataset', 'dataset/export'],
    ['tasks', 'backup', 'backup/export'],
    ['jobs', 'dataset', 'dataset/export'],
  ])('replace GET %s/{id}/%s', async (kind, part, now) => {
    const task = await givenPhotos(app, owner, 1);
    const [job] = await jobsOf(task.id);
    const project = (await owner.http.post('/api/projects').send({ name: 'p' })).body.id;
    const id = { projects: project, tasks: task.id, jobs: job.id }[kind];
    const answer = await owner.http.get(`/api/${kind}/${id}/${part}`);
    expect([answer.status, answer.headers['content-type']]).toEqual([410, 'text/html; charset=utf-8']);
    expect(answer.text).toContain(`POST /api/${kind}/id/${now}`);
    expect((await stranger.http.get(`/api/${kind}/${id}/${part}`)).status).toBe(403);
  });

  it('no longer show their result through a parameter', async () => {
    expect((await owner.http.post('/api/tasks/backup?rq_id=x')).status).toBe(410);
  });

  describe('invalid backups', () => {
    let files: Record<string, Buffer>;

    beforeAll(async () => {
      const task = await givenPhotos(app, owner, 2, {});
      const archive = await backupOf(app, owner, 'tasks', task.id);
      files = Object.fromEntries(await unpacked(app.config.dataDir, archive));
    });

    const manifest = (): Record<string, unknown> => JSON.parse(String(files['task.json'])) as Record<string, unknown>;
    const changed = (change: object): Buffer => Buffer.from(JSON.stringify({ ...manifest(), ...change }));
    const job = { type: 'annotation', start_frame: 0, stop_frame: 1 };

    it.each<[string, () => Record<string, Buffer | undefined>, string]>([
      ['has no task', () => ({ 'task.json': undefined }), 'it contains no file task.json'],
      ['is no JSON', () => ({ 'task.json': Buffer.from('{') }), 'task.json: this is not JSON'],
      ['is a list', () => ({ 'task.json': Buffer.from('[]') }), 'task.json: this is not an object'],
      ['is made of brackets', () => ({ 'task.json': Buffer.from(`{"a": [${'[],'.repeat(2e6)}[]]}`) }), 'task.json: this is not a backup: it consists mostly of brackets or keys'], // prettier-ignore
      ['is of another version', () => ({ 'task.json': changed({ version: '7' }) }), 'task.json: {"version":'],
      ['has no name', () => ({ 'task.json': changed({ name: '' }) }), 'task.json: {"name":'],
      ['has no jobs', () => ({ 'task.json': changed({ jobs: [] }) }), 'task.json: there is no annotation job'],
      ['has a job that ends first', () => ({ 'task.json': changed({ jobs: [{ ...job, start_frame: 2 }] }) }), 'task.json: jobs[0] ends before it begins'],
      ['has too few images', () => ({ 'task.json': changed({ jobs: [{ ...job, stop_frame: 9 }] }) }), 'The jobs of the backup have 10 frames, its media 2'],
      ['has a job that is far too long', () => ({ 'task.json': changed({ jobs: [{ ...job, stop_frame: 2147483647 }] }) }), 'The jobs of the backup have 2147483648 frames, its media 2'],
      ['has jobs of frames that are not there', () => ({ 'task.json': changed({ jobs: [job, { ...job, type: 'ground_truth', frames: [7] }] }) }), 'task.json: the task has no frame 7'],
      ['has more replicas than it says', () => ({ 'task.json': changed({ consensus_replicas: 2, jobs: [{ ...job, replicas: [{}, {}, {}] }] }) }), 'task.json: jobs[0] has more than 2 replicas'],
      ['has replicas of a ground truth job', () => ({ 'task.json': changed({ consensus_replicas: 2, jobs: [job, { ...job, type: 'ground_truth', frames: [1], replicas: [{}] }] }) }), 'task.json: jobs[1] has more than 0 replicas'],
      ['has a replica in a state that does not exist', () => ({ 'task.json': changed({ consensus_replicas: 2, jobs: [{ ...job, replicas: [{ state: 'asleep' }] }] }) }), 'task.json: {"jobs":'],
      ['has annotations of replicas that it does not have', () => ({ 'replica_annotations.json': Buffer.from('[{}]') }), 'replica_annotations.json: there are annotations of more than 0 jobs'],
      ['has a wrong shape in a replica', () => ({ 'task.json': changed({ consensus_replicas: 2, jobs: [{ ...job, replicas: [{}, {}] }] }), 'replica_annotations.json': Buffer.from('[{},{"shapes":[{"frame":0,"label":"car","type":"rectangle","points":[1]}]}]') }), 'replica_annotations.json[1], shapes[0]: {"points":'],
      ['has more labels than a new task can have', () => ({ 'task.json': changed({ labels: Array.from({ length: 5001 }, (_, index) => ({ name: `l${index}` })) }) }), 'task.json: there are more than 5000 labels, attributes and points'],
      ['has more attributes than a new task can have', () => ({ 'task.json': changed({ labels: [0, 1].map((at) => ({ name: `l${at}`, attributes: Array.from({ length: 2600 }, (_, index) => ({ name: `a${index}`, mutable: false, input_type: 'text', values: [''] })) })) }) }), 'task.json: there are more than 5000 labels, attributes and points'],
      ['has no labels', () => ({ 'task.json': changed({ labels: [] }) }), 'task.json: there are no labels'],
      ['has a label twice', () => ({ 'task.json': changed({ labels: [{ name: 'car' }, { name: 'car' }] }) }), 'All label names must be unique'],
      ['has no annotations', () => ({ 'annotations.json': undefined }), 'contains no file annotations.json'],
      ['has annotations that are no list', () => ({ 'annotations.json': Buffer.from('{}') }), 'annotations.json: this is not JSON'],
      ['has an unknown label', () => ({ 'annotations.json': Buffer.from('[{"tags":[{"frame":0,"label":"ship"}]}]') }), "annotations.json[0], tags[0]: there is no label 'ship'"],
      ['has a wrong shape', () => ({ 'annotations.json': Buffer.from('[{"shapes":[{"frame":0,"label":"car","type":"rectangle","points":[1]}]}]') }), 'annotations.json[0], shapes[0]: {"points":'],
      ['has a shape on a frame that is not there', () => ({ 'annotations.json': Buffer.from('[{"shapes":[{"frame":2147483647,"label":"car","type":"rectangle","points":[1,2,3,4]}]}]') }), 'annotations.json[0], shapes[0]: {"frame":["Frame 2147483647 does not exist. The task has the frames 0 to 1."]}'],
      ['has a coordinate that is too large', () => ({ 'annotations.json': Buffer.from('[{"shapes":[{"frame":0,"label":"car","type":"rectangle","points":[1,2,3,1e308]}]}]') }), 'annotations.json[0], shapes[0]: {"points":'],
      ['has too many jobs annotated', () => ({ 'annotations.json': Buffer.from('[{},{}]') }), 'annotations.json: there are annotations of more than 1 jobs'],
      ['has no media', () => ({ 'data/img_00.jpg': undefined, 'data/img_01.jpg': undefined, 'data/manifest.jsonl': undefined }), 'The backup contains no media'],
      ['lacks an image', () => ({ 'data/img_01.jpg': undefined }), "'img_01.jpg' is not in the backup"],
      ['has a broken image', () => ({ 'data/img_01.jpg': Buffer.from('no image') }), "cannot identify image file 'img_01.jpg'"],
      ['leads out of its folder', () => ({ 'QQ/data/x.jpg': Buffer.from('x') }), "File name '../data/x.jpg' is not allowed"],
      ['has a guide with a program', () => ({ 'annotation_guide.md': Buffer.from('x'), 'assets/00000000-0000-4000-8000-000000000000/a.html': Buffer.from('<script>') }), 'This file type is not supported'],
    ])('because it %s, leave nothing behind', async (_, change, message) => {
      const before = await app.db.query(sql`select count(*) from task`);
      const media = await stored('media');
      const wanted = Object.entries({ ...files, ...change() }).flatMap(([name, content]) => (content === undefined ? [] : [[name, content] as const]));
      const archive = withBadName(await zipOf(Object.fromEntries(wanted)));
      const { body } = await restored(app, owner, 'tasks', archive);
      expect(body).toMatchObject({ status: 'failed', result_id: null });
      expect(body.message).toContain(message);
      expect(await app.db.query(sql`select count(*) from task`)).toEqual(before);
      expect(await stored('imports')).toEqual([]);
      expect(await stored('media')).toEqual(media);
    }); // prettier-ignore

    it('that are not archives are rejected with a message', async () => {
      const { body } = await restored(app, owner, 'tasks', Buffer.from('nothing'));
      expect(body.message).toContain('zipfile.BadZipFile: File is not a zip file');
    });
  });

  it('can be uploaded in chunks, too', async () => {
    const { id } = await givenPhotos(app, owner, 1);
    const archive = await backupOf(app, owner, 'tasks', id);
    expect((await owner.http.post('/api/tasks/backup/').set('Upload-Start', '')).status).toBe(202);
    const created = await owner.http
      .post('/api/tasks/backup/')
      .set('Upload-Length', String(archive.length))
      .set('Upload-Metadata', `filename ${Buffer.from('mine.zip').toString('base64')}`);
    expect(created.status).toBe(201);
    const { pathname } = new URL(created.headers['location'] ?? '');
    const sent = await owner.http
      .patch(pathname)
      .set('Upload-Offset', '0')
      .set('Content-Type', 'application/offset+octet-stream')
      .send(archive);
    expect(sent.status).toBe(204);
    expect((await stranger.http.head(pathname)).status).toBe(403);
    const finished = await owner.http
      .post('/api/tasks/backup/')
      .query({ filename: created.headers['upload-filename'] })
      .set('Upload-Finish', '');
    expect(finished.status).toBe(202);
    const { body } = await worked(app, owner, finished.body.rq_id);
    await expectSameTask(id, body.result_id);
  });

  describeWithFfmpeg('of videos', () => {
    it('contain the video as it was uploaded', async () => {
      const task = await givenTask(owner, { segment_size: 4, overlap: 1 });
      const video = numberedVideo({ frames: 20 });
      await sendFiles(owner, task, { 'a.mp4': video }, { start_frame: 2, stop_frame: 17, frame_filter: 'step=3' }).expect(202); // prettier-ignore
      expect((await processed(app, owner, task)).body.status).toBe('finished');
      const archive = await backupOf(app, owner, 'tasks', task);
      expect((await unpacked(app.config.dataDir, archive)).get('data/a.mp4')).toEqual(video);
      const { body } = await restored(app, owner, 'tasks', archive);
      expect(body).toMatchObject({ status: 'finished', message: '' });
      await expectSameTask(task, body.result_id);
      const numbers = ({ start_frame, stop_frame, frame_filter }: Record<string, unknown>) => [start_frame, stop_frame, frame_filter]; // prettier-ignore
      expect(numbers(await get(`/api/tasks/${body.result_id}/data/meta`))).toEqual(numbers(await get(`/api/tasks/${task}/data/meta`))); // prettier-ignore
    });
  });
});
