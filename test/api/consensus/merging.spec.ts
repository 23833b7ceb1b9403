import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { annotate, givenReplicas, merged, type ReplicatedTask } from '../../support/given-consensus.js';

describe('merging replicas', () => {
  let app: TestApp;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  const job = async (id: number | undefined): Promise<Record<string, unknown>> =>
    (await owner.http.get(`/api/jobs/${id}`)).body as Record<string, unknown>;
  const annotations = async (id: number | undefined) =>
    (await owner.http.get(`/api/jobs/${id}/annotations`)).body as {
      tags: { frame: number; source: string }[];
      shapes: { frame: number; points: number[]; source: string }[];
    };
  const progress = async (id: number | undefined): Promise<unknown[]> => {
    const { stage, state } = await job(id);
    return [stage, state];
  };
  const car = (task: ReplicatedTask, frame: number, points = [10, 10, 50, 40]) =>
    rectangle(task.labels['car'] ?? 0, frame, { points });

  it('replaces the annotations of ready jobs, and leaves the others and the replicas as they are', async () => {
    const task = await givenReplicas(app, owner);
    const [ready, fresh] = task.jobs;
    const [first = 0, second = 0, third = 0] = ready?.replicas ?? [];
    await owner.http.put(`/api/jobs/${ready?.id}/annotations`).send({ shapes: [car(task, 0, [1, 1, 9, 9])] });
    await owner.http.put(`/api/jobs/${fresh?.id}/annotations`).send({ shapes: [car(task, 2)] });
    await annotate(owner, first, { tags: [{ label_id: task.labels['car'], frame: 1 }], shapes: [car(task, 0)] });
    await annotate(owner, second, { shapes: [car(task, 0), car(task, 1)] }, 'in progress');
    await owner.http.put(`/api/jobs/${third}/annotations`).send({ shapes: [car(task, 1)] });
    const before = (await annotations(first)).shapes;
    await merged(app, owner, { task_id: task.id });
    // Two sources, of which one is enough. The third replica is new, so it does not count.
    const { tags, shapes } = await annotations(ready?.id);
    expect(tags).toEqual([expect.objectContaining({ frame: 1, source: 'file' })]);
    expect(shapes.map(({ frame, points, source }) => [frame, points, source])).toEqual([
      [0, [10, 10, 50, 40], 'consensus'],
      [1, [10, 10, 50, 40], 'consensus'],
    ]);
    expect(await progress(ready?.id)).toEqual(['annotation', 'completed']);
    expect([await progress(fresh?.id), (await annotations(fresh?.id)).shapes.length]).toEqual([
      ['annotation', 'new'],
      1,
    ]);
    expect((await annotations(first)).shapes).toEqual(before);
    expect(await progress(second)).toEqual(['annotation', 'in progress']);
  });

  it('describes the request as CVAT does', async () => {
    const task = await givenReplicas(app, owner);
    const id = task.jobs[1]?.id;
    await annotate(owner, task.jobs[1]?.replicas[2] ?? 0, {});
    const request = await merged(app, owner, { job_id: id });
    expect(request).toMatchObject({
      id: `action=merge&target=job&target_id=${id}`,
      status: 'finished',
      message: '',
      operation: { type: 'merge:job', target: 'job', project_id: null, task_id: task.id, job_id: id, format: null },
      result_id: null,
      result_url: null,
    });
    const [finished, expiry] = [request['finished_date'], request['expiry_date']].map((date) =>
      Date.parse(String(date)),
    );
    expect((expiry ?? 0) - (finished ?? 0)).toBe(300_000);
    expect(await progress(id)).toEqual(['annotation', 'completed']);
    expect(await progress(task.jobs[0]?.id)).toEqual(['annotation', 'new']);
  });

  it('records events, and a save that can be undone', async () => {
    const task = await givenReplicas(app, owner);
    const [parent] = task.jobs;
    await owner.http.put(`/api/jobs/${parent?.id}/annotations`).send({ shapes: [car(task, 0, [1, 1, 9, 9])] });
    await annotate(owner, parent?.replicas[0] ?? 0, { shapes: [car(task, 0)] });
    const known = (await recordedEvents(app)).length;
    await merged(app, owner, { task_id: task.id });
    const names = (await recordedEvents(app)).slice(known).map(({ name }) => name);
    expect(names).toEqual([
      'update:job',
      'update:task',
      'update:annotations',
      'update:job',
      'completed:request[merge:task]',
    ]);
    const { body } = await owner.http.get(`/api/jobs/${parent?.id}/annotations/revisions`);
    const [revision] = body.results as { id: number; action: string; counts: object }[];
    expect(revision).toMatchObject({ action: 'merge', counts: { created: { shapes: 1 }, deleted: { shapes: 1 } } });
    await owner.http
      .post(`/api/jobs/${parent?.id}/annotations/revisions/${revision?.id}/restore?state=before`)
      .expect(201);
    expect((await annotations(parent?.id)).shapes.map(({ points }) => points)).toEqual([[1, 1, 9, 9]]);
  });

  it('can be repeated while the job is in the stage annotation', async () => {
    const task = await givenReplicas(app, owner);
    const [parent] = task.jobs;
    await annotate(owner, parent?.replicas[0] ?? 0, { shapes: [car(task, 0)] });
    for (let repetition = 0; repetition < 2; repetition += 1) {
      await merged(app, owner, { task_id: task.id });
      expect((await annotations(parent?.id)).shapes.length).toBe(1);
    }
    await annotate(owner, parent?.replicas[0] ?? 0, {});
    await merged(app, owner, { job_id: parent?.id });
    expect((await annotations(parent?.id)).shapes).toEqual([]);
    await owner.http.patch(`/api/jobs/${parent?.id}`).send({ stage: 'validation' }).expect(200);
    await owner.http.post('/api/consensus/merges').send({ task_id: task.id }).expect(400);
  });
});
