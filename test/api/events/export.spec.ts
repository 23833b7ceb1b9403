import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog } from '../../../src/core/event-log/event-log.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { EventExportHandler } from '../../../src/modules/events/export/event-export.handler.js';
import { RequestHandlers, RequestWorker } from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

const HEADER =
  'scope,obj_name,obj_id,obj_val,source,timestamp,count,duration,project_id,task_id,job_id,user_id,user_name,user_email,org_id,org_slug,payload,access_token_id';
const UUID = '4c9bcbd6-3a54-4a7c-8d65-0a3c3f1c0f5e';

describe('exports of events', () => {
  let app: TestApp;
  let given: Given;
  let admin: Person;
  let person: Person;
  let maintainer: Person;
  let member: Person;
  let organization: { id: number; slug: string };

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    admin = await given.admin();
    [person, maintainer, member] = [await given.person(), await given.person(), await given.person()];
    organization = await given.organization(await given.person(), [
      { person: maintainer, role: 'maintainer' },
      { person: member, role: 'worker' },
    ]);
    const now = Date.now();
    const send = (by: Person, query: string, events: object[]) =>
      by.http
        .post(`/api/events${query}`)
        .send({ timestamp: new Date(now), events })
        .expect(201);
    const at = (milliseconds: number, more = {}) => ({
      scope: 'draw:object', timestamp: new Date(now - 3_600_000 + milliseconds), ...more,
    }); // prettier-ignore
    await send(person, '', [
      at(123, { scope: 'load:job', obj_val: 'line\nbreak', count: 3, duration: 7, obj_id: 4 }),
      at(2000, { obj_name: 'a "quoted", text', payload: '{"a": "x,y"}', job_id: 5, task_id: 3, project_id: 1 }),
      at(200_000, { scope: 'send:exception', payload: '{"message": "x"}' }),
    ]);
    await send(maintainer, `?org=${organization.slug}`, [at(3_600_000)]);
    await send(member, `?org=${organization.slug}`, [at(3_600_000)]);
    await person.http.get('/api/tasks/99').expect(404);
    await app.drain();
    await app.app.get(EventLog).flush();
  });
  afterAll(() => app.close());

  const finish = (): Promise<void> => app.app.get(RequestWorker).drain();
  const start = async (by: Person, query = ''): Promise<string> => {
    const { body } = await by.http.post(`/api/events/export${query}`).expect(202);
    return body.rq_id;
  };
  const download = (by: Person, id: string) =>
    by.http.get(`/api/events/download?rq_id=${encodeURIComponent(id)}`).buffer(true);
  const lines = async (by: Person, query = ''): Promise<string[]> => {
    const id = await start(by, query);
    await finish();
    return (await download(by, id).expect(200)).text.split('\r\n');
  };
  const people = async (by: Person, query: string): Promise<string[]> => [
    ...new Set((await lines(by, query)).slice(1, -1).map((line) => /,(p-[0-9a-f]{8}),/.exec(line)?.[1] ?? '')),
  ];

  it('are CSV in the dialect of the contract, oldest first', async () => {
    const id = await start(person);
    expect(id).toMatch(new RegExp(`^action=export&target=events&id=[0-9a-f-]{36}&user_id=${person.id}$`));
    const early = await download(person, id).expect(400);
    expect(early.text).toBe('The export process is not finished');
    await finish();
    const request = await person.http.get(`/api/requests/${encodeURIComponent(id)}`).expect(200);
    expect(request.body).toMatchObject({
      status: 'finished',
      operation: { type: 'export:events', target: 'events', format: null, project_id: null },
      result_url: `${app.url}/api/events/download?rq_id=${encodeURIComponent(id)}`,
    });
    const { text, headers } = await download(person, id)
      .expect(200)
      .expect('Content-Type', /^text\/csv/);
    expect(headers['content-disposition']).toMatch(/logs_\d{4}(_\d\d){5}\.csv/);
    const own = `${person.id},${person.username},${person.username}@example.org,,`;
    const rows = text.split('\r\n');
    expect(rows[0]).toBe(HEADER);
    expect(rows[2]).toMatch(/^load:job,,4,"line\nbreak",client,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3}000)?,3,7,,,,/);
    expect(rows[2]).toContain(`,${own},{}`);
    expect(rows[1]).toMatch(/^send:working_time,,,,server,/);
    expect(rows[3]).toMatch(/^draw:object,"a ""quoted"", text",,,client,/);
    expect(rows[3]).toContain(`,,0,1,3,5,${own},"{""a"": ""x,y""}"`);
    expect(rows.slice(4)).toEqual(['']);
  });

  it.each<[string, () => [Person, string], () => string[]]>([
    ['all to administrators', () => [admin, ''], () => [person.username, maintainer.username, member.username]],
    ['of an organization to administrators', () => [admin, `?org_id=${organization.id}`], () => [maintainer.username, member.username]],
    ['of an organization to maintainers', () => [maintainer, `?org=${organization.slug}`], () => [maintainer.username, member.username]],
    ['their own in an organization to others', () => [member, `?org=${organization.slug}`], () => [member.username]],
    ['their own to everybody', () => [member, ''], () => [member.username]],
    ['of a user', () => [admin, `?user_id=${person.id}`], () => [person.username]],
    ['of a job', () => [admin, '?job_id=5'], () => [person.username]],
    ['of a time', () => [admin, `?to=2020-01-01T00:00:00Z`], () => []],
  ])('give rows %s', async (_, request, names) => expect(await people(...request())).toEqual(names())); // prettier-ignore

  it.each<[string, () => [Person, string], number, unknown]>([
    ['another user', () => [person, `?user_id=${admin.id}`], 403, () => ({ detail: `You don't have permission to view events with user_id=${admin.id}` })],
    ['a foreign organization', () => [person, `?org_id=${organization.id}`], 403, { detail: 'You do not have permission to perform this action.' }],
    ['an id that is not a number', () => [person, '?task_id=x'], 400, ["'task_id' must be an integer"]],
    ['a time that is not one', () => [person, '?from=foo'], 400, ["Cannot parse 'from' datetime parameter: foo"]],
    ['a time without a zone', () => [person, '?to=2026-01-01T00:00:00'], 400, ["Cannot parse 'to' datetime parameter: 2026-01-01T00:00:00"]],
    ['an end before the start', () => [person, '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'], 400, ["'from' must be before than 'to'"]],
  ])('refuse %s', async (_, request, status, body) => {
    const [by, query] = request();
    const response = await by.http.post(`/api/events/export${query}`).expect(status);
    expect(response.body).toEqual(typeof body === 'function' ? (body as () => unknown)() : body);
  }); // prettier-ignore

  it('are for people with a group, and files for those who asked', async () => {
    await (await given.person({ groups: [] })).http.post('/api/events/export').expect(403);
    await app.http.post('/api/events/export').expect(401);
    const id = await start(person, `?filename=mine.csv&from=${encodeURIComponent('2026-01-01T00:00:00+01:00')}`);
    await finish();
    await download(maintainer, id).expect(403);
    const { headers } = await download(admin, id).expect(200);
    expect(headers['content-disposition']).toContain('mine.csv');
    const refusal = async (query: string): Promise<unknown> =>
      (await person.http.get(`/api/events/download${query}`).expect(400)).body;
    expect(await refusal('')).toEqual(['Missing request id in the query parameters']);
    expect(await refusal('?rq_id=x')).toEqual(['Unexpected request id format']);
    const other = encodeURIComponent('action=export&target=task&target_id=1&user_id=1');
    expect(await refusal(`?rq_id=${other}`)).toEqual(['Invalid export request id']);
  });

  it('are downloaded once in the older form', async () => {
    const get = (query: string, by = person) => by.http.get(`/api/events?${query}`).buffer(true);
    const { body, headers } = await get('').expect(202);
    expect(headers['deprecation']).toBe('@1742169600');
    const query = `query_id=${body.query_id}`;
    await get(query).expect(202, { query_id: body.query_id });
    await get(`${query}&action=download`).expect(202);
    await finish();
    await get(query, maintainer).expect(202); // unknown to others: another export
    const ready = await get(query).expect(201).expect('Deprecation', '@1742169600');
    expect(ready.text).toBe('');
    const file = await get(`${query}&action=download&filename=mine.csv`).expect(200);
    expect(file.headers['content-disposition']).toContain('filename="mine.csv"');
    expect(file.text).toContain(HEADER);
    expect(file.headers['deprecation']).toBeUndefined();
    // It is forgotten after the last byte was sent.
    let again = await get(query);
    while (again.status === 201) again = await get(query);
    expect(again.status).toBe(202); // a new export
    await finish();
    const problem = async (text: string): Promise<unknown> =>
      (await get(text).expect(400).expect('Deprecation', '@1742169600')).body;
    expect(await problem('action=x')).toEqual(['Unexpected action specified for the request']);
    const cloud = ['This endpoint does not support exporting events to cloud storage'];
    expect(await problem('location=cloud_storage')).toEqual(cloud);
    expect(await problem('cloud_storage_id=1')).toEqual(cloud);
    expect(await problem('query_id=x')).toEqual(["'query_id' must be a UUID"]);
  });

  it('that fail are forgotten in the older form', async () => {
    const handler = app.app.get(EventExportHandler);
    expect(app.app.get(RequestHandlers).find('export:events')).toBe(handler);
    await person.http.get(`/api/events?query_id=${UUID}`).expect(202);
    await app.db.query(
      sql`update background_request set status = 'failed', finished_date = now() where id like ${`%${UUID}%`}`,
    );
    const { body } = await person.http.get(`/api/events?query_id=${UUID}`).expect(500);
    expect(body).toBe('The export of the events has failed. Start it again.');
    await person.http.get(`/api/events?query_id=${UUID}`).expect(202);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("http://x";"y")', "'=1"])(
    'contain the name %j as a text that no spreadsheet computes',
    async (name) => {
      const { body: project } = await person.http
        .post('/api/projects')
        .send({ name: `x${name}` })
        .expect(201);
      await person.http.patch(`/api/projects/${project.id}`).send({ name }).expect(200);
      await app.drain();
      const found = await lines(person, `?project_id=${project.id}`);
      const row = found.find((line) => line.startsWith('update:project,name,'));
      const cell = /^update:project,name,,("(?:[^"]|"")*"|[^,]*),/.exec(row ?? '')?.[1] ?? '';
      expect(cell.replace(/^"|"$/g, '').replaceAll('""', '"')).toBe(`'${name}`);
    },
  );

  it('contain the changes that were committed before, even if they are still to be relayed', async () => {
    const { body: project } = await person.http.post('/api/projects').send({ name: 'new' }).expect(201);
    const id = await start(person, `?project_id=${project.id}`);
    const finished = finish();
    await app.drain();
    await finished;
    const { text } = await download(person, id).expect(200);
    expect(text.split('\r\n').map((line) => line.split(',')[0])).toContain('create:project');
  });
});
