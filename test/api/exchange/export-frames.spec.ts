import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { sharp } from '../../../src/engines/media/libvips.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { ended, exported, sendAnnotations, unpacked } from '../../support/given-exchange.js';
import { givenPhotos, givenTask, POOL, processed, sendFiles } from '../../support/given-media.js';
import { describeWithFfmpeg, numberedVideo, numberIn, VIDEO_HEIGHT, VIDEO_WIDTH } from '../../support/videos.js';

const shown = async (image: Buffer): Promise<number> => {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
  return numberIn(data, info.width, info.height, info.channels);
};

const IMAGES = 'CVAT for images 1.1';
const VIDEO = 'CVAT for video 1.1';

describe('frames of exports', () => {
  let app: TestApp;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  beforeEach(() => app.db.query(sql`delete from background_request`));

  const get = async <T>(path: string): Promise<T> => (await owner.http.get(path).expect(200)).body as T;
  const jobsOf = async (id: number): Promise<{ id: number; type: string }[]> =>
    (await get<{ results: { id: number; type: string }[] }>(`/api/jobs?task_id=${id}&sort=id&page_size=all`)).results;
  const filesOf = async (object: string, format: string, more: Record<string, string> = {}) =>
    unpacked(app.config.dataDir, (await exported(app, owner, object, { format, ...more })).body as Buffer);
  const xmlOf = async (object: string, format: string): Promise<string> =>
    (await filesOf(object, format)).get('annotations.xml')?.toString() ?? '';

  it('are those of the job that the XML describes', async () => {
    const { id } = await givenPhotos(
      app,
      owner,
      9,
      { segment_size: 3, overlap: 1 },
      { start_frame: 1, frame_filter: 'step=1' },
    );
    const jobs = await jobsOf(id);
    const sizes = [];
    for (const job of jobs) {
      const xml = await xmlOf(`jobs/${job.id}`, IMAGES);
      sizes.push(/<size>(\d+)<.*<start_frame>(\d+)<.*<stop_frame>(\d+)</s.exec(xml)?.slice(1).map(Number));
      expect(xml.match(/<image /g)).toHaveLength(sizes.at(-1)?.[0] ?? 0);
    }
    expect(sizes).toEqual([[3, 1, 3], [3, 3, 5], [3, 5, 7], [2, 7, 8]]); // prettier-ignore
    expect(await xmlOf(`tasks/${id}`, IMAGES)).toMatch(/<size>8<.*<start_frame>1<.*<stop_frame>8</s);
  });

  it('appear once in a task with honeypots', async () => {
    const { id } = await givenPhotos(app, owner, 6, { segment_size: 2 }, POOL);
    const names = (xml: string): string[] =>
      [...xml.matchAll(/<image id="\d+" name="([^"]+)"/g)].map(([, name = '']) => name);
    const images = names(await xmlOf(`tasks/${id}`, IMAGES));
    expect(images.toSorted((a, b) => a.localeCompare(b))).toEqual([0, 1, 2, 3, 4, 5].map((at) => `img_0${at}.jpg`));
    const files = await filesOf(`tasks/${id}`, 'COCO 1.0', { save_images: 'true' });
    expect([...files.keys()].filter((name) => name.startsWith('images/'))).toHaveLength(6);
    const [job] = await jobsOf(id);
    const layout = await get<{ honeypot_count: number }>(`/api/jobs/${job?.id}/validation_layout`);
    expect(layout.honeypot_count).toBe(1);
    expect(names(await xmlOf(`jobs/${job?.id}`, IMAGES))).toHaveLength(2);
  });

  it.each([
    [IMAGES, 'CVAT 1.1'],
    ['COCO 1.0', 'COCO 1.0'],
    ['YOLO 1.1', 'YOLO 1.1'],
  ])('of a validation pool are found by an import of %s', async (format, importer) => {
    const { id } = await givenPhotos(app, owner, 6, { segment_size: 2 }, POOL);
    const layout = await get<Record<'validation_frames' | 'honeypot_frames' | 'honeypot_real_frames', number[]>>(
      `/api/tasks/${id}/validation_layout`,
    );
    const [real = -1] = layout.validation_frames;
    const [label] = (await get<{ results: { id: number }[] }>(`/api/labels?task_id=${id}`)).results;
    const saved = await owner.http
      .put(`/api/tasks/${id}/annotations`)
      .send({ shapes: [rectangle(label?.id ?? 0, real)] });
    expect(saved.status).toBe(200);
    const framesOf = async (): Promise<number[]> =>
      (await get<{ shapes: { frame: number }[] }>(`/api/tasks/${id}/annotations`)).shapes.map(({ frame }) => frame);
    const before = await framesOf();
    expect(before).toEqual([
      ...layout.honeypot_frames.filter((_, at) => layout.honeypot_real_frames[at] === real),
      real,
    ]);
    const { body } = await exported(app, owner, `tasks/${id}`, { format });
    await owner.http.delete(`/api/tasks/${id}/annotations`).expect(204);
    const asked = await sendAnnotations(owner, `tasks/${id}`, importer, { name: 'a.zip', content: body as Buffer });
    expect(await ended(app, owner, asked)).toMatchObject({ status: 'finished', message: '' });
    expect(await framesOf()).toEqual(before);
  });

  it.each([IMAGES, VIDEO, 'COCO 1.0', 'YOLO 1.1'])('are empty for a project without data in %s', async (format) => {
    const made = await owner.http
      .post('/api/projects')
      .send({ name: 'none', labels: [{ name: 'car' }] })
      .expect(201);
    const { id } = made.body as { id: number };
    for (const save_images of ['false', 'true']) {
      const files = await filesOf(`projects/${id}`, format, { save_images });
      expect([...files.keys()].filter((name) => /image|train|test/.test(name))).toEqual([]);
      expect([...files.values()].join('\n')).toContain('car');
      await app.db.query(sql`delete from background_request`);
    }
    await givenTask(owner, { project_id: id });
    const withTask = await filesOf(`projects/${id}`, format);
    expect([...withTask.values()].join('\n')).toContain('car');
    expect([...withTask.keys()]).toEqual(
      { 'COCO 1.0': ['annotations/instances_default.json'], 'YOLO 1.1': ['obj.data', 'obj.names'] }[format] ?? [
        'annotations.xml',
      ],
    );
    await app.db.query(sql`delete from background_request`);
    await givenPhotos(app, owner, 2, { project_id: id });
    const withData = await filesOf(`projects/${id}`, 'COCO 1.0', { save_images: 'true' });
    expect([...withData.keys()].filter((name) => name.startsWith('images/'))).toHaveLength(2);
  });

  describeWithFfmpeg('of a video', () => {
    const COUNT = 30;
    let task: number;
    let project: number;

    beforeAll(async () => {
      const made = await owner.http
        .post('/api/projects')
        .send({ name: 'clips', labels: [{ name: 'car' }] })
        .expect(201);
      project = (made.body as { id: number }).id;
      task = await givenTask(owner, { project_id: project });
      await sendFiles(owner, task, { 'clip.mp4': numberedVideo({ frames: COUNT }) }, { frame_filter: 'step=3' }).expect(
        202,
      );
      expect((await processed(app, owner, task)).body.status).toBe('finished');
      const [job] = await jobsOf(task);
      const { results } = await get<{ results: { id: number }[] }>(`/api/labels?task_id=${task}`);
      await owner.http
        .put(`/api/jobs/${job?.id}/annotations`)
        .send({ shapes: [rectangle(results[0]?.id ?? 0, 2)] })
        .expect(200);
    });

    it.each([
      [IMAGES, 'images/frame_', '.PNG'],
      [VIDEO, 'images/frame_', '.PNG'],
      ['COCO 1.0', 'images/default/frame_', '.png'],
      ['YOLO 1.1', 'obj_train_data/frame_', '.png'],
    ])('are exported as images in %s', async (format, before, after) => {
      await owner.http
        .patch(`/api/tasks/${task}/data/meta`)
        .send({ deleted_frames: [4] })
        .expect(200);
      const files = await filesOf(`tasks/${task}`, format, { save_images: 'true' });
      await owner.http.patch(`/api/tasks/${task}/data/meta`).send({ deleted_frames: [] }).expect(200);
      const images = [...files].filter(([name]) => /png$/i.test(name));
      const numbers = [0, 3, 6, 9, 15, 18, 21, 24, 27];
      expect(images.map(([name]) => name)).toEqual(
        numbers.map((number) => `${before}${String(number).padStart(6, '0')}${after}`),
      );
      expect(await Promise.all(images.map(([, image]) => shown(image)))).toEqual(numbers);
    });

    it('are named like their images in COCO and YOLO', async () => {
      const coco = (await filesOf(`tasks/${task}`, 'COCO 1.0')).get('annotations/instances_default.json');
      expect(JSON.parse(String(coco)).images[1]).toMatchObject({
        file_name: 'frame_000003.png',
        width: VIDEO_WIDTH,
        height: VIDEO_HEIGHT,
      });
      const yolo = (await filesOf(`tasks/${task}`, 'YOLO 1.1')).get('train.txt');
      expect(String(yolo).split('\n')[1]).toBe('data/obj_train_data/frame_000003.png');
    });

    it.each(['tasks', 'projects', 'jobs'])('name their video in the XML of %s', async (kind) => {
      const [job] = await jobsOf(task);
      const id = { tasks: task, projects: project, jobs: job?.id }[kind];
      expect(await xmlOf(`${kind}/${id}`, VIDEO)).toMatch(
        /<\/original_size>\s*<source>clip\.mp4<\/source>\s*<\/(task|job)>/,
      );
    });

    it.each([
      [IMAGES, 'CVAT 1.1'],
      ['COCO 1.0', 'COCO 1.0'],
      ['YOLO 1.1', 'YOLO 1.1'],
    ])('become a task of images through an import of %s', async (format, importer) => {
      const { body } = await exported(app, owner, `projects/${project}`, { format, save_images: 'true' });
      const target = await owner.http.post('/api/projects').send({ name: 'copy', labels: [{ name: 'car' }] });
      const asked = await owner.http
        .post(`/api/projects/${target.body.id}/dataset/`)
        .query({ format: importer })
        .attach('dataset_file', body as Buffer, { filename: 'a.zip', contentType: 'application/zip' });
      expect(await ended(app, owner, asked)).toMatchObject({ status: 'finished', message: '' });
      const [made] = (await get<{ results: { id: number; size: number }[] }>(`/api/tasks?project_id=${target.body.id}`))
        .results;
      expect(made?.size).toBe(COUNT / 3);
      expect(await get(`/api/tasks/${made?.id}/annotations`)).toMatchObject({ shapes: [{ frame: 2 }] });
    });

    it('are a single image for a video with one frame', async () => {
      const single = await givenTask(owner);
      await sendFiles(owner, single, { 'one.mp4': numberedVideo({ frames: 1 }) }).expect(202);
      expect((await processed(app, owner, single)).body.status).toBe('finished');
      const files = await filesOf(`tasks/${single}`, IMAGES, { save_images: 'true' });
      expect([...files.keys()]).toEqual(['annotations.xml', 'images/frame_000000.PNG']);
    });
  });
});
