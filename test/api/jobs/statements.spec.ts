import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';
import { expectConstantStatements } from '../../support/statements.js';

const MANY = 12;

/** As many jobs of one frame. */
const parts = (count: number): [number, number][] => Array.from({ length: count }, (_, frame) => [frame, frame]);

describe('statements of jobs, issues and comments', () => {
  let app: TestApp;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  async function reviewedTask(count: number, projectId?: number): Promise<{ id: number; jobs: readonly number[] }> {
    const task = await givenJobs(app, owner, {
      size: count,
      segments: parts(count),
      ...(projectId === undefined ? {} : { projectId }),
    });
    for (const job of task.jobs)
      await owner.http.post('/api/issues').send({ job, frame: 0, position: [1], message: 'm' });
    return task;
  }

  it.each(['', '; version=2.0'])('do not grow with the length of a list (%j)', async (version) => {
    await reviewedTask(MANY);
    for (const list of ['jobs', 'issues', 'comments']) {
      await expectConstantStatements((count) =>
        Promise.resolve(() =>
          owner.http.get(`/api/${list}?page_size=${count}`).set('Accept', `application/vnd.cvat+json${version}`),
        ),
      );
    }
  });

  it('do not grow with the number of new jobs', () =>
    expectConstantStatements((count) =>
      Promise.resolve(() => givenJobs(app, owner, { size: count, segments: parts(count), replicas: 2 })),
    ));

  it('do not grow with the number of other jobs in the task', () =>
    expectConstantStatements(async (count) => {
      const task = await reviewedTask(count);
      return () => owner.http.patch(`/api/jobs/${task.jobs[0]}`).send({ state: 'in progress' });
    }));

  it('do not grow with the contents of a deleted task', () =>
    expectConstantStatements(async (count) => {
      const task = await reviewedTask(count);
      return () => owner.http.delete(`/api/tasks/${task.id}`);
    }));

  it('do not grow with the number of tasks in a deleted project', () =>
    expectConstantStatements(async (count) => {
      const project = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] });
      for (let task = 0; task < Math.min(count, 4); task += 1) await reviewedTask(count, project.body.id);
      return () => owner.http.delete(`/api/projects/${project.body.id}`);
    }));

  it('do not grow with the number of comments of a deleted issue', () =>
    expectConstantStatements(async (count) => {
      const { jobs } = await givenJobs(app, owner);
      const issue = await owner.http.post('/api/issues').send({ job: jobs[0], frame: 0, position: [1], message: 'm' });
      for (let n = 0; n < count; n += 1)
        await owner.http.post('/api/comments').send({ issue: issue.body.id, message: 'm' });
      return () => owner.http.delete(`/api/issues/${issue.body.id}`);
    }));
});
