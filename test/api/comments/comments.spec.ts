import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { givenJobs, type TaskWithJobs } from '../../support/given-jobs.js';

describe('comments', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let task: TaskWithJobs;
  let issue: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    task = await givenJobs(app, owner);
    const made = await owner.http
      .post('/api/issues')
      .send({ job: task.jobs[0], frame: 3, position: [1], message: 'first' });
    issue = made.body.id;
    await app.db.query(sql`delete from outbox_event`);
  });

  it('are created, read, updated and deleted, with an event for each change', async () => {
    const made = await owner.http.post('/api/comments').send({ issue, message: ' ok ' });
    expect(made.status).toBe(201);
    expect(Object.keys(made.body)).toEqual(['id', 'issue', 'owner', 'message', 'created_date', 'updated_date']);
    expect(made.body).toMatchObject({ issue, message: 'ok', owner: { id: owner.id } });
    const url = `/api/comments/${made.body.id}`;
    expect((await owner.http.get(url)).body).toEqual(made.body);
    const changed = await owner.http.patch(url).send({ message: 'okay', issue: 1 });
    expect([changed.status, changed.body.message, changed.body.issue]).toEqual([200, 'okay', issue]);
    expect((await owner.http.patch(url).send({})).body.message).toBe('okay');
    expect((await owner.http.delete(url)).status).toBe(204);
    const gone = await owner.http.get(url);
    expect([gone.status, gone.body]).toEqual([404, { detail: 'No Comment matches the given query.' }]);
    expect(await recordedEvents(app)).toEqual([
      { name: 'create:comment', before: [] },
      { name: 'update:comment', before: ['message', 'updated_date'] },
      { name: 'update:comment', before: ['updated_date'] },
      { name: 'delete:comment', before: [] },
    ]);
  });

  it.each([
    [{ issue: undefined, message: 'm' }, ['Issue matching query does not exist.']],
    [{ issue: 99999 }, ['Issue matching query does not exist.']],
    [{ issue: {} }, ['"issue" must be an integer']],
    [{ message: '' }, { message: ['This field may not be blank.'] }],
    [{ message: null }, { message: ['This field may not be null.'] }],
    [{ message: true }, { message: ['Not a valid string.'] }],
  ])('are refused for %j', async (more, expected) => {
    const answer = await owner.http.post('/api/comments').send({ issue, ...more });
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body: expected });
  });

  it('can be empty without a message', async () => {
    const made = await owner.http.post('/api/comments').send({ issue });
    expect([made.status, made.body.message]).toEqual([201, '']);
  });

  it('are found by issue, job, frame and person', async () => {
    const count = async (query: string): Promise<unknown> =>
      (await owner.http.get(`/api/comments?${query}`)).body.count;
    await owner.http.post('/api/comments').send({ issue, message: 'second' });
    for (const query of [
      `issue_id=${issue}`,
      `job_id=${task.jobs[0]}`,
      `issue_id=${issue}&frame_id=3`,
      `issue=${issue}&owner=${owner.username}`,
    ]) {
      expect([query, await count(query)]).toEqual([query, 2]);
    }
    expect(await count(`issue_id=${issue}&frame_id=4`)).toBe(0);
  });

  it("are for the people of the issue, who may change each other's", async () => {
    const [worker, stranger] = [await given.person(), await given.person()];
    const { slug } = await given.organization(owner, [{ person: worker, role: 'worker' }]);
    const shared = await givenJobs(app, owner, { organization: slug });
    const [job] = shared.jobs;
    const made = await owner.http.post('/api/issues').send({ job, frame: 0, position: [1], message: 'first' });
    const own = await owner.http.post('/api/comments').send({ issue: made.body.id, message: 'mine' });
    const url = `/api/comments/${own.body.id}`;
    const send = { issue: made.body.id, message: 'm' };
    for (const person of [worker, stranger]) {
      expect((await person.http.get(url)).status).toBe(403);
      expect((await person.http.patch(url).send({ message: 'x' })).status).toBe(403);
      expect((await person.http.delete(url)).status).toBe(403);
      expect((await person.http.post('/api/comments').send(send)).status).toBe(403);
    }
    await owner.http.patch(`/api/jobs/${job}`).send({ assignee: worker.id });
    expect((await worker.http.patch(url).send({ message: 'theirs' })).status).toBe(200);
    expect((await worker.http.post('/api/comments').send(send)).status).toBe(201);
    expect((await worker.http.get(`/api/comments?org=${slug}`)).body.count).toBe(3);
    expect((await stranger.http.get('/api/comments')).body.count).toBe(0);
  });
});
