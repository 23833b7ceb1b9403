import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';

describe.each(['job', 'task'] as const)('entity tag of the annotations of a %s', (kind) => {
  let app: TestApp;
  let owner: Person;
  let task: Annotatable;
  let car: number;
  let path: string;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    task = await givenAnnotatable(app, owner, { segments: [[0, 4], [5, 9]] }); // prettier-ignore
    car = task.labels.car;
    path = kind === 'job' ? task.ofJob() : task.ofTask;
  });

  const tag = async (): Promise<string> => (await owner.http.get(path)).headers['etag'] ?? '';

  it('lets clients keep annotations that have not changed', async () => {
    const answer = await owner.http.get(path).set('If-None-Match', await tag());
    expect([answer.status, answer.text]).toEqual([304, '']);
    await owner.http.put(path).send({ shapes: [rectangle(car, 1)] });
    expect((await owner.http.get(path).set('If-None-Match', answer.headers['etag'] ?? '')).status).toBe(200);
  });

  it('changes with the labels, whose defaults a read shows', async () => {
    const before = await tag();
    await owner.http.patch(`/api/projects/${task.projectId}`).send({
      labels: [{ id: task.labels.dog, attributes: [{ name: 'n', mutable: false, input_type: 'text', values: [] }] }],
    });
    expect(await tag()).not.toBe(before);
  });

  it.each([
    ['PUT', 'put', ''],
    ['create', 'patch', '?action=create'],
    ['update', 'patch', '?action=update'],
    ['delete', 'patch', '?action=delete'],
    ['DELETE', 'delete', ''],
  ] as const)('refuses a lost update by %s', async (_name, verb, query) => {
    const seen = await tag();
    const other = await owner.http.put(path).send({ shapes: [rectangle(car, 1)] });
    const [{ id }] = other.body.shapes;
    const body = { shapes: [rectangle(car, 2, query.endsWith('delete') ? { id } : {})] };
    const refused = await owner.http[verb](`${path}${query}`).set('If-Match', seen).send(body);
    expect(refused.status).toBe(412);
    expect((await owner.http.get(path)).body.shapes).toMatchObject([{ id, frame: 1 }]);
    const current = other.headers['etag'] ?? '';
    const accepted = await owner.http[verb](`${path}${query}`).set('If-Match', current).send(body);
    expect(accepted.status).toBe(verb === 'delete' ? 204 : 200);
    expect(accepted.headers['etag']).toBe(await tag());
    expect(accepted.headers['etag']).not.toBe(current);
  });

  it('rejects a restore over a change that the client has not seen', async () => {
    await owner.http.put(path).send({ shapes: [rectangle(car, 1)] });
    const seen = await tag();
    await owner.http.put(path).send({});
    const { body } = await owner.http.get(`${path}/revisions`);
    const url = `${path}/revisions/${body.results[1].id}/restore`;
    expect((await owner.http.post(url).set('If-Match', seen)).status).toBe(412);
    expect((await owner.http.post(url).set('If-Match', await tag())).status).toBe(201);
  });

  it('accepts only one of two writers who have seen the same state', async () => {
    const seen = await tag();
    const answers = await Promise.all(
      [1, 2].map((frame) =>
        owner.http
          .put(path)
          .set('If-Match', seen)
          .send({ shapes: [rectangle(car, frame)] }),
      ),
    );
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  });
});
