import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { exported, worked } from '../../support/given-exchange.js';
import { givenPhotos } from '../../support/given-media.js';
import { imageFile, zipOf } from '../../support/images.js';

const LABELS = [
  { name: 'car', attributes: [{ name: 'make', mutable: false, input_type: 'text', default_value: '', values: [] }] },
  { name: 'tree', attributes: [] },
];

interface Task {
  readonly id: number;
  readonly name: string;
  readonly subset: string;
  readonly size: number;
}

describe('imports of datasets into projects', () => {
  let app: TestApp;
  let owner: Person;
  let stranger: Person;
  let source: number;
  let target: number;

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    owner = await given.person();
    stranger = await given.person();
    source = await project(LABELS);
    for (const [index, subset] of ['train', 'valid'].entries()) {
      const { id } = await givenPhotos(app, owner, 3, { project_id: source });
      await owner.http.patch(`/api/tasks/${id}`).send({ subset });
      const [car, tree] = await labelsOf(source);
      await owner.http
        .put(`/api/tasks/${id}/annotations`)
        .send({
          shapes: [
            rectangle(car ?? 0, index, { points: [1, 1, 4, 5 + index] }),
            rectangle(tree ?? 0, 2, { points: [0, 0, 3, 3] }),
          ],
        })
        .expect(200);
    }
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    target = await project(LABELS);
    await app.db.query(sql`delete from background_request`);
    await app.db.query(sql`delete from outbox_event`);
  });

  const project = async (labels: object[]): Promise<number> =>
    (await owner.http.post('/api/projects').send({ name: 'p', labels })).body.id as number;
  const labelsOf = async (id: number): Promise<number[]> =>
    (await owner.http.get(`/api/labels?project_id=${id}&sort=name`)).body.results.map(
      (label: { id: number }) => label.id,
    );
  const tasks = async (id = target): Promise<Task[]> =>
    (await owner.http.get(`/api/tasks?project_id=${id}&sort=id`)).body.results as Task[];
  const send = (content: Buffer, format: string, name = 'dataset.zip', person = owner) =>
    person.http
      .post(`/api/projects/${target}/dataset/`)
      .query({ format })
      .attach('dataset_file', content, { filename: name, contentType: 'application/zip' });
  const imported = async (content: Buffer, format: string): Promise<Response> => {
    const sent = await send(content, format);
    expect(sent.body).toEqual({ rq_id: `action=import&target=project&target_id=${target}&subresource=dataset` });
    return worked(app, owner, sent.body.rq_id);
  };
  const media = async (): Promise<string[]> => (await readdir(join(app.config.dataDir, 'media'))).toSorted();

  it.each([
    ['COCO 1.0', 'COCO 1.0'],
    ['CVAT for images 1.1', 'CVAT 1.1'],
    ['YOLO 1.1', 'YOLO 1.1'],
  ])('recreate the tasks of an export in %s', async (out, back) => {
    const file = await exported(app, owner, `projects/${source}`, { format: out, save_images: 'true' });
    const { body } = await imported(file.body as Buffer, back);
    expect(body).toMatchObject({
      status: 'finished',
      message: '',
      operation: { type: 'import:dataset', target: 'project', project_id: target, task_id: null },
    });
    const made = await tasks();
    expect(made.map(({ name, subset, size }) => [name, subset, size])).toEqual([
      ['train', 'train', 3],
      ['valid', 'valid', 3],
    ]);
    const before = await tasks(source);
    const [cars, trees] = [await labelsOf(source), await labelsOf(target)];
    for (const [index, { id }] of made.entries()) {
      const theirs = (await owner.http.get(`/api/tasks/${before[index]?.id}/annotations`)).body.shapes as Shape[];
      const ours = (await owner.http.get(`/api/tasks/${id}/annotations`)).body.shapes as Shape[];
      const plain = (shapes: Shape[], labels: number[]) =>
        shapes.map(({ frame, label_id: label, points }) => [frame, labels.indexOf(label), points.map(Math.round)]);
      expect(plain(ours, trees)).toEqual(plain(theirs, cars));
      const frame = await owner.http.get(`/api/tasks/${id}/data?type=frame&number=2&quality=original`);
      const original = await owner.http.get(
        `/api/tasks/${before[index]?.id}/data?type=frame&number=2&quality=original`,
      );
      expect(frame.body).toEqual(original.body);
      expect((await owner.http.get(`/api/jobs?task_id=${id}`)).body.count).toBe(1);
    }
  });

  it.each([
    ['COCO 1.0', 'COCO 1.0', ['make']],
    ['CVAT for images 1.1', 'CVAT 1.1', ['make']],
    ['CVAT for video 1.1', 'CVAT 1.1', ['make']],
    ['YOLO 1.1', 'YOLO 1.1', []],
  ])('add the labels of an export in %s to a project without labels', async (out, back, attributes) => {
    const file = await exported(app, owner, `projects/${source}`, { format: out, save_images: 'true' });
    target = await project([]);
    expect((await imported(file.body as Buffer, back)).body).toMatchObject({ status: 'finished', message: '' });
    const { body } = await owner.http.get(`/api/labels?project_id=${target}&sort=id`);
    const labels = body.results as { id: number; name: string; color: string; attributes: { name: string }[] }[];
    expect(labels.map(({ name }) => name)).toEqual(['car', 'tree']);
    expect(labels.map((label) => label.attributes.map(({ name }) => name))).toEqual([attributes, []]);
    expect(labels[0]?.color).toMatch(/^#[0-9a-f]{6}$/);
    const made = await tasks();
    expect(made.map(({ subset }) => subset)).toEqual(['train', 'valid']);
    const { shapes, tracks } = (await owner.http.get(`/api/tasks/${made[0]?.id}/annotations`)).body as {
      shapes: Shape[];
      tracks: Shape[];
    };
    expect([...shapes, ...tracks].map(({ label_id: id }) => labels.findIndex((label) => label.id === id))).toEqual([
      0, 1,
    ]);
  });

  it('do not add labels to a project if they fail', async () => {
    target = await project([]);
    const archive = await zipOf({
      'images/default/a.jpg': await imageFile(),
      'annotations/instances_default.json': coco('c'.repeat(65)),
    });
    const { body } = await imported(archive, 'COCO 1.0');
    expect(body).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/^The labels of the dataset: .*no more than 64/),
    });
    expect((await owner.http.get(`/api/labels?project_id=${target}`)).body.count).toBe(0);
    expect(await tasks()).toEqual([]);
  });

  it('require labels in the project if the dataset has none', async () => {
    target = await project([]);
    const archive = await zipOf({
      'images/default/a.jpg': await imageFile(),
      'annotations/instances_default.json': Buffer.from('{"annotations": []}'),
    });
    expect((await imported(archive, 'COCO 1.0')).body.message).toContain('Add labels to the project first.');
  });

  interface Shape {
    readonly frame: number;
    readonly label_id: number;
    readonly points: number[];
  }

  it('record events for their tasks, jobs and annotations', async () => {
    const file = await exported(app, owner, `projects/${source}`, { format: 'COCO 1.0', save_images: 'true' });
    await app.db.query(sql`delete from outbox_event`);
    await imported(file.body as Buffer, 'COCO 1.0');
    const names = (await recordedEvents(app)).map(({ name }) => name);
    for (const name of ['create:task', 'create:job', 'update:annotations']) {
      expect(names.filter((each) => each === name)).toHaveLength(2);
    }
    expect(names).toContain('update:project');
  });

  it('match images and annotations of one task without subsets', async () => {
    const xml = `<annotations><image id="0" name="cam1/a.jpg" width="8" height="8">
      <box label="car" occluded="0" xtl="1" ytl="2" xbr="5" ybr="6"></box></image>
      <image id="1" name="b.jpg" width="8" height="8"></image></annotations>`;
    const archive = await zipOf({
      'images/cam1/a.jpg': await imageFile(),
      'images/b.jpg': await imageFile(),
      'annotations.xml': Buffer.from(xml),
    });
    expect((await imported(archive, 'CVAT 1.1')).body.message).toBe('');
    const made = await tasks();
    expect(made.map(({ name, subset, size }) => [name, subset, size])).toEqual([['default', '', 2]]);
    expect(await placed(made[0]?.id)).toEqual([['cam1/a.jpg', [1, 2, 5, 6]]]);
  });

  /** The name of the frame and the points of each shape. */
  const placed = async (id = 0): Promise<[string, number[]][]> => {
    const { frames } = (await owner.http.get(`/api/tasks/${id}/data/meta`)).body as { frames: { name: string }[] };
    const { shapes } = (await owner.http.get(`/api/tasks/${id}/annotations`)).body as {
      shapes: { frame: number; points: number[] }[];
    };
    return shapes.map(({ frame, points }) => [frames[frame]?.name ?? '', points]);
  };

  it('create a task for each folder of images in the layout of COCO 2017', async () => {
    const instances = (name: string, left: number): Buffer =>
      Buffer.from(
        JSON.stringify({
          categories: [{ id: 1, name: 'car' }],
          images: [{ id: 1, file_name: name }],
          annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [left, 1, 2, 2] }],
        }),
      );
    const archive = await zipOf({
      'coco/train2017/a.jpg': await imageFile(),
      'coco/train2017/z.jpg': await imageFile(),
      'coco/val2017/b.jpg': await imageFile(),
      'coco/annotations/instances_train2017.json': instances('z.jpg', 1),
      'coco/annotations/instances_val2017.json': instances('b.jpg', 2),
    });
    expect((await imported(archive, 'COCO 1.0')).body.message).toBe('');
    const made = await tasks();
    const subsets = await Promise.all(made.map(async ({ id, subset }) => [subset, await placed(id)]));
    expect(Object.fromEntries(subsets)).toEqual({
      train2017: [['z.jpg', [1, 1, 3, 3]]],
      val2017: [['b.jpg', [2, 1, 4, 3]]],
    });
  });

  it('create a task from images next to files of PASCAL VOC', async () => {
    const box = '<bndbox><xmin>2</xmin><ymin>2</ymin><xmax>5</xmax><ymax>5</ymax></bndbox>';
    const xml = `<annotation><filename>a.jpg</filename><object><name>car</name>${box}</object></annotation>`;
    const archive = await zipOf({ 'photos/a.jpg': await imageFile(), 'photos/a.xml': Buffer.from(xml) });
    expect((await imported(archive, 'PASCAL VOC 1.1')).body.message).toBe('');
    const made = await tasks();
    expect(await placed(made[0]?.id)).toEqual([['a.jpg', expect.any(Array)]]);
  });

  it('can be uploaded in chunks, too', async () => {
    const file = (await exported(app, owner, `projects/${source}`, { format: 'COCO 1.0', save_images: 'true' }))
      .body as Buffer;
    const path = `/api/projects/${target}/dataset/`;
    await owner.http.post(path).set('Upload-Start', '').expect(202);
    const name = Buffer.from('d.zip').toString('base64');
    const announced = await owner.http
      .post(path)
      .set({ 'Upload-Length': String(file.length), 'Upload-Metadata': `filename ${name}` });
    const { pathname } = new URL(announced.headers['location'] ?? '');
    expect(pathname.startsWith(path)).toBe(true);
    await owner.http
      .patch(pathname)
      .set({ 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' })
      .send(file)
      .expect(204);
    const sent = await owner.http.post(path).set('Upload-Finish', '').query({ format: 'COCO 1.0', filename: 'd.zip' });
    expect(sent.status).toBe(202);
    expect((await worked(app, owner, sent.body.rq_id)).body.status).toBe('finished');
    expect(await tasks()).toHaveLength(2);
  });

  const coco = (category: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        categories: [{ id: 1, name: category }],
        images: [{ id: 1, file_name: 'a.jpg', width: 8, height: 8 }],
        annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 1, 2, 2] }],
      }),
    );

  it.each([
    [
      'without images',
      async () => ({ 'annotations/instances_default.json': coco('car') }),
      'Failed to find dataset. The archive holds no images',
    ],
    ['with other files only', async () => ({ 'notes.txt': Buffer.from('x') }), 'Failed to find dataset. '],
    [
      'with a label that the project does not have',
      async () => ({ 'images/default/a.jpg': await imageFile(), 'annotations/instances_default.json': coco('ship') }),
      "there is no label 'ship'",
    ],
    [
      'with a broken image',
      async () => ({
        'images/default/a.jpg': (await imageFile()).subarray(0, 200),
        'annotations/instances_default.json': coco('car'),
      }),
      'a.jpg',
    ],
    [
      'with a second subset that is wrong',
      async () => ({
        'images/one/a.jpg': await imageFile(),
        'images/two/a.jpg': await imageFile(),
        'annotations/instances_one.json': coco('car'),
        'annotations/instances_two.json': Buffer.from('{'),
      }),
      'instances_two.json',
    ],
  ] as const)('%s leave nothing', async (_case, files, text) => {
    const before = await media();
    const { body } = await imported(await zipOf(await files()), 'COCO 1.0');
    expect(body.status).toBe('failed');
    expect(body.message).toContain(text);
    expect(await tasks()).toEqual([]);
    expect(await media()).toEqual(before);
    const folder = join(app.config.dataDir, 'imports');
    const left = await Promise.all((await readdir(folder)).map((name) => readdir(join(folder, name))));
    expect(left.flat()).toEqual([]);
  });

  it('name a label that a dataset defines twice', async () => {
    target = await project([]);
    const label = '<label><name>car</name><attributes></attributes></label>';
    const xml = `<annotations><meta><project><labels>${label}${label}</labels></project></meta></annotations>`;
    const archive = await zipOf({ 'images/a.jpg': await imageFile(), 'annotations.xml': Buffer.from(xml) });
    const { body } = await imported(archive, 'CVAT 1.1');
    expect(body.message).toContain("The dataset defines two labels called 'car'.");
  });

  it('reject invalid requests', async () => {
    const archive = await zipOf({ 'images/a.jpg': await imageFile() });
    expect((await send(archive, 'None')).status).toBe(400);
    const named = await send(archive, 'COCO 1.0', 'dataset.tar');
    expect([named.status, named.body]).toEqual([400, { dataset_file: ['Dataset file should be zip archive'] }]);
    const missing = await owner.http.post(`/api/projects/${target}/dataset?format=COCO%201.0`);
    expect([missing.status, missing.body]).toEqual([400, { dataset_file: ['No file was submitted.'] }]);
    expect((await send(archive, 'COCO 1.0', 'a.zip', stranger)).status).toBe(403);
    expect((await owner.http.post('/api/projects/2000000000/dataset?format=COCO%201.0')).status).toBe(404);
  });
});
