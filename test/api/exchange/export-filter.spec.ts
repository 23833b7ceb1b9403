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

  it('keep jobs whose annotations were saved after a revision', async () => {
    const { body } = await owner.http.get(`/api/tasks/${task}/annotations/revisions`).expect(200);
    const since = String(body.results[0].id);
    await owner.http
      .patch(`/api/jobs/${jobs[1]}/annotations?action=create`)
      .send({ shapes: [rectangle(labels['boat'] ?? 0, 3)] })
      .expect(200);
    expect(await yolo(`tasks/${task}`, { changed_since: since })).toEqual({ '02': 3, '03': 3, names: 'car boat' });
    const both = { changed_since: since, job_state: 'completed' };
    const request = await ended(
      app,
      owner,
      await askForExport(owner, `tasks/${task}`, { format: 'YOLO 1.1', ...both }),
    );
    expect(request).toMatchObject({ status: 'failed', message: expect.stringContaining('No job matches the filter') });
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
