import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EventLog } from '../../../src/core/event-log/event-log.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

type Row = Record<string, unknown>;

const NOW = new Date('2026-11-25T12:00:00Z');

/** A message whose client is five minutes slow; `at` are seconds before sending. */
const message = (...events: readonly (Row & { at: number })[]): Row => ({
  timestamp: '2026-11-25T11:55:00Z',
  events: events.map(({ at, ...event }) => ({ scope: 'draw:object', timestamp: time(at - 300), ...event })),
});
const time = (seconds: number): string => new Date(NOW.getTime() + seconds * 1000).toISOString();

describe('POST /api/events', () => {
  let app: TestApp;
  let given: Given;
  let person: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    person = await given.person({ email: '' });
    jest.spyOn(app.clock, 'now').mockReturnValue(NOW);
  });
  afterEach(async () => {
    await app.app.get(EventLog).flush();
    last = ((await rows()).at(-1)?.['id'] as number | undefined) ?? last;
  });
  afterAll(() => app.close());

  let last = 0;
  /** The rows of the test. */
  const rows = async (): Promise<Row[]> => {
    await app.app.get(EventLog).flush();
    return app.db.query<Row>(sql`select * from logged_event where id > ${last} order by id`);
  };
  const send = (body: unknown, by = person, query = '') =>
    by.http
      .post(`/api/events${query}`)
      .set('User-Agent', 'test')
      .send(body as object);

  it('corrects times, fills in person and organization, and stores the rows', async () => {
    const { slug, id } = await given.organization(person);
    const sent = { ...message({ at: -10, obj_name: 'rectangle', count: 2, job_id: 7, payload: '{"a":[1,"é"]}' }) };
    const response = await send(sent, person, `?org=${slug}`).expect(201);
    const accepted = {
      scope: 'draw:object',
      obj_name: 'rectangle',
      timestamp: '2026-11-25T11:59:50Z',
      count: 2,
      job_id: 7,
      duration: 0,
      source: 'client',
      payload: String.raw`{"a": [1, "\u00e9"]}`,
      user_id: person.id,
      user_name: person.username,
      user_email: null,
      org_id: id,
      org_slug: slug,
    };
    expect(response.body).toEqual({ events: [accepted], previous_event: null, timestamp: sent['timestamp'] });
    const { timestamp: _, ...columns } = accepted;
    expect(await rows()).toMatchObject([
      {
        ...columns,
        event_time: '2026-11-25T11:59:50Z',
        created_date: '2026-11-25T12:00:00Z',
        task_id: null,
        address: '127.0.0.1',
        credential: 'token',
        token_name: null,
        is_audit: false,
        request_id: response.headers['x-request-id'],
      },
    ]);
  });

  it('overwrites a person who was sent, and keeps microseconds', async () => {
    const forged = { user_id: 1, user_name: 'x', user_email: 'x', org_id: 5, org_slug: 'y', source: 'client' };
    const response = await send({
      timestamp: '2026-11-25T11:55:00.000001Z',
      events: [{ scope: 'load:cvat', timestamp: '2026-11-25T11:55:00.672082Z', ...forged }],
      previous_event: { scope: 'nonsense', timestamp: '2026-11-25T11:54:00Z' },
    }).expect(201);
    expect(response.body.events[0]).toEqual({
      scope: 'load:cvat',
      timestamp: '2026-11-25T12:00:00.672081Z',
      duration: 0,
      source: 'client',
      payload: '{}',
      user_id: person.id,
      user_name: person.username,
      user_email: null,
      org_id: null,
      org_slug: null,
    });
    expect(response.body.previous_event).toEqual({
      scope: 'nonsense',
      timestamp: '2026-11-25T11:58:59.999999Z',
      duration: 0,
    });
  });

  it('adds the working time before the events, and does not store activity', async () => {
    const events = [
      { at: -300, job_id: 1 },
      { at: -290, job_id: 1 },
      { at: -189.5, job_id: 1 },
      { at: -89.6, job_id: 2 },
      { at: -80, job_id: 2, scope: 'change:frame', duration: 5000 },
      { at: -77, job_id: 2 },
      { at: -70, scope: 'user:activity' },
      { at: -60 },
    ];
    const response = await send(message(...events)).expect(201);
    expect(response.body.events).toHaveLength(8);
    const stored = await rows();
    expect(stored.map(({ scope }) => scope)).toEqual([
      ...Array<string>(3).fill('send:working_time'),
      ...events.map(({ scope = 'draw:object' }) => scope).filter((scope) => scope !== 'user:activity'),
    ]);
    expect(stored.slice(0, 3).map(({ duration, job_id: job }) => [duration, job])).toEqual([
      [109_900, 1],
      [19_600, 2],
      [10_000, null],
    ]);
    expect(stored[0]).toMatchObject({ source: 'server', count: 1, event_time: '2026-11-25T11:55:00Z' });
    expect(JSON.parse(stored[0]?.['payload'] as string)).toEqual({
      working_time: 109_900,
      request: { id: response.headers['x-request-id'], user_agent: 'test' },
    });
  });

  it('accepts a message without events', async () => {
    await send({ timestamp: time(0) }).expect(201, { events: [], previous_event: null, timestamp: time(0) });
    expect(await rows()).toEqual([]);
  });

  const AT = { scope: 'draw:object', timestamp: time(0) };
  const DATE =
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';
  it.each<[string, unknown, unknown]>([
    ['no time', {}, { timestamp: ['This field is required.'] }],
    ['a time that is not one', { timestamp: 'NaN' }, { timestamp: [DATE] }],
    ['a number as time', { timestamp: NaN }, { timestamp: ['This field may not be null.'] }],
    ['a word as count', { timestamp: time(0), events: [{ ...AT, count: 'x' }] }, { events: [{ count: ['A valid integer is required.'] }] }],
    ['a good and a bad event', { timestamp: time(0), events: [AT, { ...AT, duration: 1.5 }] }, { events: [{}, { duration: ['A valid integer is required.'] }] }],
    ['an event without anything', { timestamp: time(0), events: [{}] }, { events: [{ scope: ['This field is required.'], timestamp: ['This field is required.'] }] }],
    ['a blank text', { timestamp: time(0), events: [{ ...AT, obj_name: '' }] }, { events: [{ obj_name: ['This field may not be blank.'] }] }],
    ['a list as payload', { timestamp: time(0), events: [{ ...AT, payload: [] }] }, { events: [{ payload: ['Not a valid string.'] }] }],
    ['text as events', { timestamp: time(0), events: 'x' }, { events: ['Expected a list of items but got type "str".'] }],
    ['an unknown scope', { timestamp: time(0), events: [AT, { ...AT, scope: 'foo:bar' }] }, { scope: 'Event scope **foo:bar** is not allowed from client' }],
    ['a scope of the server', { timestamp: time(0), events: [{ ...AT, scope: 'create:task' }] }, { scope: 'Event scope **create:task** is not allowed from client' }],
    ['another source', { timestamp: time(0), events: [{ ...AT, source: 'server' }] }, { scope: 'Event scope **draw:object** is not allowed from server' }],
    ['no source', { timestamp: time(0), events: [{ ...AT, source: null }] }, { scope: 'Event scope **draw:object** is not allowed from None' }],
    ['a payload that is not JSON', { timestamp: time(0), events: [{ ...AT, payload: '{a' }] }, { payload: 'JSON payload is not valid in passed event' }],
    ['a payload without end', { timestamp: time(0), events: [{ ...AT, payload: '['.repeat(5000) + ']'.repeat(5000) }] }, { payload: 'JSON payload is not valid in passed event' }],
    ['a year after 9999', { timestamp: '0001-01-01T00:00:00Z', events: [{ ...AT, timestamp: '9999-12-31T00:00:00Z' }] }, { timestamp: ['The year must be between 1 and 9999.'] }],
  ])('refuses %s, and the whole message', async (_, body, problem) => {
    const response = await send(body).expect(400);
    expect(response.body).toEqual(problem);
    expect((await rows()).filter(({ source }) => source === 'client')).toEqual([]);
  }); // prettier-ignore

  it('takes any JSON as payload, and characters that the database cannot store', async () => {
    const payloads = ['[1]', 'null', '"a"', '{}', String.raw`{"a": "\u0000\ud800"}`];
    await send(message(...payloads.map((payload) => ({ at: 0, payload })))).expect(201);
    expect((await rows()).map(({ payload }) => payload)).toEqual(payloads);
  });

  it('refuses large bodies, other types and anonymous clients', async () => {
    await app.http.post('/api/events').send(message()).expect(401);
    await person.http.post('/api/events').set('Content-Type', 'text/plain').send('x').expect(415);
    const long = { ...message({ at: 0, payload: JSON.stringify('x'.repeat(11_000_000)) }) };
    await send(long).expect(413);
    await send(message(...Array.from({ length: 5001 }, () => ({ at: 0 })))).expect(400);
  });

  it('is for everybody, in an organization for its members', async () => {
    const { slug } = await given.organization(person);
    const nobody = await given.person({ groups: [] });
    await send(message({ at: 0 }), nobody).expect(201);
    await send(message({ at: 0 }), nobody, `?org=${slug}`).expect(403);
    await send(message({ at: 0 }), await given.admin(), `?org=${slug}`).expect(201);
    await send(message({ at: 0 }), person, '?org=unknown').expect(404);
  });
});
