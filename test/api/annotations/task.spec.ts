import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';

interface Shape {
  readonly id: number;
  readonly frame: number;
  readonly points: number[];
  readonly outside: boolean;
}

describe('annotations of a task', () => {
  let app: TestApp;
  let owner: Person;
  let task: Annotatable;
  let car: number;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    task = await givenAnnotatable(app, owner, { segments: [[0, 4], [3, 7], [6, 9]], overlap: 2 }); // prettier-ignore
    car = task.labels.car;
  });

  const read = async (path: string) => (await owner.http.get(path)).body;
  const frames = (objects: { frame: number }[]): number[] => objects.map((object) => object.frame);
  const key = (frame: number, more: object = {}) => ({
    type: 'rectangle', frame, points: [frame, frame, frame + 10, frame + 10], attributes: [], ...more,
  }); // prettier-ignore

  it('are distributed over the jobs, with copies on shared frames; those outside all jobs are dropped', async () => {
    const sent = { shapes: [0, 3, 8, 50].map((frame) => rectangle(car, frame)) };
    const answer = await owner.http.put(`${task.ofTask}/`).send(sent);
    expect(answer.status).toBe(200);
    expect(frames(answer.body.shapes)).toEqual([0, 3, 8]);
    expect(frames((await read(task.ofJob(0))).shapes)).toEqual([0, 3]);
    expect(frames((await read(task.ofJob(1))).shapes)).toEqual([3]);
    expect(frames((await read(task.ofJob(2))).shapes)).toEqual([8]);
    const merged = await read(task.ofTask);
    expect(frames(merged.shapes)).toEqual([0, 3, 8]);
    expect(merged.shapes.map((shape: Shape) => shape.id)).toEqual(answer.body.shapes.map((shape: Shape) => shape.id));
  });

  it('appear twice if they cannot be recognized as duplicates', async () => {
    const circle = { type: 'ellipse', label_id: car, frame: 3, points: [10, 10, 20, 5], attributes: [] };
    const tags = [{ frame: 4, label_id: car, attributes: [] }];
    const answer = await owner.http.put(task.ofTask).send({ shapes: [circle], tags });
    expect(answer.body.shapes).toHaveLength(2);
    expect(answer.body.tags).toHaveLength(1);
    const merged = await read(task.ofTask);
    expect(merged.shapes).toHaveLength(2);
    expect(merged.tags).toHaveLength(1);
  });

  it('that differ on a shared frame are all returned', async () => {
    await owner.http.put(task.ofJob(0)).send({ shapes: [rectangle(car, 3)] });
    await owner.http.put(task.ofJob(1)).send({ shapes: [rectangle(car, 3, { points: [100, 100, 130, 140] })] });
    expect((await read(task.ofTask)).shapes).toHaveLength(2);
    await owner.http.put(task.ofJob(1)).send({ shapes: [rectangle(car, 3, { points: [1, 2, 30, 41] })] });
    expect((await read(task.ofTask)).shapes).toHaveLength(1);
  });

  it('are returned once if thousands of shapes are equal on a shared frame', async () => {
    const crowd = { shapes: Array.from({ length: 2500 }, () => rectangle(car, 3)) };
    for (const job of [0, 1]) await owner.http.put(task.ofJob(job)).send(crowd);
    expect((await read(task.ofTask)).shapes).toHaveLength(2500);
  });

  it('are refused before the response begins if too many different shapes overlap on a shared frame', async () => {
    const crowd = (top: number) => Array.from({ length: 800 }, (_, at) => rectangle(car, 3, { points: [at / 1e6, top, 90, 90] })); // prettier-ignore
    await owner.http.put(task.ofJob(0)).send({ shapes: crowd(0) });
    await owner.http.put(task.ofJob(1)).send({ shapes: crowd(1) });
    const { status, text } = await owner.http.get(task.ofTask);
    expect([status, text]).toEqual([
      400,
      expect.stringMatching(/^Frame 3 cannot be compared: .* can still be read\.$/),
    ]);
  });

  it('keep skeletons complete', async () => {
    const [head, foot] = task.joints;
    const joint = { type: 'points', frame: 8, points: [5, 5], attributes: [] };
    const elements = [{ ...joint, label_id: head }, { ...joint, label_id: foot }]; // prettier-ignore
    const person = { type: 'skeleton', frame: 8, label_id: task.labels.person, attributes: [], elements };
    await owner.http.put(task.ofTask).send({ shapes: [person] });
    const { shapes } = await read(task.ofTask);
    expect(shapes).toHaveLength(1);
    expect(shapes[0].elements.map((element: { label_id: number }) => element.label_id)).toEqual([head, foot]);
  });

  it('cut tracks at the borders of jobs and join them again', async () => {
    const track = { frame: 0, label_id: car, attributes: [], shapes: [key(0), key(9)] };
    const answer = await owner.http.put(task.ofTask).send({ tracks: [track] });
    expect(answer.status).toBe(200);
    expect(answer.body.tracks).toHaveLength(1);
    const cut = (await read(task.ofJob(1))).tracks[0].shapes;
    expect(cut.map(({ frame, points }: Shape) => [frame, points[0]])).toEqual([[3, 3], [7, 7]]); // prettier-ignore
    const merged = (await read(task.ofTask)).tracks;
    expect(merged).toHaveLength(1);
    expect(merged[0].shapes.map(({ frame, points }: Shape) => [frame, points[0]])).toEqual(
      expect.arrayContaining([[0, 0], [9, 9]]),
    ); // prettier-ignore
    expect(merged[0].shapes[0]).not.toHaveProperty('keyframe');
    expect(JSON.stringify(answer.body.tracks)).toContain('"keyframe":true');
  });

  it('are added, changed and deleted in the jobs that have them', async () => {
    const created = await owner.http
      .patch(`${task.ofTask}?action=create`)
      .send({ shapes: [rectangle(car, 0), rectangle(car, 9)] });
    const [first, last] = created.body.shapes;
    const updated = await owner.http
      .patch(`${task.ofTask}?action=update`)
      .send({ shapes: [{ ...last, points: [7, 7, 8, 8] }] });
    expect(updated.body.shapes).toMatchObject([{ id: last.id, points: [7, 7, 8, 8] }]);
    const deleted = await owner.http.patch(`${task.ofTask}?action=delete`).send({ shapes: [first] });
    expect([deleted.status, deleted.body.shapes.length]).toEqual([200, 1]);
    expect((await read(task.ofTask)).shapes).toMatchObject([{ id: last.id, points: [7, 7, 8, 8] }]);
    expect((await read(task.ofJob(0))).shapes).toEqual([]);
  });

  it('are replaced and deleted in all jobs', async () => {
    await owner.http.put(task.ofTask).send({ shapes: [0, 5, 9].map((frame) => rectangle(car, frame)) });
    await owner.http.put(task.ofTask).send({ shapes: [rectangle(car, 5)] });
    expect((await read(task.ofJob(2))).shapes).toEqual([]);
    expect(frames((await read(task.ofTask)).shapes)).toEqual([5]);
    expect((await owner.http.delete(task.ofTask)).status).toBe(204);
    expect(await read(task.ofTask)).toEqual({ version: 0, tags: [], shapes: [], tracks: [] });
  });

  it('do not affect replicas', async () => {
    const copied = await givenAnnotatable(app, owner, { segments: [[0, 9]], replicas: 2 });
    await owner.http.put(copied.ofJob(1)).send({ shapes: [rectangle(copied.labels.car, 1)] });
    await owner.http.put(copied.ofTask).send({ shapes: [rectangle(copied.labels.car, 0)] });
    expect(frames((await read(copied.ofTask)).shapes)).toEqual([0]);
    expect((await owner.http.delete(copied.ofTask)).status).toBe(204);
    expect(frames((await read(copied.ofJob(1))).shapes)).toEqual([1]);
  });

  it('change to the labels of the project that the task moves to', async () => {
    const parked = { name: 'parked', mutable: true, input_type: 'checkbox', default_value: 'false', values: [] };
    const { id } = await givenJobs(app, owner, { segments: [[0, 6]] });
    const ofTask = `/api/tasks/${id}/annotations`;
    const [{ id: label }] = (await read(`/api/labels?task_id=${id}`)).results;
    await owner.http.patch(`/api/tasks/${id}`).send({ labels: [{ id: label, attributes: [parked] }] });
    const [own] = (await read(`/api/labels?task_id=${id}`)).results;
    const labels = [{ name: 'dog' }, { name: 'car', attributes: [parked] }];
    const project = (await owner.http.post('/api/projects').send({ name: 'new', labels })).body;
    const [target] = (await read(`/api/labels?project_id=${project.id}`)).results.slice(-1);
    const attributes = [{ spec_id: own.attributes[0].id, value: 'tr"ue\\' }];
    const body = {
      shapes: [rectangle(own.id, 0, { attributes })],
      tracks: [{ frame: 0, label_id: own.id, attributes: [], shapes: [key(0, { attributes })] }],
    };
    expect((await owner.http.put(ofTask).send(body)).status).toBe(200);
    expect((await owner.http.patch(`/api/tasks/${id}`).send({ project_id: project.id })).status).toBe(200);
    const moved = [{ spec_id: target.attributes[0].id, value: 'tr"ue\\' }];
    expect(await read(ofTask)).toMatchObject({
      shapes: [{ label_id: target.id, attributes: moved }],
      tracks: [{ label_id: target.id, shapes: [{ attributes: moved }] }],
    });
  });
});
