import { exportFormats, importFormats } from '../../../src/engines/annotations/formats/registry.js';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { askForExport, exported, unpacked, worked } from '../../support/given-exchange.js';
import { givenPhotos, givenTask } from '../../support/given-media.js';

const CVAT = 'CVAT for images 1.1';

describe('exports', () => {
  let app: TestApp;
  let owner: Person;
  let other: Person;
  let task: number;
  let job: number;
  let label: number;
  let photos: Record<string, Buffer>;

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    owner = await given.person();
    other = await given.person();
    const made = await givenPhotos(app, owner, 5, {}, {});
    task = made.id;
    photos = made.files;
    job = (await owner.http.get(`/api/jobs?task_id=${task}`)).body.results[0].id;
    label = (await owner.http.get(`/api/labels?task_id=${task}`)).body.results[0].id;
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    await app.db.query(sql`delete from background_request`);
    const saved = await owner.http.put(`/api/jobs/${job}/annotations`).send({ shapes: [rectangle(label, 1)] });
    expect(saved.status).toBe(200);
  });

  it('write the annotations of a task', async () => {
    const asked = await askForExport(owner, `tasks/${task}`, { format: CVAT });
    const id = `action=export&target=task&target_id=${task}&user_id=${owner.id}&format=CVAT_for_images_1~1&subresource=annotations`;
    expect([asked.status, asked.body]).toEqual([202, { rq_id: id }]);
    const { body } = await worked(app, owner, id);
    expect(body).toMatchObject({
      status: 'finished',
      message: '',
      operation: {
        type: 'export:annotations', target: 'task', project_id: null, task_id: task, job_id: null, format: CVAT,
      },
      result_url: expect.stringMatching(`/api/tasks/${task}/dataset/download\\?rq_id=${encodeURIComponent(id)}$`),
    }); // prettier-ignore
    expect(Date.parse(body.expiry_date) - Date.parse(body.finished_date)).toBe(86_400_000);
    const older = `export:task-${task}-annotations-in-CVAT_for_images_1@1-format-by-${owner.id}`;
    const same = await owner.http.get(`/api/requests/${encodeURIComponent(older)}`);
    expect([same.status, same.body.id]).toEqual([200, id]);
    await owner.http.get(`/api/tasks/${task}/dataset/download`).query({ rq_id: older }).expect(200);
  });

  it('are downloaded under the default name', async () => {
    const file = await exported(app, owner, `tasks/${task}`, { format: CVAT });
    expect(file.status).toBe(200);
    expect(file.headers['content-disposition']).toMatch(
      new RegExp(`^attachment; filename="task_${task}_annotations_(\\d+_){6}cvat for images 1\\.1\\.zip"$`),
    );
    expect(file.headers['content-length']).toBe(String((file.body as Buffer).length));
    const files = await unpacked(app.config.dataDir, file.body as Buffer);
    expect([...files.keys()]).toEqual(['annotations.xml']);
    const xml = files.get('annotations.xml')?.toString() ?? '';
    expect(xml).toMatch(/<image id="1" name="img_01.jpg"[^>]*>\s*<box label="car" source="manual"[^>]*xtl="1.00"/);
    expect(xml).toContain(`/api/jobs/${job}</url>`);
  });

  it('contain the original images if requested', async () => {
    const file = await exported(app, owner, `tasks/${task}`, { format: 'COCO 1.0', save_images: 'True' });
    const files = await unpacked(app.config.dataDir, file.body as Buffer);
    const images = [...files].filter(([name]) => name.startsWith('images/'));
    expect(images.map(([name, content]) => [name.split('/').at(-1), content])).toEqual(Object.entries(photos));
    expect(JSON.parse(files.get('annotations/instances_default.json')?.toString() ?? '')).toMatchObject({
      annotations: [{ image_id: 2, bbox: [1, 2, 29, 38.5] }],
    });
    expect(file.headers['content-disposition']).toMatch(`task_${task}_dataset_`);
  });

  it('leave out deleted frames', async () => {
    await owner.http
      .patch(`/api/tasks/${task}/data/meta`)
      .send({ deleted_frames: [1] })
      .expect(200);
    const file = await exported(app, owner, `tasks/${task}`, { format: CVAT });
    await owner.http.patch(`/api/tasks/${task}/data/meta`).send({ deleted_frames: [] }).expect(200);
    const xml = (await unpacked(app.config.dataDir, file.body as Buffer)).get('annotations.xml')?.toString() ?? '';
    expect(xml.match(/<image /g)).toHaveLength(4);
    expect(xml).not.toContain('<box');
  });

  it.each(['COCO 1.0', 'CVAT for video 1.1', CVAT, 'YOLO 1.1'])('of a job in %s', async (format) => {
    const file = await exported(app, owner, `jobs/${job}`, { format });
    expect((await unpacked(app.config.dataDir, file.body as Buffer)).size).toBeGreaterThan(0);
    expect(file.headers['content-disposition']).toMatch(`filename="job_${job}_annotations_`);
  });

  it('of a project contain all its tasks', async () => {
    const { body } = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] });
    for (const count of [1, 2]) await givenPhotos(app, owner, count, { project_id: body.id });
    const file = await exported(app, owner, `projects/${body.id}`, { format: 'COCO 1.0', save_images: 'true' });
    const files = await unpacked(app.config.dataDir, file.body as Buffer);
    expect([...files.keys()].filter((name) => name.startsWith('images/'))).toHaveLength(3);
  });

  it('use the requested name', async () => {
    const file = await exported(app, owner, `tasks/${task}`, { format: CVAT, filename: '../a/mine.zip' });
    expect(file.headers['content-disposition']).toBe('attachment; filename="mine.zip"');
  });

  it.each([
    [{}, 'Unknown format specified for the request'],
    [{ format: 'Nothing 1.0' }, 'Unknown format specified for the request'],
    [{ format: CVAT, location: 'foo' }, "The specified location 'foo' is not supported"],
    [{ format: CVAT, save_images: 'maybe' }, "'save_images' must be true or false"],
    [
      { format: CVAT, location: 'cloud_storage' },
      'Trying to use undefined cloud storage (cloud_storage_id was not provided)',
    ],
    [{ format: CVAT, location: 'cloud_storage', cloud_storage_id: '1' }, 'CloudStorage matching query does not exist.'],
  ])('reject %j', async (query, text) => {
    const asked = await askForExport(owner, `tasks/${task}`, query);
    expect([asked.status, asked.body]).toEqual([400, [text]]);
  });

  it('run once at a time, and can be repeated afterwards', async () => {
    const first = await askForExport(owner, `tasks/${task}`, { format: CVAT });
    const second = await askForExport(owner, `tasks/${task}`, { format: CVAT });
    expect([second.status, second.body]).toEqual([409, first.body]);
    expect((await askForExport(owner, `tasks/${task}`, { format: CVAT, save_images: 'true' })).status).toBe(202);
    await app.app.get(RequestWorker).drain();
    expect((await askForExport(owner, `tasks/${task}`, { format: CVAT })).status).toBe(202);
  });

  it.each(['tasks', 'jobs'])('of %s require permission to see them', async (kind) => {
    const id = kind === 'tasks' ? task : job;
    expect((await askForExport(other, `${kind}/${id}`, { format: CVAT })).status).toBe(403);
    expect((await askForExport(owner, `${kind}/999999`, { format: CVAT })).status).toBe(404);
    expect((await app.http.post(`/api/${kind}/${id}/dataset/export?format=${CVAT}`)).status).toBe(401);
  });

  it('of a task without data fail', async () => {
    const empty = await givenTask(owner);
    const asked = await askForExport(owner, `tasks/${empty}`, { format: CVAT });
    const { body } = await worked(app, owner, asked.body.rq_id);
    expect([body.status, body.message]).toEqual([
      'failed',
      'There is no data yet. Add images or a video to the task first.\n',
    ]);
    expect(body.result_url ?? null).toBeNull();
  });

  describe('downloads', () => {
    const download = (person: Person, id: string | undefined, of = task) =>
      person.http.get(`/api/tasks/${of}/dataset/download`).query(id === undefined ? {} : { rq_id: id });

    it('report what is wrong', async () => {
      const known = `action=export&target=task&target_id=${task}&user_id=${owner.id}&format=X&subresource=annotations`;
      expect((await download(owner, undefined)).body).toEqual(['Missing request id in the query parameters']);
      expect((await download(owner, 'nonsense')).body).toEqual(['Unexpected request id format']);
      const unknown = await download(owner, known);
      expect([unknown.status, unknown.text]).toEqual([400, 'Unknown export request id']);
      const { body } = await askForExport(owner, `tasks/${task}`, { format: CVAT });
      const early = await download(owner, body.rq_id);
      expect([early.status, early.text]).toEqual([400, 'The export process is not finished']);
    });

    it('can be downloaded by the requester only', async () => {
      await exported(app, owner, `tasks/${task}`, { format: CVAT });
      const [row] = await app.db.query<{ id: string }>(sql`select id from background_request`);
      expect((await download(other, row?.id)).status).toBe(403);
      expect((await download(owner, row?.id, task + 1)).status).toBe(400);
      expect((await download(owner, row?.id)).status).toBe(200);
    });

    it('expire with the export, and the file is deleted', async () => {
      await exported(app, owner, `tasks/${task}`, { format: CVAT });
      const [row] = await app.db.query<{ id: string; result_file: string }>(
        sql`select id, result_file from background_request`,
      );
      await app.db.query(sql`update background_request set expiry_date = '2020-01-01'`);
      const late = await download(owner, row?.id);
      expect([late.status, late.body]).toEqual([404, 'The exported file has expired, please retry exporting']);
      const folder = join(app.config.dataDir, 'exports');
      expect(await readdir(folder)).toContain(row?.result_file.split('/').at(-1));
      await app.app.get(RequestWorker).cleanUp();
      expect(await readdir(folder)).not.toContain(row?.result_file.split('/').at(-1));
      expect((await download(owner, row?.id)).text).toBe('Unknown export request id');
    });
  });

  it('exist for the formats that the server lists', async () => {
    const { body } = await owner.http.get('/api/server/annotation/formats');
    const names = (list: { name: string }[]): string[] => list.map(({ name }) => name);
    expect(names(body.exporters)).toEqual(exportFormats.names);
    expect(names(body.importers)).toEqual(importFormats.names);
    const cvat = body.importers.find(({ name }: { name: string }) => name === 'CVAT 1.1') as unknown;
    expect(cvat).toEqual({
      name: 'CVAT 1.1',
      ext: 'XML, ZIP',
      version: '1.1',
      enabled: true,
      dimension: '2d',
    });
  });
});
