import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { bytes, ended, exported, sendAnnotations, unpacked, worked } from '../../support/given-exchange.js';
import { givenPhotos } from '../../support/given-media.js';
import { imageFile, zipOf } from '../../support/images.js';

interface ReadRequest {
  readonly status: string;
  readonly message: string;
  readonly report: {
    readonly error: string | null;
    readonly skipped: readonly { readonly kind: string; readonly name: string; readonly reason: string | null }[];
    readonly restore_url: string | null;
    readonly [key: string]: unknown;
  } | null;
}

const YOLO = { 'obj.names': Buffer.from('car\n'), 'obj_train_data/img_00.txt': Buffer.from('0 .5 .5 .5 .5\n') };

describe('the account of an import', () => {
  let app: TestApp;
  let owner: Person;
  let task: number;
  let job: number;
  let label: number;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    task = (await givenPhotos(app, owner, 2)).id;
    job = (await owner.http.get(`/api/jobs?task_id=${task}`)).body.results[0].id;
    label = (await owner.http.get(`/api/labels?task_id=${task}`)).body.results[0].id;
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    await app.db.query(sql`delete from background_request`);
    const shapes = [0, 1, 1].map((frame) => rectangle(label, frame));
    await owner.http.put(`/api/tasks/${task}/annotations`).send({ shapes }).expect(200);
  });

  const count = async (): Promise<number> =>
    (await owner.http.get(`/api/tasks/${task}/annotations`)).body.shapes.length;
  const newest = async (id: string): Promise<ReadRequest> => {
    const { body } = await owner.http
      .get(`/api/requests/${encodeURIComponent(id)}`)
      .set('Accept', 'application/vnd.cvat+json; version=2.2')
      .expect(200);
    return body as ReadRequest;
  };
  const send = async (
    files: Readonly<Record<string, Buffer>>,
    format: string,
    { object = `tasks/${task}`, ...query }: Readonly<Record<string, string>> = {},
  ): Promise<ReadRequest> => {
    const content = await zipOf(files);
    const asked = await sendAnnotations(owner, object, format, { name: 'a.zip', content }, query);
    return newest(String((await ended(app, owner, asked))['id']));
  };

  it('reports each file that the format does not have, with the reason', async () => {
    const { report } = await send(
      { ...YOLO, 'more.csv': Buffer.from('a,b'), 'README.md': Buffer.from('') },
      'YOLO 1.1',
    );
    expect(report).toMatchObject({
      format: 'YOLO 1.1',
      files: { read: 2, irrelevant: 1, ignored: 1 },
      skipped: [{ kind: 'file', name: 'more.csv', count: 1, location: null, reason: 'not a file of YOLO 1.1' }],
    });
  });

  it('tells clients without reports what was left out', async () => {
    const { message } = await send({ ...YOLO, 'more.csv': Buffer.from('a,b') }, 'YOLO 1.1');
    expect(message).toMatch(
      /^Not imported: file more\.csv: not a file of YOLO 1\.1\. The annotations before are kept in the history: revision \d+\.$/,
    );
  });

  it('says nothing about a file that is imported completely', async () => {
    const { message, report } = await send(YOLO, 'YOLO 1.1');
    expect({ message, skipped: report?.skipped }).toEqual({ message: '', skipped: [] });
  });

  it('changes nothing if it must be complete and is not', async () => {
    const files = { ...YOLO, 'more.csv': Buffer.from('a,b') };
    expect(await send(files, 'YOLO 1.1', { only_complete: 'true' })).toMatchObject({
      status: 'failed',
      message: 'The file cannot be imported completely: file more.csv: not a file of YOLO 1.1.\n',
      report: {
        shapes: 1,
        replaced: { shapes: 3 },
        revision: null,
        restore_url: null,
        skipped: [{ name: 'more.csv' }],
      },
    });
    expect(await count()).toBe(3);
  });

  it('replaces the annotations if it must be complete and is', async () => {
    expect(await send(YOLO, 'YOLO 1.1', { only_complete: 'true' })).toMatchObject({ status: 'finished' });
    expect(await count()).toBe(1);
  });

  it('counts what was replaced', async () => {
    const { report } = await send(YOLO, 'YOLO 1.1');
    expect(report?.['replaced']).toEqual({ tags: 0, shapes: 3, tracks: 0, intervals: 0 });
  });

  it('counts in a dry run what would be replaced, without a save to restore', async () => {
    const { report } = await send(YOLO, 'YOLO 1.1', { dry_run: 'true' });
    expect(report).toMatchObject({ replaced: { shapes: 3 }, revision: null, restore_url: null });
  });

  it.each(['tasks', 'jobs'])('names the URL that restores the annotations of %s before', async (kind) => {
    const { report } = await send(YOLO, 'YOLO 1.1', { object: kind === 'tasks' ? `tasks/${task}` : `jobs/${job}` });
    const { pathname, search } = new URL(report?.restore_url ?? '');
    expect(await count()).toBe(1);
    await owner.http.post(`${pathname}${search}`).expect(201);
    expect(await count()).toBe(3);
  });

  it.each([
    ['an empty archive', {}],
    ['a readme', { 'README.md': Buffer.from('x') }],
    ['a file of another format', { 'a.csv': Buffer.from('a,b\n') }],
    ['an empty file of the format', { 'gt/gt.txt': Buffer.alloc(0), 'Annotations/a.xml': Buffer.alloc(0) }],
  ])('keeps the annotations if there is only %s', async (_case, files) => {
    for (const format of ['PASCAL VOC 1.1', 'ImageNet 1.0', 'ICDAR Localization 1.0', 'MOT 1.1', 'YOLO 1.1'])
      expect([format, (await send(files as typeof YOLO, format)).status]).toEqual([format, 'failed']);
    expect(await count()).toBe(3);
  });

  it('keeps the annotations of a job, too', async () => {
    expect(await send({}, 'PASCAL VOC 1.1', { object: `jobs/${job}` })).toMatchObject({ status: 'failed' });
    expect(await count()).toBe(3);
  });

  it('keeps the annotations if everything would be skipped', async () => {
    const files = {
      ...YOLO,
      'obj_train_data/img_00.txt': Buffer.alloc(0),
      'obj_train_data/z.txt': Buffer.from('0 .5 .5 .5 .5'),
    };
    const { status, message } = await send(files, 'YOLO 1.1', { skip_unmatched: 'true' });
    expect([status, message]).toEqual([
      'failed',
      "Nothing in the file could be imported: there is no frame 'z' (obj_train_data/z.txt, line 1).\n",
    ]);
    expect(await count()).toBe(3);
  });

  it.each([
    ['lists without anything', '{"images":[],"categories":[],"annotations":[]}'],
    ['an image that is no frame', '{"images":[{"id":1,"file_name":"zzz.jpg"}],"categories":[],"annotations":[]}'],
  ])('keeps the annotations if a file says that there are none: %s', async (_, text) => {
    const { status, message } = await send({ 'a.json': Buffer.from(text) }, 'COCO 1.0');
    expect([status, message]).toEqual([
      'failed',
      'The file has no annotations, so the 3 existing ones were kept. To remove them, delete them.\n',
    ]);
    expect(await count()).toBe(3);
  });

  it('imports an export without annotations into a task without annotations', async () => {
    await owner.http.delete(`/api/tasks/${task}/annotations`).expect(204);
    const { body } = await exported(app, owner, `tasks/${task}`, { format: 'Cityscapes 1.0' });
    const asked = await sendAnnotations(owner, `tasks/${task}`, 'Cityscapes 1.0', { name: 'a.zip', content: body as Buffer }); // prettier-ignore
    expect((await ended(app, owner, asked))['status']).toBe('finished');
  });

  it.each([
    [
      'LabelMe 3.0',
      /^Check \[format docs\]\(http:\/\/.+\/help\/formats#labelme-30\)\. Dataset must contain a file: "\*\*\/\*\.xml"\.$/,
    ],
    [
      'KITTI 1.0',
      /^Check \[format docs\]\(http:\/\/.+\/help\/formats#kitti-10\)\. specific requirement information unavailable\. ./,
    ],
    [
      'Sly Point Cloud Format 1.0',
      /^Check \[format docs\]\(http:\/\/.+\/help\/formats#sly-point-cloud-format-10\)\. specific requirement information unavailable\./,
    ],
    ['COCO 1.0', /^Failed to find dataset\. ./],
  ])('begins with what CVAT says if %s finds no dataset', async (format, text) => {
    const files = { 'incorrect_file1.txt': Buffer.from('Some text'), 'incorrect_file2.txt': Buffer.from('Some text') };
    expect((await send(files, format)).message.trim()).toMatch(text);
  });

  it('names the format that a file looks like if it cannot be imported in another one', async () => {
    expect((await send(YOLO, 'MOT 1.1')).message).toMatch(/ The file looks like YOLO 1\.1\.\n$/);
  });

  it('recognizes the format in a dry run without one', async () => {
    const content = await zipOf(YOLO);
    const asked = await owner.http
      .post(`/api/tasks/${task}/annotations`)
      .query({ dry_run: 'true' })
      .attach('annotation_file', content, { filename: 'a.zip', contentType: 'application/zip' });
    const { report } = await newest(String((await ended(app, owner, asked))['id']));
    expect(report).toMatchObject({ error: null, format: 'YOLO 1.1', formats: ['YOLO 1.1'], shapes: 1 });
  });

  it('says in a dry run that it does not know the format', async () => {
    const content = await zipOf({ 'a.bin.txt': Buffer.from('text') });
    const asked = await owner.http
      .post(`/api/tasks/${task}/annotations`)
      .query({ dry_run: 'true' })
      .attach('annotation_file', content, { filename: 'a.zip', contentType: 'application/zip' });
    const { report } = await newest(String((await ended(app, owner, asked))['id']));
    expect(report).toMatchObject({
      error: expect.stringContaining('no annotations in a known format'),
      format: null,
      formats: [],
    });
  });

  it('requires a format except in dry runs', async () => {
    const content = await zipOf(YOLO);
    const { status, body } = await owner.http
      .post(`/api/tasks/${task}/annotations`)
      .attach('annotation_file', content, { filename: 'a.zip', contentType: 'application/zip' });
    expect([status, body]).toEqual([400, ["Unknown input format ''"]]);
  });

  it('reads JSON in a file with the name of an archive', async () => {
    const coco = {
      images: [{ id: 1, file_name: 'img_00.jpg' }],
      categories: [{ id: 1, name: 'car' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 1, 2, 2] }],
    };
    const file = { name: 'a.zip', content: Buffer.from(JSON.stringify(coco)) };
    const asked = await sendAnnotations(owner, `tasks/${task}`, 'COCO 1.0', file);
    expect((await ended(app, owner, asked))['status']).toBe('finished');
  });

  describe('of a resumable upload', () => {
    const uploaded = async (content: Buffer): Promise<void> => {
      const created = await owner.http
        .post(`/api/tasks/${task}/annotations/`)
        .set('Upload-Length', String(content.length))
        .set('Upload-Metadata', `filename ${Buffer.from('a.zip').toString('base64')}`);
      const { pathname } = new URL(created.headers['location'] ?? '');
      await owner.http
        .patch(pathname)
        .set('Upload-Offset', '0')
        .set('Content-Type', 'application/offset+octet-stream')
        .send(content)
        .expect(204);
    };
    const finished = async (query: Readonly<Record<string, string>>): Promise<ReadRequest> => {
      const asked = await owner.http
        .post(`/api/tasks/${task}/annotations/`)
        .query({ filename: 'a.zip', ...query })
        .set('Upload-Finish', '');
      expect(asked.status).toBe(202);
      await worked(app, owner, asked.body.rq_id);
      return newest(asked.body.rq_id);
    };

    it('keeps the file after dry runs for the import, which removes it', async () => {
      await uploaded(await zipOf(YOLO));
      await finished({ dry_run: 'true', format: 'MOT 1.1' });
      await finished({ dry_run: 'true' });
      await finished({ format: 'MOT 1.1', only_complete: 'true' });
      expect(await finished({ format: 'YOLO 1.1' })).toMatchObject({ status: 'finished', report: { shapes: 1 } });
      const folder = join(app.config.dataDir, 'imports');
      const lists = (await readdir(folder)).map((name) => readdir(join(folder, name)));
      expect((await Promise.all(lists)).flat()).toEqual([]);
    });
  });

  describe('of a dataset in a project', () => {
    const sent = async (files: Readonly<Record<string, Buffer>>, format: string): Promise<ReadRequest> => {
      const { body } = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] });
      const asked = await owner.http
        .post(`/api/projects/${body.id}/dataset/`)
        .query({ format })
        .attach('dataset_file', await zipOf(files), { filename: 'a.zip', contentType: 'application/zip' });
      return newest(String((await ended(app, owner, asked))['id']));
    };

    it('reports images and annotations that belong to no task', async () => {
      const image = await imageFile();
      const { report } = await sent(
        {
          ...YOLO,
          'obj_train_data/img_00.jpg': image,
          'obj_valid_data/b.txt': Buffer.from('0 .5 .5 .1 .1'),
          'elsewhere/c.jpg': image,
        },
        'YOLO 1.1',
      );
      expect(report).toMatchObject({ tasks: 1, shapes: 1 });
      expect(report?.skipped.map(({ name, reason }) => [name, reason])).toEqual([
        ['obj_valid_data/b.txt', "there are no images of the subset 'valid'"],
        ['elsewhere/c.jpg', 'not a file of YOLO 1.1'],
      ]);
    });
  });

  describe('of a backup', () => {
    const backup = async (): Promise<Record<string, Buffer>> => {
      const asked = await owner.http.post(`/api/tasks/${task}/backup/export`);
      const { result_url: url } = await ended(app, owner, asked);
      const { pathname, search } = new URL(String(url));
      const { body } = await owner.http.get(`${pathname}${search}`).buffer(true).parse(bytes);
      return { 'backup.zip': body as Buffer };
    };

    it('reports files that belong to no part of it', async () => {
      const { 'backup.zip': content = Buffer.alloc(0) } = await backup();
      const files = Object.fromEntries(await unpacked(app.config.dataDir, content));
      const archive = await zipOf({ ...files, 'annotations_old.json': Buffer.from('[]') });
      const asked = await owner.http.post('/api/tasks/backup').attach('task_file', archive, 'backup.zip');
      const { report } = await newest(String((await ended(app, owner, asked))['id']));
      expect(report?.skipped).toMatchObject([{ name: 'annotations_old.json', reason: 'not a file of a backup' }]);
    });

    it('fails if a task of a project is incomplete', async () => {
      const { 'backup.zip': content = Buffer.alloc(0) } = await backup();
      const files = Array.from(await unpacked(app.config.dataDir, content), ([path, file]) => [`task_1/${path}`, file]);
      const { 'task_1/task.json': _, ...others } = Object.fromEntries(files) as Record<string, Buffer>;
      const project = Buffer.from(JSON.stringify({ name: 'p', labels: [{ name: 'car' }], version: '1.0' }));
      const archive = await zipOf({ ...others, 'project.json': project });
      const asked = await owner.http.post('/api/projects/backup').attach('project_file', archive, 'backup.zip');
      expect((await ended(app, owner, asked))['message']).toContain('it contains no file task_1/task.json');
    });

    it('counts what was restored, and reports nothing for an own backup', async () => {
      const { 'backup.zip': content = Buffer.alloc(0) } = await backup();
      const asked = await owner.http.post('/api/tasks/backup').attach('task_file', content, 'backup.zip');
      const { message, report } = await newest(String((await ended(app, owner, asked))['id']));
      expect({ message, report }).toMatchObject({ message: '', report: { tasks: 1, shapes: 3, skipped: [] } });
    });
  });
});
