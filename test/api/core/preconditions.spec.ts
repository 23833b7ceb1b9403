import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

describe('entity tags', () => {
  let app: TestApp;
  let owner: Person;
  let path: string;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    const task = await owner.http.post('/api/tasks').send({ name: 'first', labels: [{ name: 'car' }] });
    path = `/api/tasks/${task.body.id}`;
  });

  afterAll(() => app.close());

  it('respond with 304 if the client has the object already, in each version', async () => {
    for (const accept of ['application/vnd.cvat+json', 'application/vnd.cvat+json; version=2.0']) {
      const first = await owner.http.get(path).set('Accept', accept);
      const again = await owner.http
        .get(path)
        .set('Accept', accept)
        .set('If-None-Match', first.headers['etag'] ?? '');
      expect(first.headers['etag']).toMatch(/^"[\w-]{27}"$/);
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
    }
  });

  it('refuse to update an object that has changed, and write nothing', async () => {
    const etag = (await owner.http.get(path)).headers['etag'] ?? '';
    const changed = await owner.http.patch(path).set('If-Match', etag).send({ name: 'second' });
    expect(changed.status).toBe(200);
    const late = await owner.http.patch(path).set('If-Match', etag).send({ name: 'third' });
    expect(late.status).toBe(412);
    expect((await owner.http.get(path)).body.name).toBe('second');
    expect((await owner.http.delete(path).set('If-Match', etag)).status).toBe(412);
    expect((await owner.http.delete(path).set('If-Match', '*')).status).toBe(204);
  });

  it('let one of two concurrent writers succeed', async () => {
    const task = await owner.http.post('/api/tasks').send({ name: 'race', labels: [{ name: 'car' }] });
    const race = `/api/tasks/${task.body.id}`;
    const etag = (await owner.http.get(race)).headers['etag'] ?? '';
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => owner.http.patch(race).set('If-Match', etag).send({ name })),
    );
    expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([200, 412, 412]);
  });
});
