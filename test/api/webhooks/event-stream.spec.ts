import { Agent, get, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type EventChannel, EventChannels } from '../../../src/core/http/response/server-sent-events.js';
import { encodePassword } from '../../../src/engines/password/encoded-password.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { fingerprint } from '../../../src/modules/auth/accounts/accounts.repository.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

interface Message {
  readonly id: string;
  readonly data: { readonly event: string; readonly project?: { readonly id: number; readonly name: string } };
}

/** A client of a stream. */
class Reader {
  readonly messages: Message[] = [];
  private text = '';
  private readonly waiting: { readonly count: number; readonly done: () => void }[] = [];

  /** Resolves with the comment that shows that the server is still alive. */
  readonly beaten: Promise<void>;
  readonly ended: Promise<void>;

  constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8').on('data', (text: string) => this.read(text));
    this.beaten = new Promise((done) => response.on('data', (text: string) => text.includes(': still here') && done()));
    this.ended = new Promise((done) => response.once('close', done).on('error', () => undefined));
  }

  get headers(): IncomingMessage['headers'] {
    return this.response.headers;
  }

  /** Resolves when `count` messages have arrived. */
  async came(count: number): Promise<Message[]> {
    if (this.messages.length < count) await new Promise<void>((done) => this.waiting.push({ count, done }));
    return this.messages;
  }

  close(): void {
    this.response.destroy();
  }

  private read(text: string): void {
    const blocks = (this.text + text).split('\n\n');
    this.text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id = ''] = /^id: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (data !== undefined) this.messages.push({ id, data: JSON.parse(data) as Message['data'] });
    }
    for (const { count, done } of this.waiting) if (this.messages.length >= count) done();
  }
}

describe('the stream of events', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  const readers: Reader[] = [];

  beforeAll(async () => {
    app = await createTestApp({ env: { EVENT_STREAMS_PER_USER: '3' } });
    given = new Given(app);
    owner = await given.person();
  });
  afterEach(() => readers.splice(0).forEach((reader) => reader.close()));
  afterAll(() => app.close());

  const open = (
    person: Person,
    query = '',
    headers: Record<string, string> = {},
    server: TestApp = app,
  ): Promise<Reader> =>
    new Promise((resolve, reject) => {
      const { port } = server.app.getHttpServer().address() as AddressInfo;
      get({
        port,
        host: '127.0.0.1',
        path: `/api/events/stream?${query}`,
        headers: { 'Authorization': `Token ${person.token}`, 'Accept-Encoding': 'gzip', ...headers },
      }, (response) => {
        const reader = new Reader(response);
        readers.push(reader);
        resolve(reader);
      }).on('error', reject); // prettier-ignore
    });
  const project = async (person: Person, name: string, query = ''): Promise<number> =>
    (await person.http.post(`/api/projects${query}`).send({ name }).expect(201)).body.id;
  const rename = (person: Person, id: number, name: string) =>
    person.http.patch(`/api/projects/${id}`).send({ name }).expect(200);
  /** Calls `act` while an earlier change of the project, `slow`, is not committed yet. */
  const duringSlowChange = <T>(id: number, act: () => Promise<T>): Promise<T> =>
    app.db.withClient(async (client) => {
      await client.query('begin');
      await client.query(
        `insert into outbox_event (name, object_id, project_id, after, occurred_at)
         values ('update:project', $1, $2, $3, now())`,
        [String(id), id, JSON.stringify({ object: { id, name: 'slow' } })],
      );
      const result = await act();
      await client.query('commit');
      return result;
    });
  const names = (messages: readonly Message[]) => messages.map(({ data }) => data.project?.name);

  it('sends the owner of a project what webhooks get', async () => {
    const id = await project(owner, 'first');
    const reader = await open(owner);
    await rename(owner, id, 'second');
    await rename(owner, id, 'third');
    const messages = await reader.came(2);
    expect(reader.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(reader.headers['content-encoding']).toBeUndefined();
    expect(Object.keys(messages[0]?.data ?? {})).toEqual(['event', 'project', 'sender', 'before_update', 'changes']);
    expect(names(messages)).toEqual(['second', 'third']);
  });

  it('continues after the last event', async () => {
    const id = await project(owner, 'zero');
    const first = await open(owner, `project_id=${id}`);
    await rename(owner, id, 'one');
    const [message] = await first.came(1);
    first.close();
    for (let number = 2; number < 450; number += 1) {
      await app.db.query(sql`
        insert into outbox_event (name, object_id, project_id, after, occurred_at)
        values ('update:project', ${String(id)}, ${id}, ${JSON.stringify({ object: { id, name: String(number) } })}::json, now())`);
    }
    const second = await open(owner, `project_id=${id}`, { 'Last-Event-ID': message?.id ?? '' });
    await second.came(448);
    await rename(owner, id, 'last');
    const messages = await second.came(449);
    expect(names(messages)).toEqual([...Array.from({ length: 448 }, (_, index) => String(index + 2)), 'last']);
    const third = await open(owner, `project_id=${id}&last_event_id=${messages.at(-2)?.id}`);
    expect(names(await third.came(1))).toEqual(['last']);
  });

  it('includes an event that is committed after an event of a later transaction', async () => {
    const id = await project(owner, 'zero');
    const reader = await open(owner, `project_id=${id}`);
    await rename(owner, id, 'before');
    await reader.came(1);
    await duringSlowChange(id, () => rename(owner, id, 'quick'));
    expect(names(await reader.came(3))).toEqual(['before', 'slow', 'quick']);
  });

  it('starts at the current time, even if transactions are open', async () => {
    const id = await project(owner, 'zero');
    const reader = await duringSlowChange(id, async () => {
      await rename(owner, id, 'before');
      return open(owner, `project_id=${id}`);
    });
    await rename(owner, id, 'after');
    expect(names(await reader.came(2))).toEqual(['slow', 'after']);
  });

  it('is the same stream from every server process', async () => {
    const other = await createTestApp({
      database: { url: app.config.databaseUrl, drop: async () => undefined },
      dataDir: app.config.dataDir,
    });
    try {
      const id = await project(owner, 'zero');
      const [here, there] = [await open(owner, `project_id=${id}`), await open(owner, `project_id=${id}`, {}, other)];
      await rename(owner, id, 'one');
      await there.came(1);
      await other.http
        .patch(`/api/projects/${id}`)
        .set('Authorization', `Token ${owner.token}`)
        .send({ name: 'two' })
        .expect(200);
      const [mine, others] = [await here.came(2), await there.came(2)];
      expect(names(mine)).toEqual(['one', 'two']);
      expect(others).toEqual(mine);
      there.close();
      await rename(owner, id, 'three');
      const again = await open(owner, `project_id=${id}`, { 'Last-Event-ID': mine[0]?.id ?? '' }, other);
      expect(names(await again.came(2))).toEqual(['two', 'three']);
    } finally {
      readers.splice(0).forEach((reader) => reader.close());
      await other.close();
    }
  });

  it('shows only events that the user could create a webhook for', async () => {
    const [stranger, maintainer, worker, admin] = await Promise.all([
      given.person(), given.person(), given.person(), given.admin(),
    ]); // prettier-ignore
    const { slug } = await given.organization(owner, [
      { person: maintainer, role: 'maintainer' },
      { person: worker, role: 'worker' },
    ]);
    const inside = await project(owner, 'inside', `?org=${slug}`);
    const outside = await project(owner, 'outside');
    const streams = await Promise.all([stranger, maintainer, worker, admin].map((person) => open(person)));
    const narrowed = await open(owner, `org=${slug}`);
    await rename(owner, outside, 'outside 2');
    await rename(owner, inside, 'inside 2');
    const ends = await Promise.all([stranger, worker].map((person) => project(person, 'own')));
    await rename(stranger, ends[0] ?? 0, 'own 2');
    await rename(worker, ends[1] ?? 0, 'own 2');
    await Promise.all([streams[1]?.came(1), streams[3]?.came(6), narrowed.came(1)]);
    expect(names(streams[1]?.messages ?? [])).toEqual(['inside 2']);
    expect(names(narrowed.messages)).toEqual(['inside 2']);
    expect(streams[3]?.messages.length).toBe(6);
    for (const index of [0, 2])
      expect(names(streams[index]?.messages ?? []).every((name) => name?.startsWith('own'))).toBe(true);
    await stranger.http.get(`/api/events/stream?org=${slug}`).expect(403);
    await app.http.get('/api/events/stream').expect(401);
  });

  it('stops sending events that the user may no longer receive', async () => {
    const [maintainer, administrator, gone] = [await given.person(), await given.admin(), await given.admin()];
    const { slug } = await given.organization(owner, [{ person: maintainer, role: 'maintainer' }]);
    const inside = await project(owner, 'inside', `?org=${slug}`);
    const begin = jest.spyOn(app.app.get(EventChannels), 'begin');
    const streams = [await open(maintainer, `org=${slug}`), await open(administrator), await open(gone)];
    await rename(owner, inside, 'heard');
    await Promise.all(streams.map((stream) => stream.came(1)));
    await app.db.query(sql`update membership set role = 'worker' where user_id = ${maintainer.id}`);
    await app.db.query(sql`update app_user set groups = '{user}' where id = ${administrator.id}`);
    await app.db.query(sql`update app_user set is_active = false where id = ${gone.id}`);
    begin.mock.calls.forEach(([, , beat], index) => beat?.(begin.mock.results[index]?.value as EventChannel));
    begin.mockRestore();
    await Promise.all([streams[0]?.beaten, streams[1]?.beaten, streams[2]?.ended]);
    const witness = await open(owner);
    await rename(owner, inside, 'unheard');
    await witness.came(1);
    expect(streams.map(({ messages }) => names(messages))).toEqual([['heard'], ['heard'], ['heard']]);
  });

  it('ends when the token, session or password that it was opened with is no longer valid', async () => {
    const person = await given.person();
    const access = await person.http.post('/api/auth/access_tokens').send({ name: 'stream' }).expect(201);
    const key = 'a-session-of-theirs';
    await app.db.query(sql`
      insert into session (key_hash, user_id, created_date, expiry_date)
      values (${fingerprint(key)}, ${person.id}, now(), now() + interval '1 hour')`);
    const begin = jest.spyOn(app.app.get(EventChannels), 'begin');
    const byToken = await open(person);
    const byAccessToken = await open(person, '', { Authorization: `Bearer ${access.body.value}` });
    const bySession = await open(person, '', { Authorization: '', Cookie: `sessionid=${key}; sessionfresh=1` });
    const [old, other] = await Promise.all(['Correct-horse-7', 'Staple-battery-8'].map(encodePassword));
    const second = await given.person();
    await app.db.query(sql`update app_user set password = ${old} where id = ${second.id}`);
    const basic = Buffer.from(`${second.username}:Correct-horse-7`).toString('base64');
    const byPassword = await open(second, '', { Authorization: `Basic ${basic}` });
    const beat = (): void =>
      begin.mock.calls.forEach(([, , beat], index) => beat?.(begin.mock.results[index]?.value as EventChannel));
    beat();
    await Promise.all([byToken, byAccessToken, bySession, byPassword].map(({ beaten }) => beaten));
    await person.http.delete(`/api/auth/access_tokens/${access.body.id}`).expect(204);
    await app.db.query(sql`delete from session where user_id = ${person.id}`);
    await person.http.post('/api/auth/logout').expect(200);
    await app.db.query(sql`update app_user set password = ${other} where id = ${second.id}`);
    beat();
    begin.mockRestore();
    await Promise.all([byToken, byAccessToken, bySession, byPassword].map(({ ended }) => ended));
  });

  it('requires the group of project owners that webhooks require', async () => {
    const [person, admin] = [await given.person(), await given.admin()];
    const id = await project(person, 'mine');
    await admin.http
      .patch(`/api/users/${person.id}`)
      .send({ groups: ['worker'] })
      .expect(200);
    const [deaf, all] = [await open(person), await open(admin)];
    await rename(admin, id, 'mine 2');
    await all.came(1);
    await admin.http
      .patch(`/api/users/${person.id}`)
      .send({ groups: ['user'] })
      .expect(200);
    const hearing = await open(person);
    await rename(admin, id, 'mine 3');
    await hearing.came(1);
    expect([names(hearing.messages), names(deaf.messages)]).toEqual([['mine 3'], []]);
  });

  it('goes on after an event that cannot be shown', async () => {
    const id = await project(owner, 'first');
    const reader = await open(owner, `project_id=${id}`);
    await app.db.query(sql`
      insert into outbox_event (name, object_id, project_id, before, after, occurred_at)
      values ('update:project', ${String(id)}, ${id}, '{"object":null}', '{"object":null}', now())`);
    await rename(owner, id, 'second');
    expect(names(await reader.came(1))).toEqual(['second']);
  });

  it('sends selected events in a selected version', async () => {
    const id = await project(owner, 'zero');
    const reader = await open(owner, `event=update:project&version=2.0&project_id=${id}`);
    await owner.http.post('/api/tasks').send({ name: 'unheard', project_id: id }).expect(201);
    await rename(owner, id, 'heard');
    const messages = await reader.came(2); // the task changed the project, too
    expect(new Set(messages.map(({ data }) => data.event))).toEqual(new Set(['update:project']));
    expect(messages[0]?.data.project).toHaveProperty('tasks');
  });

  it('refuses an unknown project, and one of another user', async () => {
    const id = await project(owner, 'mine');
    const stranger = await given.person();
    await stranger.http.get(`/api/events/stream?project_id=${id}`).expect(403);
    const unknown = await owner.http.get('/api/events/stream?project_id=99999999');
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'No Project matches the given query.' }]);
  });

  it('includes the deletion of a project', async () => {
    const admin = await given.admin();
    const id = await project(admin, 'first');
    const reader = await open(admin, `project_id=${id}`);
    await rename(admin, id, 'second');
    const [message] = await reader.came(1);
    reader.close();
    await admin.http.delete(`/api/projects/${id}`).expect(204);
    const again = await open(admin, `project_id=${id}`, { 'Last-Event-ID': message?.id ?? '' });
    expect((await again.came(1)).map(({ data }) => data.event)).toEqual(['delete:project']);
  });

  it('limits the connections per user', async () => {
    const person = await given.person();
    await Promise.all([open(person), open(person), open(person)]);
    const refused = await person.http.get('/api/events/stream');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '2']);
  });

  it('ends the response to a HEAD request', async () => {
    const { port } = app.app.getHttpServer().address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const path = '/api/events/stream';
    const headers = { Authorization: `Token ${owner.token}` };
    const head = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request({ port, host: '127.0.0.1', method: 'HEAD', path, headers, agent }, (response) =>
          response.resume().on('end', () => resolve(response.statusCode)),
        );
        asked.on('error', reject).end();
      });
    const statuses: (number | undefined)[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push(await head()); // more than a user can have open
    agent.destroy();
    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  it.each([
    ['event=bogus', { event: ['"bogus" is not a valid choice.'] }],
    ['event=update:task,', { event: ['"" is not a valid choice.'] }],
    ['project_id=x', { project_id: ['A valid integer is required.'] }],
    ['project_id=99999999999', { project_id: ['A valid integer is required.'] }],
    ['version=3', { version: ['Choose one of 2.0, 2.1, 2.2.'] }],
    ['last_event_id=999999999999-1', { 'Last-Event-ID': ['This is not the id of an event of this server.'] }],
    ['last_event_id=7', { 'Last-Event-ID': ['This is not the id of an event of this server.'] }],
  ])('refuses %s', async (query, problem) => {
    const answer = await owner.http.get(`/api/events/stream?${query}`);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body: problem });
  });
});
