import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { askForExport, ended, exported, sendAnnotations, unpacked } from '../../support/given-exchange.js';
import { givenPhotos, givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, zipOf } from '../../support/images.js';

const FORMATS = ['Datumaro 3D 1.0', 'Kitti Raw Format 1.0', 'Sly Point Cloud Format 1.0'];
const header =
  '# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 1\nDATA ascii\n';
const CUBOID = [1, 2, 3, 0, 0, 0.5, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0];

describe('exports and imports of point clouds', () => {
  let app: TestApp;
  let owner: Person;
  let task: number;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    const archive = await zipOf({
      'pointcloud/one.pcd': Buffer.from(`${header}0 0 0\n`),
      'pointcloud/two.bin': Buffer.alloc(16),
      'related_images/one_pcd/front.png': await imageFile({ format: 'png' }),
    });
    task = await givenTask(owner);
    await sendFiles(owner, task, { 'clouds.zip': archive }).expect(202);
    expect((await processed(app, owner, task)).body.status).toBe('finished');
    const { body } = await owner.http.get(`/api/labels?task_id=${task}`).expect(200);
    const shape = { type: 'cuboid', frame: 1, label_id: body.results[0].id, points: CUBOID };
    await owner.http
      .put(`/api/tasks/${task}/annotations`)
      .send({ shapes: [shape] })
      .expect(200);
  });

  afterAll(() => app.close());

  beforeEach(() => app.db.query(sql`delete from background_request`));

  const shapesOf = async (id: number): Promise<{ frame: number; points: number[] }[]> =>
    [(await owner.http.get(`/api/tasks/${id}/annotations`).expect(200)).body]
      .flatMap(({ shapes, tracks }) => [...shapes, ...tracks])
      .map(({ frame, points }) => ({ frame, points }));

  it.each(FORMATS)('keep clouds, context images and annotations in %s', async (format) => {
    const { body } = await exported(app, owner, `tasks/${task}`, { format, save_images: 'true' });
    const files = await unpacked(app.config.dataDir, body as Buffer);
    const clouds = [...files.keys()].filter((path) => path.endsWith('.pcd'));
    expect(clouds.map((path) => path.split('/').at(-1))).toEqual(['one.pcd', 'two.pcd']);
    expect(String(files.get(clouds[1] ?? ''))).toContain('FIELDS x y z intensity');
    expect([...files.keys()].filter((path) => path.endsWith('.png'))).toHaveLength(1);
    const file = { name: 'a.zip', content: body as Buffer };
    expect(await ended(app, owner, await sendAnnotations(owner, `tasks/${task}`, format, file))).toMatchObject({
      status: 'finished',
    });
    expect(await shapesOf(task)).toEqual([{ frame: 1, points: CUBOID }]);

    const project = await owner.http.post('/api/projects').send({ name: format }).expect(201);
    const asked = await owner.http
      .post(`/api/projects/${project.body.id}/dataset/`)
      .query({ format })
      .attach('dataset_file', body as Buffer, 'a.zip');
    expect(await ended(app, owner, asked)).toMatchObject({ status: 'finished', message: '' });
    const { results } = (await owner.http.get(`/api/tasks?project_id=${project.body.id}`).expect(200)).body;
    expect(results).toMatchObject([{ dimension: '3d', size: 2 }]);
    const { frames } = (await owner.http.get(`/api/tasks/${results[0].id}/data/meta`).expect(200)).body;
    expect(frames).toMatchObject([
      { name: 'one.pcd', related_files: 1 },
      { name: 'two.pcd', related_files: 0 },
    ]);
    expect(await shapesOf(results[0].id)).toEqual([{ frame: 1, points: CUBOID }]);
  });

  it('fail in formats for images, except those of CVAT', async () => {
    const request = await ended(app, owner, await askForExport(owner, `tasks/${task}`, { format: 'COCO 1.0' }));
    expect(request).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('The format COCO 1.0 is for images, but the frames are point clouds.'),
    });
    const { body } = await exported(app, owner, `tasks/${task}`, { format: 'CVAT for images 1.1' });
    const file = { name: 'a.zip', content: body as Buffer };
    const asked = await sendAnnotations(owner, `tasks/${task}`, 'YOLO 1.1', file);
    expect(await ended(app, owner, asked)).toMatchObject({ status: 'failed' });
    expect(await shapesOf(task)).toHaveLength(1);
  });

  it('fail for images in formats for point clouds', async () => {
    const { id } = await givenPhotos(app, owner, 1);
    const request = await ended(app, owner, await askForExport(owner, `tasks/${id}`, { format: FORMATS[0] ?? '' }));
    expect(request).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('Select a format for images.'),
    });
  });
});
