import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { ended, exported, sendAnnotations } from '../../support/given-exchange.js';
import { givenPhotos } from '../../support/given-media.js';

const FORMAT = 'COCO 1.0';

/** A file with a known and an unknown image, label and attribute. */
const coco = (more: object = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      images: ['img_00.jpg', 'elsewhere.jpg'].map((file_name, at) => ({ id: at + 1, file_name })),
      categories: ['car', 'boat'].map((name, at) => ({ id: at + 1, name })),
      annotations: [
        { image_id: 1, category_id: 1, attributes: { colour: 'red' } },
        { image_id: 1, category_id: 2 },
        { image_id: 2, category_id: 1 },
      ].map((annotation, at) => ({ id: at + 1, bbox: [1, 1, 5, 5], ...annotation, ...more })),
    }),
  );

describe('reports of imports', () => {
  let app: TestApp;
  let owner: Person;
  let task: number;
  let before: unknown;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    task = (await givenPhotos(app, owner, 2)).id;
    const { body } = await owner.http.get(`/api/labels?task_id=${task}`);
    await owner.http
      .put(`/api/tasks/${task}/annotations`)
      .send({ shapes: [rectangle(body.results[0].id, 1)] })
      .expect(200);
    before = await annotations();
  });

  afterAll(() => app.close());

  beforeEach(() => app.db.query(sql`delete from background_request`));

  const annotations = async (): Promise<unknown> => {
    const { body } = await owner.http.get(`/api/tasks/${task}/annotations`).expect(200);
    return body;
  };
  const send = async (content: Buffer, query: Record<string, string> = {}, format = FORMAT) => {
    const asked = await sendAnnotations(owner, `tasks/${task}`, format, { name: 'a.json', content }, query);
    const request = await ended(app, owner, asked);
    expect(request).not.toHaveProperty('report');
    const { body } = await owner.http
      .get(`/api/requests/${encodeURIComponent(String(request['id']))}`)
      .set('Accept', 'application/vnd.cvat+json; version=2.2')
      .expect(200);
    return body as { status: string; message: string; report: Record<string, unknown> | null };
  };
  const skipped = [
    { kind: 'attribute', name: 'car/colour', count: 1, location: 'a.json, annotations[0]', reason: null },
    { kind: 'label', name: 'boat', count: 1, location: 'a.json, annotations[1]', reason: null },
    { kind: 'frame', name: 'elsewhere', count: 1, location: 'a.json, annotations[2]', reason: null },
  ];
  const created = { tasks: 0, frames: 1, tags: 0, shapes: 1, tracks: 0, labels: [{ name: 'car', count: 1 }] };

  it('list in a dry run everything that does not match, and nothing changes', async () => {
    const revisions = await app.db.query(sql`select count(*) from annotation_revision`);
    const events = await app.db.query(sql`select count(*) from outbox_event where name not like '%request%'`);
    expect(await send(coco(), { dry_run: 'true' })).toMatchObject({
      status: 'finished',
      message: '',
      report: { dry_run: true, error: null, ...created, skipped, unlisted: 0 },
    });
    expect(await annotations()).toEqual(before);
    expect(await app.db.query(sql`select count(*) from annotation_revision`)).toEqual(revisions);
    expect(await app.db.query(sql`select count(*) from outbox_event where name not like '%request%'`)).toEqual(events);
  });

  it('tell in a dry run why a file cannot be read', async () => {
    expect(await send(coco({ bbox: [1] }), { dry_run: '1' })).toMatchObject({
      status: 'finished',
      report: { error: 'a.json, annotations[0]: bbox does not have four numbers' },
    });
    expect(await send(coco(), { dry_run: '1' }, 'CVAT 1.1')).toMatchObject({
      report: { error: expect.stringContaining('no XML file'), formats: ['COCO 1.0'] },
    });
    expect(await annotations()).toEqual(before);
  });

  it('are missing if an import fails', async () => {
    const request = await send(coco());
    expect(request).toMatchObject({ status: 'failed', report: null });
    expect(request.message).toContain("there is no label 'boat'");
    expect(await annotations()).toEqual(before);
  });

  it('list what an import left out', async () => {
    expect(await send(coco(), { skip_unmatched: 'true' })).toMatchObject({
      status: 'finished',
      report: { dry_run: false, ...created, skipped },
    });
    expect(await annotations()).toMatchObject({ shapes: [{ frame: 0 }] });
  });

  it('reject options that are neither true nor false', async () => {
    const asked = await sendAnnotations(owner, `tasks/${task}`, FORMAT, { name: 'a.json', content: coco() }, { dry_run: 'x' }); // prettier-ignore
    expect([asked.status, asked.body]).toEqual([400, ["'dry_run' must be true or false"]]);
  });

  it('count the tasks that a dataset would create, whose images are removed again', async () => {
    const { body: archive } = await exported(app, owner, `tasks/${task}`, { format: FORMAT, save_images: 'true' });
    const project = await owner.http.post('/api/projects').send({ name: 'empty' }).expect(201);
    const folders = readdirSync(join(app.config.dataDir, 'media'));
    const asked = await owner.http
      .post(`/api/projects/${project.body.id}/dataset/`)
      .query({ format: FORMAT, dry_run: 'true' })
      .attach('dataset_file', archive as Buffer, 'a.zip');
    const { id } = await ended(app, owner, asked);
    const { body } = await owner.http
      .get(`/api/requests/${encodeURIComponent(String(id))}`)
      .set('Accept', 'application/vnd.cvat+json; version=2.2');
    expect(body).toMatchObject({ status: 'finished', report: { dry_run: true, error: null, tasks: 1, shapes: 1 } });
    expect((await owner.http.get(`/api/projects/${project.body.id}`)).body.tasks.count).toBe(0);
    expect((await owner.http.get(`/api/labels?project_id=${project.body.id}`)).body.count).toBe(0);
    expect(readdirSync(join(app.config.dataDir, 'media'))).toEqual(folders);
  });
});
