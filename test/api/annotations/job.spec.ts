import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';

const NOTHING = { version: 0, tags: [], shapes: [], tracks: [] };

describe('annotations of a job', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let task: Annotatable;
  let car: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    task = await givenAnnotatable(app, owner);
    car = task.labels.car;
  });

  const put = (body: object) => owner.http.put(task.ofJob()).send(body);
  const patch = (action: string, body: object) => owner.http.patch(`${task.ofJob()}?action=${action}`).send(body);
  const get = async () => (await owner.http.get(task.ofJob())).body;
  const ids = (objects: { id: number }[]): number[] => objects.map((object) => object.id);

  /** One object of each type. */
  const all = () => {
    const { parked } = task.attributes;
    const [head, foot] = task.joints;
    return {
      version: 0,
      tags: [{ frame: 0, label_id: car, group: 0, attributes: [] }],
      shapes: [
        { ...rectangle(car, 1), attributes: [{ spec_id: parked, value: 'true' }], group: 2, rotation: 10, occluded: true },
        {
          type: 'skeleton', frame: 0, label_id: task.labels.person, points: [], attributes: [],
          elements: [
            { type: 'points', frame: 0, label_id: head, points: [5, 5], attributes: [] },
            { type: 'points', frame: 2, label_id: foot, points: [9, 9], outside: true, attributes: [] },
          ],
        },
        { type: 'mask', frame: 2, label_id: car, points: [0, 4, 0, 0, 3, 0], source: 'a\\b\t"c"', attributes: [] },
      ],
      tracks: [
        {
          frame: 0, label_id: car, group: 0, source: 'manual', attributes: [],
          shapes: [
            { type: 'rectangle', frame: 0, points: [1, 1, 10, 10], attributes: [{ spec_id: parked, value: 'true' }] },
            { type: 'rectangle', frame: 2, points: [5, 5, 15, 15], outside: true, attributes: [] },
          ],
        },
      ],
    }; // prettier-ignore
  };

  it('are empty at first', async () => {
    const answer = await owner.http.get(`${task.ofJob()}/`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/vnd.cvat+json');
    expect(answer.text).toBe('{"version":0,"tags":[],"shapes":[],"tracks":[]}');
  });

  it('are returned by PUT as sent, with ids, in the order sent', async () => {
    const answer = await put(all());
    expect(answer.status).toBe(200);
    const { tags, shapes, tracks } = answer.body;
    expect(Object.keys(tags[0])).toEqual(['id', 'frame', 'label_id', 'group', 'source', 'attributes']);
    expect(shapes.map((shape: { type: string }) => shape.type)).toEqual(['rectangle', 'skeleton', 'mask']);
    expect(Object.keys(shapes[0])).toEqual([
      'type', 'occluded', 'outside', 'z_order', 'rotation', 'points', 'id', 'frame', 'label_id', 'group', 'source',
      'attributes', 'elements',
    ]); // prettier-ignore
    expect(shapes[1].elements).toMatchObject([{ label_id: task.joints[0], outside: false }, { outside: true }]);
    expect(ids([...shapes, ...shapes[1].elements]).every(Number.isInteger)).toBe(true);
    expect(tracks[0].shapes).toMatchObject([
      { frame: 0, outside: false },
      { frame: 2, outside: true },
    ]);
    expect(Object.keys(tracks[0])).toEqual([
      'id', 'frame', 'label_id', 'group', 'source', 'attributes', 'shapes', 'elements',
    ]); // prettier-ignore
  });

  it('are complete when read, shapes by frame, elements with their skeleton', async () => {
    const saved = (await put(all())).body;
    const { parked, make } = task.attributes;
    const none = { spec_id: make, value: 'none' };
    const read = await get();
    expect(read).toMatchObject({
      version: 0,
      tags: [{ id: saved.tags[0].id, group: 0, attributes: [{ spec_id: parked, value: 'false' }, none] }],
      shapes: [
        { id: saved.shapes[1].id, type: 'skeleton', points: [], elements: saved.shapes[1].elements },
        { id: saved.shapes[0].id, attributes: [{ spec_id: parked, value: 'true' }, none], elements: [] },
        { id: saved.shapes[2].id, source: 'a\\b\t"c"', points: [0, 4, 0, 0, 3, 0] },
      ],
    });
    expect(read.tracks).toMatchObject([
      {
        attributes: [none],
        shapes: [
          { frame: 0, attributes: [{ spec_id: parked, value: 'true' }] },
          { frame: 2, attributes: [{ spec_id: parked, value: 'true' }] },
        ],
      },
    ]);
    expect(Object.keys(read.shapes[0])).toEqual([
      'id', 'label_id', 'type', 'frame', 'group', 'source', 'occluded', 'outside', 'z_order', 'rotation', 'points',
      'attributes', 'elements',
    ]); // prettier-ignore
    expect(Object.keys(read.tracks[0])).toEqual([
      'id', 'label_id', 'frame', 'group', 'source', 'shapes', 'attributes', 'elements',
    ]); // prettier-ignore
  });

  it('keep scores and intervals of newer clients', async () => {
    const body = {
      shapes: [rectangle(car, 0, { score: 0.5 })],
      intervals: [{ label_id: task.labels.dog, start: 2, stop: 5, attributes: [] }],
    };
    expect((await put(body)).body).toMatchObject({ shapes: [{ score: 0.5 }], intervals: [{ start: 2, stop: 5 }] });
    expect(await get()).toMatchObject({ shapes: [{ score: 0.5 }], intervals: [{ start: 2, stop: 5, score: 1 }] });
  });

  it('are replaced by PUT', async () => {
    await put(all());
    await put({ shapes: [rectangle(car, 3)] });
    expect(await get()).toMatchObject({ tags: [], shapes: [{ frame: 3 }], tracks: [] });
    const rows = await app.db.query(sql`
      select id from annotation_tracked_shape where job_id = ${task.jobs[0]} union all
      select id from annotation_track where job_id = ${task.jobs[0]}`);
    expect(rows).toEqual([]);
  });

  it('are added by create', async () => {
    const { shapes } = (await put({ shapes: [rectangle(car, 0)] })).body;
    const answer = await patch('create', { shapes: [{ ...rectangle(car, 1), points: [3, 3, 4, 4] }] });
    expect(answer.body).toMatchObject({
      version: 0,
      tags: [],
      shapes: [{ frame: 1, points: [3, 3, 4, 4] }],
      tracks: [],
    });
    expect(ids((await get()).shapes)).toEqual([...ids(shapes), ...ids(answer.body.shapes)]);
  });

  it('are changed by update, which keeps ids, accepts new objects and creates unknown ones', async () => {
    const { shapes, tracks } = (await put(all())).body;
    const [box, skeleton] = shapes;
    const [track] = tracks;
    const unknown = 900_000_000_000;
    const body = {
      shapes: [{ ...box, points: [2, 2, 9, 9] }, rectangle(car, 8), rectangle(car, 9, { id: unknown }), skeleton],
      tracks: [{ ...track, shapes: [track.shapes[0]] }],
    };
    const answer = await patch('update', body);
    expect(answer.status).toBe(200);
    expect(answer.body.shapes[0]).toMatchObject({ id: box.id, points: [2, 2, 9, 9] });
    expect(answer.body.shapes[1].id).toEqual(expect.any(Number));
    const read = await get();
    expect(read.shapes).toHaveLength(5);
    expect(read.shapes.at(-1)).toMatchObject({ id: unknown, frame: 9 });
    expect(read.shapes[0].elements).toEqual(
      skeleton.elements.map((element: object) => expect.objectContaining(element)),
    );
    expect(read.tracks).toMatchObject([{ id: track.id, shapes: [{ id: track.shapes[0].id }] }]);
    expect(read.tracks[0].shapes).toHaveLength(1);
  });

  it('get free ids even if an update has used the next ones', async () => {
    const [{ id }] = (await put({ shapes: [rectangle(car, 0)] })).body.shapes;
    await patch('update', { shapes: [1, 2, 4].map((ahead) => rectangle(car, 0, { id: id + ahead })) });
    const answer = await patch('create', { shapes: [rectangle(car, 1), rectangle(car, 1)] });
    expect(answer.status).toBe(200);
    expect((await get()).shapes).toHaveLength(6);
  });

  it('are not moved from another job by an update', async () => {
    const other = await givenAnnotatable(app, owner);
    const [taken] = (await owner.http.put(other.ofJob()).send({ shapes: [rectangle(other.labels.car, 0)] })).body
      .shapes;
    await put({ shapes: [rectangle(car, 0)] });
    const answer = await patch('update', { shapes: [rectangle(car, 1, { id: taken.id })] });
    expect(answer.status).toBe(400);
    expect(answer.body).toBe(
      `duplicate key value violates unique constraint "engine_labeledshape_pkey"\nDETAIL:  Key (id)=(${taken.id}) already exists.\n`,
    );
    expect((await get()).shapes).toMatchObject([{ frame: 0 }]);
    expect((await owner.http.get(other.ofJob())).body.shapes).toHaveLength(1);
  });

  it('are deleted by id with their parts; unknown ids and ids of other jobs are ignored', async () => {
    const other = await givenAnnotatable(app, owner);
    const [foreign] = (await owner.http.put(other.ofJob()).send({ shapes: [rectangle(other.labels.car, 0)] })).body
      .shapes;
    const { tags, shapes, tracks } = (await put(all())).body;
    const { elements: _, ...box } = shapes[0];
    const sent = { tags, shapes: [box, shapes[1], rectangle(car, 0, { id: foreign.id })], tracks };
    const answer = await patch('delete', sent);
    expect(answer.status).toBe(200);
    expect(answer.body.shapes[0]).toEqual(box);
    expect(answer.body.shapes).toHaveLength(3);
    expect(await get()).toMatchObject({ tags: [], shapes: [{ id: shapes[2].id }], tracks: [] });
    expect((await owner.http.get(other.ofJob())).body.shapes).toHaveLength(1);
    const rows = await app.db.query(sql`select id from annotation_tracked_shape where job_id = ${task.jobs[0]}`);
    expect(rows).toEqual([]);
  });

  it('are all deleted by DELETE', async () => {
    await put(all());
    expect((await owner.http.delete(`${task.ofJob()}/`)).status).toBe(204);
    expect(await get()).toEqual(NOTHING);
  });

  it('hide a track from its start to its first keyframe', async () => {
    const shapes = [{ type: 'rectangle', frame: 4, points: [1, 1, 2, 2], attributes: [] }];
    const track = { frame: 1, label_id: car, shapes, attributes: [] };
    const answer = await put({ tracks: [track, { ...track, shapes: [] }] });
    expect(answer.body.tracks).toHaveLength(1);
    expect(answer.body.tracks[0].shapes).toMatchObject([{ frame: 4 }, { frame: 1, outside: true }]);
    expect((await get()).tracks[0].shapes).toMatchObject([{ frame: 1, outside: true }, { frame: 4 }]);
  });

  it('are deleted with the job and with their label', async () => {
    await put(all());
    await owner.http
      .patch(`/api/projects/${task.projectId}`)
      .send({ labels: [{ id: task.labels.person, deleted: true }] });
    expect((await get()).shapes.map((shape: { type: string }) => shape.type)).toEqual(['rectangle', 'mask']);
    await owner.http.patch(`/api/projects/${task.projectId}`).send({ labels: [{ id: car, deleted: true }] });
    expect(await get()).toEqual(NOTHING);
    await put({ tags: [{ frame: 0, label_id: task.labels.dog, attributes: [] }] });
    expect((await owner.http.delete(`/api/tasks/${task.taskId}`)).status).toBe(204);
    const rows = await app.db.query(sql`
      select id from annotation_tag where job_id = ${task.jobs[0]} union all
      select id from annotation_shape where job_id = ${task.jobs[0]} union all
      select id from annotation_tracked_shape where job_id = ${task.jobs[0]} union all
      select id from annotation_track where job_id = ${task.jobs[0]}`);
    expect(rows).toEqual([]);
  });
});
