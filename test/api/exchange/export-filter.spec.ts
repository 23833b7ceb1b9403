import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { askForExport, ended, exported, unpacked } from '../../support/given-exchange.js';
import { givenPhotos, givenTask } from '../../support/given-media.js';

/** Values that are repeated in a query. */
type Repeated = Readonly<Record<string, string | string[]>>;

describe('filters of exports', () => {
  let app: TestApp;
  let owner: Person;
  let project: number;
  let task: number;
  let jobs: number[];
  let labels: Record<string, number>;

  /** A task of three jobs: cars on every frame, boats on even frames, and a track from the first frame to the last. */
  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    const made = await owner.http
      .post('/api/projects')
      .send({ name: 'p', labels: [{ name: 'car' }, { name: 'boat' }] });
    project = (made.body as { id: number }).id;
    task = (await givenPhotos(app, owner, 6, { project_id: project, segment_size: 2 })).id;
    await givenTask(owner, { project_id: project });
    const found = await owner.http.get(`/api/labels?project_id=${project}`).expect(200);
    labels = Object.fromEntries(
      (found.body.results as { name: string; id: number }[]).map(({ name, id }) => [name, id]),
    );
    const frames = [0, 1, 2, 3, 4, 5];
    const shapes = [
      ...frames.map((frame) => rectangle(labels['car'] ?? 0, frame)),
      ...[0, 2, 4].map((frame) => rectangle(labels['boat'] ?? 0, frame)),
    ];
    const keyframe = { type: 'rectangle', frame: 0, points: [0, 0, 4, 4], outside: false };
    const tracks = [{ frame: 0, label_id: labels['car'], shapes: [keyframe] }];
    await owner.http.put(`/api/tasks/${task}/annotations`).send({ shapes, tracks }).expect(200);
    const list = await owner.http.get(`/api/jobs?task_id=${task}&sort=id`).expect(200);
    jobs = (list.body.results as { id: number }[]).map(({ id }) => id);
    await owner.http.patch(`/api/jobs/${jobs[1]}`).send({ state: 'in progress' }).expect(200);
    await owner.http.patch(`/api/jobs/${jobs[2]}`).send({ state: 'completed' }).expect(200);
  });

  afterAll(() => app.close());

  beforeEach(() => app.db.query(sql`delete from background_request`));

  /** Number of boxes by image, and the classes. */
  const yolo = async (object: string, query: Repeated): Promise<Record<string, number | string>> => {
    const { body } = await exported(app, owner, object, { format: 'YOLO 1.1', ...query });
    const files = await unpacked(app.config.dataDir, body as Buffer);
    const counts = [...files]
      .filter(([path]) => path.includes('img_'))
      .map(([path, text]) => [path.slice(-6, -4), String(text).split('\n').filter(Boolean).length] as const);
    return { ...Object.fromEntries(counts), names: String(files.get('obj.names')).trim().replace('\n', ' ') };
  };

  it('keep annotations and labels by name', async () => {
    const names = 'boat';
    expect(await yolo(`tasks/${task}`, { label: 'boat' })).toEqual({ '00': 1, '01': 0, '02': 1, '03': 0, '04': 1, '05': 0, names }); // prettier-ignore
    expect(await yolo(`jobs/${jobs[0]}`, { label: ['boat', 'car'] })).toEqual({ '00': 3, '01': 2, names: 'car boat' });
  });

  it('keep frames and annotations of jobs by state, and end tracks where other jobs follow', async () => {
    const names = 'car boat';
    expect(await yolo(`tasks/${task}`, { job_state: 'new' })).toEqual({ '00': 3, '01': 2, names });
    expect(await yolo(`projects/${project}`, { job_state: ['new', 'completed'] })).toEqual({ '00': 3, '01': 2, '04': 3, '05': 2, names }); // prettier-ignore
    const query = { format: 'CVAT for video 1.1', job_state: ['new', 'completed'] } as unknown as Record<
      string,
      string
    >;
    const files = await unpacked(
      app.config.dataDir,
      (await exported(app, owner, `tasks/${task}`, query)).body as Buffer,
    );
    const boxes = [...String(files.get('annotations.xml')).matchAll(/<box frame="(\d)" keyframe="1" outside="(\d)"/g)];
    expect(boxes.map(([, frame, outside]) => `${frame} ${outside}`)).toEqual(
      expect.arrayContaining(['0 0', '4 1', '4 0']),
    );
  });

  it('keep frames whose annotations were saved after a revision', async () => {
    const { body } = await owner.http.get(`/api/tasks/${task}/annotations/revisions`).expect(200);
    const since = String(body.results[0].id);
    await owner.http
      .patch(`/api/jobs/${jobs[1]}/annotations?action=create`)
      .send({ shapes: [rectangle(labels['boat'] ?? 0, 3)] })
      .expect(200);
    expect(await yolo(`tasks/${task}`, { changed_since: since })).toEqual({ '03': 3, names: 'car boat' });
    const both = { changed_since: since, job_state: 'completed' };
    const request = await ended(
      app,
      owner,
      await askForExport(owner, `tasks/${task}`, { format: 'YOLO 1.1', ...both }),
    );
    expect(request).toMatchObject({ status: 'failed', message: expect.stringContaining('No job matches the filter') });
  });

  describe('by changes', () => {
    let changing: number;
    let car: number;

    beforeAll(async () => {
      changing = (await givenPhotos(app, owner, 6, { segment_size: 3 })).id;
      const found = await owner.http.get(`/api/labels?task_id=${changing}`).expect(200);
      car = found.body.results[0].id;
      const shapes = [0, 1, 2, 3, 4, 5].map((frame) => rectangle(car, frame));
      await owner.http.put(`/api/tasks/${changing}/annotations`).send({ shapes }).expect(200);
    });

    const lastRevision = async (): Promise<string> => {
      const { body } = await owner.http.get(`/api/tasks/${changing}/annotations/revisions`).expect(200);
      return String(body.results[0].id);
    };

    const save = async (action: string, body: object): Promise<{ shapes: { id: number }[]; tracks: object[] }> => {
      const saved = await owner.http.patch(`/api/tasks/${changing}/annotations?action=${action}`).send(body);
      if (saved.status !== 200) throw new Error(`not saved: ${saved.text}`);
      return saved.body;
    };

    const since = async (revision: string): Promise<string[]> =>
      Object.keys(await yolo(`tasks/${changing}`, { changed_since: revision })).filter((name) => name !== 'names');

    it('keep frames with added, updated and removed annotations', async () => {
      const revision = await lastRevision();
      const { body } = await owner.http.get(`/api/tasks/${changing}/annotations`).expect(200);
      const [first, , , fourth] = body.shapes as object[];
      await save('update', { shapes: [{ ...first, occluded: true }] });
      await save('delete', { shapes: [fourth] });
      await save('create', { tags: [{ label_id: car, frame: 5, attributes: [] }] });
      const { shapes } = await save('create', { shapes: [rectangle(car, 1)] });
      await save('delete', { shapes });
      const counts = await yolo(`tasks/${changing}`, { changed_since: revision });
      expect(counts).toEqual({ '00': 1, '03': 0, '05': 1, names: 'car' });
    });

    it('keep the frames where a changed track is or was visible', async () => {
      const before = await lastRevision();
      const keyframe = { type: 'rectangle', points: [0, 0, 4, 4], outside: false, attributes: [] };
      const at = (frame: number, more: object = {}): object => ({ ...keyframe, frame, ...more });
      const track = { frame: 0, label_id: car, attributes: [], shapes: [at(0), at(1, { outside: true })] };
      const { tracks } = await save('create', { tracks: [track] });
      const created = await lastRevision();
      expect(await since(before)).toEqual(['00']);
      await save('update', { tracks: [{ ...tracks[0], frame: 1, shapes: [at(1), at(2, { outside: true })] }] });
      expect(await since(created)).toEqual(['00', '01']);
      expect(await since(before)).toEqual(['01']);
    });

    it('keep all frames of changed jobs if the history does not reach back', async () => {
      const revision = await lastRevision();
      await save('create', { shapes: [rectangle(car, 4)] });
      await app.db.query(sql`delete from annotation_revision where id <= ${revision}`);
      expect(await since(revision)).toEqual(['03', '04', '05']);
    });
  });

  it.each([
    [{ job_state: 'done' }, { job_state: ['"done" is not a valid choice.'] }],
    [{ changed_since: 'yesterday' }, { changed_since: ['A valid integer is required.'] }],
  ])('reject %j', async (query, expected) => {
    const asked = await askForExport(owner, `tasks/${task}`, { format: 'YOLO 1.1', ...query });
    expect([asked.status, asked.body]).toEqual([400, expected]);
  });

  it('fail for labels that do not exist', async () => {
    const asked = await askForExport(owner, `tasks/${task}`, { format: 'YOLO 1.1', label: 'plane' });
    expect(await ended(app, owner, asked)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining("There is no label 'plane'"),
    });
  });
});
