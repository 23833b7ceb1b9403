import { get, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type EventChannel, EventChannels } from '../../../src/core/http/response/server-sent-events.js';
import { sql } from '../../../src/engines/sql/sql.js';
import type { PresenceDto } from '../../../src/modules/presence/presence.dto.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';

/** A client of a stream. */
class Reader {
  readonly messages: PresenceDto[] = [];
  readonly ended: Promise<void>;
  private text = '';
  private readonly waiting = new Set<() => void>();

  constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8').on('data', (text: string) => this.read(text));
    this.ended = new Promise((done) => response.once('close', done).on('error', () => undefined));
  }

  /** Resolves with the first message, also an earlier one, that meets the condition. */
  async until(meets: (message: PresenceDto) => boolean): Promise<PresenceDto> {
    for (;;) {
      const found = this.messages.find(meets);
      if (found !== undefined) return found;
      await new Promise<void>((done) => this.waiting.add(done));
    }
  }

  /** Resolves when these users, and nobody else, are in the job. */
  untilPeople(...people: readonly Person[]): Promise<PresenceDto> {
    const wanted = people.map(({ username }) => username).join();
    return this.until((message) => namesIn(message).join() === wanted);
  }

  close(): void {
    this.response.destroy();
  }

  private read(text: string): void {
    const blocks = (this.text + text).split('\n\n');
    this.text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (data !== undefined) this.messages.push(JSON.parse(data) as PresenceDto);
    }
    for (const done of this.waiting) done();
    this.waiting.clear();
  }
}

const namesIn = ({ people }: PresenceDto): string[] => people.map(({ user }) => user.username);

describe('presence in jobs', () => {
  let app: TestApp;
  let owner: Person;
  let worker: Person;
  let given: Given;
  const readers: Reader[] = [];

  beforeAll(async () => {
    app = await createTestApp({ env: { EVENT_STREAMS_PER_USER: '3' } });
    given = new Given(app);
  });
  afterEach(async () => {
    readers.forEach((reader) => reader.close());
    await Promise.all(readers.splice(0).map(({ ended }) => ended));
  });
  afterAll(() => app.close());

  /** A job of `owner` that is assigned to `worker`. */
  const givenJob = async (): Promise<number> => {
    [owner, worker] = [await given.person(), await given.person()];
    const [job = 0] = (await givenJobs(app, owner)).jobs;
    await app.db.query(sql`update job set assignee_id = ${worker.id} where id = ${job}`);
    return job;
  };
  const open = (
    person: Person,
    job: number,
    query = '',
    server: TestApp = app,
    credential = `Token ${person.token}`,
  ): Promise<Reader> =>
    new Promise((resolve, reject) => {
      get(`${server.url}/api/jobs/${job}/presence${query}`, { headers: { Authorization: credential } }, (response) => {
        const reader = new Reader(response);
        readers.push(reader);
        resolve(reader);
      }).on('error', reject);
    });

  it('does not show who reads with a token that is only for reading', async () => {
    const job = await givenJob();
    const { body } = await worker.http.post('/api/auth/access_tokens').send({ name: 'x', read_only: true }).expect(201);
    const hidden = await open(worker, job, '', app, `Bearer ${body.value}`);
    await hidden.untilPeople();
    await open(owner, job);
    await hidden.untilPeople(owner);
    expect(await app.db.query(sql`select 1 from job_presence where user_id = ${worker.id}`)).toEqual([]);
  });

  it('shows who has the job open, and who leaves', async () => {
    const job = await givenJob();
    const first = await open(owner, job);
    await first.untilPeople(owner);
    const second = await open(worker, job);
    const { people } = await first.untilPeople(owner, worker);
    expect(people[1]).toEqual({
      user: {
        url: `${app.url}/api/users/${worker.id}`,
        id: worker.id,
        username: worker.username,
        first_name: 'First',
        last_name: 'Last',
      },
      since_date: expect.any(String),
      windows: 1,
    });
    second.close();
    first.messages.length = 0;
    await first.untilPeople(owner);
  });

  it('counts the windows of a user, but not reconnections of the same window', async () => {
    const job = await givenJob();
    const first = await open(owner, job, '?window=a');
    await open(owner, job, '?window=b');
    const { people } = await first.until((message) => message.people[0]?.windows === 2);
    expect(people).toHaveLength(1);
    await open(owner, job, '?window=b');
    const third = readers.at(-1);
    expect((await third?.untilPeople(owner))?.people[0]?.windows).toBe(2);
  });

  it('says that the annotations, the state and the assignee have changed', async () => {
    const job = await givenJob();
    const reader = await open(owner, job);
    const { job: before, revision } = await reader.untilPeople(owner);
    expect([before?.state, before?.assignee?.id, revision]).toEqual(['new', worker.id, 0]);
    const labels = await owner.http.get(`/api/labels?job_id=${job}`).expect(200);
    const tags = [{ frame: 0, label_id: labels.body.results[0].id }];
    await worker.http.patch(`/api/jobs/${job}/annotations/?action=create`).send({ tags }).expect(200);
    const saved = await reader.until((message) => message.revision > 0);
    const history = await owner.http.get(`/api/jobs/${job}/annotations/revisions`).expect(200);
    expect(saved.revision).toBe(history.body.results[0].id);
    await owner.http.patch(`/api/jobs/${job}`).send({ state: 'completed', assignee: owner.id }).expect(200);
    await reader.until((message) => message.job?.state === 'completed' && message.job.assignee?.id === owner.id);
  });

  it('ends for a user who can no longer view the job, without telling them anything new', async () => {
    const job = await givenJob();
    const [first, second] = [await open(owner, job), await open(worker, job)];
    await Promise.all([first, second].map((reader) => reader.untilPeople(owner, worker)));
    first.messages.length = 0;
    await owner.http.patch(`/api/jobs/${job}`).send({ assignee: owner.id }).expect(200);
    await second.ended;
    expect(second.messages.at(-1)).toEqual({ people: [], revision: 0, job: null });
    expect(second.messages.some((message) => message.job?.assignee?.id === owner.id)).toBe(false);
    await first.untilPeople(owner);
    await worker.http.get(`/api/jobs/${job}/presence`).expect(403);
  });

  it('ends when the job is deleted', async () => {
    const job = await givenJob();
    const reader = await open(owner, job);
    await reader.untilPeople(owner);
    const { task_id: task } = (await owner.http.get(`/api/jobs/${job}`).expect(200)).body;
    await owner.http.delete(`/api/tasks/${task}`).expect(204);
    await reader.ended;
    expect(reader.messages.at(-1)?.job).toBeNull();
    await owner.http.get(`/api/jobs/${job}/presence`).expect(404);
  });

  it('checks the permission and the login again with each heartbeat', async () => {
    const job = await givenJob();
    const begin = jest.spyOn(app.app.get(EventChannels), 'begin');
    const [byWorker, byOwner] = [await open(worker, job), await open(owner, job)];
    await Promise.all([byWorker, byOwner].map((reader) => reader.until(() => true)));
    await app.db.query(sql`update job set assignee_id = null where id = ${job}`);
    await owner.http.post('/api/auth/logout').expect(200);
    begin.mock.calls.forEach(([, , beat], index) => beat?.(begin.mock.results[index]?.value as EventChannel));
    begin.mockRestore();
    await Promise.all([byWorker.ended, byOwner.ended]);
    expect(byWorker.messages.at(-1)?.job).toBeNull();
    expect(byOwner.messages.at(-1)?.job).not.toBeNull();
  });

  it('is open to everyone who can view the job, and to nobody else', async () => {
    const job = await givenJob();
    const [stranger, admin] = [await given.person(), await given.admin()];
    await app.http.get(`/api/jobs/${job}/presence`).expect(401);
    await stranger.http.get(`/api/jobs/${job}/presence`).expect(403);
    await owner.http.get('/api/jobs/99999999/presence').expect(404);
    await owner.http.get(`/api/jobs/${job}/presence?window=a%20b`).expect(400);
    await (await open(admin, job)).untilPeople(admin);
  });

  it('limits the streams per user', async () => {
    const job = await givenJob();
    for (let count = 0; count < 3; count += 1) await open(worker, job);
    const refused = await worker.http.get(`/api/jobs/${job}/presence`);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '2']);
  });

  it('works across server processes, and forgets the people of a process that has died', async () => {
    const job = await givenJob();
    const other = await createTestApp({
      database: { url: app.config.databaseUrl, drop: async () => undefined },
      dataDir: app.config.dataDir,
    });
    try {
      const [here, there] = [await open(owner, job), await open(worker, job, '', other)];
      await Promise.all([here, there].map((reader) => reader.untilPeople(owner, worker)));
      there.close();
      here.messages.length = 0;
      await here.untilPeople(owner);
    } finally {
      await other.close();
    }
    // As if another process had died without removing its rows.
    const insert = (seconds: number) =>
      app.db.query(sql`
        insert into job_presence (job_id, user_id, window_id, since_date, expiry_date)
        values (${job}, ${worker.id}, 'dead', now(), now() + make_interval(secs => ${seconds}))`);
    await insert(0);
    const again = await open(owner, job);
    await again.untilPeople(owner);
    const rows = await app.db.query(sql`select from job_presence where window_id = 'dead'`);
    expect(rows).toHaveLength(0);
    await insert(3600);
    const third = await open(owner, job);
    await third.untilPeople(owner, worker);
    third.messages.length = 0;
    await app.db.query(sql`update job_presence set expiry_date = now() where window_id = 'dead'`);
    await third.untilPeople(owner);
  });
});
