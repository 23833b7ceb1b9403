import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';

describe('conditional changes', () => {
  let app: TestApp;
  let owner: Person;
  let urls: Record<string, string>;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    const task = await givenJobs(app, owner);
    const [job] = task.jobs;
    const truth = { type: 'ground_truth', task_id: task.id, frame_selection_method: 'manual', frames: [0] };
    const made = {
      jobs: await owner.http.post('/api/jobs').send(truth),
      issues: await owner.http.post('/api/issues').send({ job, frame: 0, position: [1], message: 'm' }),
      guides: await owner.http.post('/api/guides').send({ task_id: task.id }),
    };
    const comment = await owner.http.post('/api/comments').send({ issue: made.issues.body.id });
    urls = Object.fromEntries(
      Object.entries({ ...made, comments: comment }).map(([list, answer]) => [list, `/api/${list}/${answer.body.id}`]),
    );
  });

  afterAll(() => app.close());

  it.each(['jobs', 'comments', 'issues', 'guides'])(
    '%s change only for who has seen them as they are',
    async (list) => {
      const url = urls[list] ?? '';
      const seen = (await owner.http.get(url)).headers['etag'] ?? '';
      expect((await owner.http.patch(url).set('If-Match', seen).send({})).status).toBe(200);
      expect((await owner.http.patch(url).set('If-Match', seen).send({})).status).toBe(412);
      expect((await owner.http.delete(url).set('If-Match', seen)).status).toBe(412);
      const now = (await owner.http.get(url)).headers['etag'] ?? '';
      expect((await owner.http.delete(url).set('If-Match', now)).status).toBe(204);
    },
  );
});
