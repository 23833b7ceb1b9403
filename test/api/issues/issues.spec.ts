import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';

const NOT_FOUND = { detail: 'No Issue matches the given query.' };

const countFor = async (person: Person, query: string): Promise<unknown> =>
  (await person.http.get(`/api/issues?${query}`)).body.count;

describe('issues', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let job: number | undefined;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    job = (await givenJobs(app, owner)).jobs[0];
    await app.db.query(sql`delete from outbox_event`);
  });

  const body = (more: object = {}): object => ({ job, frame: 0, position: [1, 2.5], message: 'look', ...more });

  async function create(more: object = {}): Promise<{ id: number }> {
    return (await owner.http.post('/api/issues').send(body(more))).body as { id: number };
  }

  it('start with a comment, whose event follows the issue’s', async () => {
    const made = await owner.http.post('/api/issues').send(body());
    expect(made.status).toBe(201);
    expect(Object.keys(made.body)).toEqual([
      'id', 'frame', 'position', 'job', 'owner', 'assignee', 'created_date', 'updated_date', 'resolved', 'comments',
    ]); // prettier-ignore
    expect(made.body).toMatchObject({
      frame: 0,
      position: [1, 2.5],
      job,
      owner: { id: owner.id },
      assignee: null,
      resolved: false,
    });
    expect(made.body.comments).toEqual({
      count: 1,
      url: expect.stringMatching(`/api/comments\\?issue_id=${made.body.id}$`),
    });
    expect((await owner.http.get(`/api/issues/${made.body.id}`)).body).toEqual(made.body);
    const comments = await owner.http.get(`/api/comments?issue_id=${made.body.id}`);
    expect(comments.body.results).toMatchObject([{ message: 'look', issue: made.body.id, owner: { id: owner.id } }]);
    const told = await app.db.query<{ name: string; count: number | null }>(sql`
      select name, (after->'object'->'comments'->>'count')::int as count from outbox_event order by id`);
    expect(told).toEqual([
      { name: 'create:issue', count: 0 },
      { name: 'create:comment', count: null },
    ]);
    expect((await owner.http.get(`/api/jobs/${job}`)).body.issues.count).toBe(1);
  });

  it.each([
    [{ job: undefined }, ['Job matching query does not exist.']],
    [{ job: 99999, frame: undefined }, ['Job matching query does not exist.']],
    [{ job: 'x' }, ['"job" must be an integer']],
    [
      { frame: undefined, position: undefined, message: undefined },
      {
        frame: ['This field is required.'],
        position: ['This field is required.'],
        message: ['This field is required.'],
      },
    ],
    [{ position: [] }, { position: ['This list may not be empty.'] }],
    [{ position: ['x'] }, { position: { 0: ['A valid number is required.'] } }],
    [{ position: [1, 1e308] }, { position: { 1: ['Ensure this value is less than or equal to 1000000000000000.'] } }],
    [{ frame: 7 }, { frame: ['Frame 7 does not exist. The task has the frames 0 to 6.'] }],
    [{ frame: 2 ** 31 - 1 }, { frame: ['Frame 2147483647 does not exist. The task has the frames 0 to 6.'] }],
    [{ frame: -1 }, { frame: ['Ensure this value is greater than or equal to 0.'] }],
    [{ message: ' ' }, { message: ['This field may not be blank.'] }],
    [{ resolved: 'maybe' }, { resolved: ['Must be a valid boolean.'] }],
  ])('are refused for %j', async (more, expected) => {
    const answer = await owner.http.post('/api/issues').send(body(more));
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body: expected });
    expect(await recordedEvents(app)).toEqual([]);
  });

  it.each([
    [99999, 'Invalid pk "99999" - object does not exist.'],
    ['x', 'A valid integer is required.'],
    [{}, 'A valid integer is required.'],
  ])('are refused for the assignee %j', async (assignee, problem) => {
    const admin = await given.admin();
    const answer = await admin.http.post('/api/issues').send(body({ assignee }));
    expect([answer.status, answer.body]).toEqual([400, { assignee: [problem] }]);
  });

  it('change, and record what changed; other keys are ignored', async () => {
    const { id } = await create();
    const changed = await owner.http
      .patch(`/api/issues/${id}`)
      .send({ resolved: true, position: [3], assignee: owner.id, frame: 5, job: 1, message: 'x', unknown: 1 });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ resolved: true, position: [3], assignee: { id: owner.id }, frame: 0, job });
    await owner.http.patch(`/api/issues/${id}`).send({});
    expect((await recordedEvents(app)).slice(2)).toEqual([
      { name: 'update:issue', before: ['position', 'assignee', 'updated_date', 'resolved'] },
      { name: 'update:issue', before: ['updated_date'] },
    ]);
    const wrong = await owner.http.patch(`/api/issues/${id}`).send({ position: null });
    expect([wrong.status, wrong.body]).toEqual([400, { position: ['This field may not be null.'] }]);
  });

  it('have an assignee that must exist and be visible', async () => {
    const admin = await given.admin();
    const unknown = await admin.http.post('/api/issues').send(body({ assignee: 99999 }));
    expect([unknown.status, unknown.body]).toEqual([
      400,
      { assignee: ['Invalid pk "99999" - object does not exist.'] },
    ]);
    expect((await owner.http.post('/api/issues').send(body({ assignee: admin.id }))).status).toBe(403);
    expect((await admin.http.post('/api/issues').send(body({ assignee: owner.id }))).status).toBe(201);
  });

  it('are deleted with their comments, whose events come first', async () => {
    const { id } = await create();
    await owner.http.post('/api/comments').send({ issue: id, message: 'second' });
    await app.db.query(sql`delete from outbox_event`);
    expect((await owner.http.delete(`/api/issues/${id}`)).status).toBe(204);
    expect((await recordedEvents(app)).map((event) => event.name)).toEqual([
      'delete:comment',
      'delete:comment',
      'delete:issue',
    ]);
    const gone = await owner.http.get(`/api/issues/${id}`);
    expect([gone.status, gone.body]).toEqual([404, NOT_FOUND]);
    expect((await owner.http.delete(`/api/issues/${id}`)).status).toBe(404);
    expect((await owner.http.patch(`/api/issues/${id}`).send({})).status).toBe(404);
  });

  it('are found by job, task, frame, person and state', async () => {
    const first = await create();
    const second = await create({ frame: 1, assignee: owner.id, resolved: true });
    const found = async (query: string): Promise<number[]> => {
      const answer = await owner.http.get(`/api/issues?job_id=${job}&${query}`);
      return answer.body.results.map((issue: { id: number }) => issue.id);
    };
    const taskId = (await owner.http.get(`/api/jobs/${job}`)).body.task_id;
    expect(await found('')).toEqual([second.id, first.id]);
    expect(await found(`task_id=${taskId}&sort=id`)).toEqual([first.id, second.id]);
    expect(await found('frame_id=1')).toEqual([second.id]);
    expect(await found('resolved=false')).toEqual([first.id]);
    expect(await found(`assignee=${owner.username}`)).toEqual([second.id]);
    expect(await found(`filter=${encodeURIComponent('{"==":[{"var":"resolved"},true]}')}`)).toEqual([second.id]);
  });

  it('are for those who work on the job, and for maintainers of the organization', async () => {
    const [maintainer, worker, stranger] = [await given.person(), await given.person(), await given.person()];
    const { slug } = await given.organization(owner, [
      { person: maintainer, role: 'maintainer' },
      { person: worker, role: 'worker' },
    ]);
    const task = await givenJobs(app, owner, { organization: slug });
    const own = { job: task.jobs[0], frame: 0, position: [1], message: 'm' };
    const post = async (person: Person, query: string): Promise<number> =>
      (await person.http.post(`/api/issues${query}`).send(own)).status;
    expect([await post(maintainer, ''), await post(maintainer, `?org=${slug}`)]).toEqual([403, 201]);
    expect([
      await post(worker, `?org=${slug}`),
      await post(stranger, ''),
      await post(stranger, `?org=${slug}`),
    ]).toEqual([403, 403, 403]);
    expect([await post(owner, ''), await post(owner, `?org=${slug}`)]).toEqual([201, 201]);
    expect(await countFor(maintainer, `org=${slug}`)).toBe(3);
    expect(await countFor(maintainer, `job_id=${task.jobs[0]}`)).toBe(3);
    expect(await countFor(worker, `job_id=${task.jobs[0]}`)).toBe(0);
    expect((await stranger.http.get(`/api/issues?org=${slug}`)).status).toBe(403);
    const [issue] = (await owner.http.get(`/api/issues?job_id=${task.jobs[0]}`)).body.results;
    expect((await maintainer.http.get(`/api/issues/${issue.id}`)).status).toBe(200);
    for (const person of [worker, stranger]) {
      expect((await person.http.get(`/api/issues/${issue.id}`)).status).toBe(403);
      expect((await person.http.patch(`/api/issues/${issue.id}`).send({ resolved: true })).status).toBe(403);
      expect((await person.http.delete(`/api/issues/${issue.id}`)).status).toBe(403);
    }
    await owner.http.patch(`/api/issues/${issue.id}`).send({ assignee: worker.id });
    expect((await worker.http.patch(`/api/issues/${issue.id}`).send({ resolved: true })).status).toBe(200);
    expect((await worker.http.delete(`/api/issues/${issue.id}`)).status).toBe(403);
  });
});
