import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';
import { expectConstantStatements } from '../../support/statements.js';

/** One object of each type on each of `frames` frames; tracks span all of them. */
function everything({ labels, joints }: Annotatable, frames: number) {
  const points = (label: number, frame?: number) => ({ type: 'points', label_id: label, points: [1, 2], attributes: [], ...(frame === undefined ? {} : { frame }) }); // prettier-ignore
  const all = Array.from({ length: frames }, (_, frame) => frame);
  const { car, dog, person } = labels;
  return {
    tags: all.map((frame) => ({ label_id: dog, frame, attributes: [] })),
    shapes: all.flatMap((frame) => [
      rectangle(car, frame),
      { type: 'skeleton', label_id: person, frame, attributes: [], points: [], elements: joints.map((joint) => points(joint, frame)) },
    ]), // prettier-ignore
    tracks: all.map((frame) => ({
      label_id: car,
      frame,
      attributes: [],
      shapes: [{ type: 'rectangle', frame, points: [1, 2, 3, 4 + frame], attributes: [] }],
    })),
    intervals: all.map((frame) => ({ label_id: car, start: frame, stop: frame + 1, attributes: [] })),
  };
}

describe('statements for annotations of a task', () => {
  let app: TestApp;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  /** Jobs of two frames that share one frame with the next job. */
  const spread = (jobs: number): Promise<Annotatable> =>
    givenAnnotatable(app, owner, {
      size: jobs + 1,
      overlap: 1,
      segments: Array.from({ length: jobs }, (_, start) => [start, start + 1]),
    });

  async function annotated(jobs: number): Promise<Annotatable> {
    const task = await spread(jobs);
    await owner.http
      .put(task.ofTask)
      .send(everything(task, jobs + 1))
      .expect(200);
    return task;
  }

  const found = async (task: Annotatable): Promise<number> => {
    const { body } = await owner.http.get(task.ofTask).expect(200);
    return body.tags.length + body.shapes.length + body.tracks.length + body.intervals.length;
  };

  it.each(['', '?interpolated=true'])('are equally many for reads of many and of few jobs%s', (query) =>
    expectConstantStatements(async (jobs) => {
      const task = await annotated(jobs);
      return () => owner.http.get(`${task.ofTask}/${query}`).expect(200);
    }),
  );

  it('are equally many for many and for few tracks of one job', () =>
    expectConstantStatements(async (count) => {
      const task = await givenAnnotatable(app, owner);
      const [track] = everything(task, 1).tracks;
      await owner.http.put(task.ofJob()).send({ tracks: Array.from({ length: count * 20 }, () => track) });
      return () => owner.http.get(task.ofJob()).expect(200);
    }));

  it('are equally many for the state of an earlier save', () =>
    expectConstantStatements(async (jobs) => {
      const task = await annotated(jobs);
      const { body } = await owner.http.get(`${task.ofTask}/revisions`).expect(200);
      await owner.http.delete(task.ofTask).expect(204);
      return () => owner.http.get(`${task.ofTask}/revisions/${body.results[0].id}/annotations`).expect(200);
    }));

  it('are equally many for many jobs that are written, cleared or restored', async () => {
    await expectConstantStatements(async (jobs) => {
      const task = await spread(jobs);
      return () =>
        owner.http
          .put(task.ofTask)
          .send(everything(task, jobs + 1))
          .expect(200);
    });
    await expectConstantStatements(async (jobs) => {
      const task = await annotated(jobs);
      return () =>
        owner.http
          .patch(`${task.ofTask}/?action=create`)
          .send(everything(task, jobs + 1))
          .expect(200);
    });
    await expectConstantStatements(async (jobs) => {
      const task = await annotated(jobs);
      return () => owner.http.delete(task.ofTask).expect(204);
    });
    await expectConstantStatements(async (jobs) => {
      const task = await annotated(jobs);
      const { body } = await owner.http.get(`${task.ofTask}/revisions`).expect(200);
      await owner.http.delete(task.ofTask).expect(204);
      return () => owner.http.post(`${task.ofTask}/revisions/${body.results[0].id}/restore`).expect(201);
    });
  });

  it('are equally many for many jobs whose objects are changed or deleted', async () => {
    for (const action of ['update', 'delete']) {
      await expectConstantStatements(async (jobs) => {
        const task = await givenAnnotatable(app, owner, {
          size: jobs,
          segments: Array.from({ length: jobs }, (_, frame) => [frame, frame]),
        });
        await owner.http.put(task.ofTask).send(everything(task, jobs)).expect(200);
        const { body } = await owner.http.get(task.ofTask);
        return () => owner.http.patch(`${task.ofTask}/?action=${action}`).send(body).expect(200);
      });
    }
  });

  it('change and delete exactly the given objects', async () => {
    const task = await spread(3);
    await owner.http.put(task.ofTask).send(everything(task, 4)).expect(200);
    const before = await found(task);
    const { body } = await owner.http.get(task.ofJob(1));
    const [tag] = body.tags;
    const skeleton = body.shapes.find(({ type }: { type: string }) => type === 'skeleton');
    await owner.http
      .patch(`${task.ofTask}/?action=delete`)
      .send({ tags: [tag], shapes: [skeleton] })
      .expect(200);
    const left = (await owner.http.get(task.ofJob(1))).body;
    expect(left.tags).toEqual(body.tags.slice(1));
    expect(left.shapes).toEqual(body.shapes.filter(({ id }: { id: number }) => id !== skeleton.id));
    expect(await found(task)).toBeGreaterThan(before - 3);
  });
});
