import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog } from '../../../src/core/event-log/event-log.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { encodePassword } from '../../../src/engines/password/encoded-password.js';
import type { AuditRecordDto } from '../../../src/modules/events/audit/audit.dto.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, NEWEST, type Person } from '../../support/given.js';

describe('the audit log', () => {
  let app: TestApp;
  let given: Given;
  let admin: Person;
  let owner: Person;
  let member: Person;
  let organization: { id: number; slug: string };
  let project: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    [admin, owner, member] = [await given.admin(), await given.person(), await given.person()];
    organization = await given.organization(owner, [{ person: member, role: 'maintainer' }]);
    const created = await owner.http.post(`/api/projects?org=${organization.slug}`).send({ name: '=1+1' }).expect(201);
    project = created.body.id;
  });
  afterAll(() => app.close());

  const records = async (query = '', by = admin): Promise<AuditRecordDto[]> => {
    await app.app.get(EventLog).flush();
    await app.drain();
    const response = await by.http.get(`/api/events/audit${query}`).set('Accept', NEWEST).expect(200);
    return response.body.results;
  };

  it('shows who changed what, from where and with which token', async () => {
    const token = await owner.http
      .post('/api/auth/access_tokens')
      .set('Accept', NEWEST)
      .send({ name: 'ci', read_only: false })
      .expect(201);
    await app.http
      .patch(`/api/projects/${project}`)
      .set('Authorization', `Bearer ${token.body.value}`)
      .set('X-Forwarded-For', '203.0.113.9')
      .set('User-Agent', 'script')
      .send({ bug_tracker: 'http://bugs' })
      .expect(200);
    const [record] = await records(`?project_id=${project}&action=update:project`);
    expect(record).toEqual({
      id: expect.any(Number),
      timestamp: expect.any(String),
      action: 'update:project',
      user: { id: owner.id, username: owner.username, email: `${owner.username}@example.org` },
      organization_id: organization.id,
      organization_slug: organization.slug,
      project_id: project,
      task_id: null,
      job_id: null,
      object_id: project,
      object_name: '=1+1',
      count: null,
      field: 'bug_tracker',
      old_value: '',
      new_value: 'http://bugs',
      status_code: null,
      message: null,
      address: '203.0.113.9',
      credential: 'bearer',
      token_id: token.body.id,
      token_name: 'ci',
      user_agent: 'script',
      request_id: expect.any(String),
    });
    expect(JSON.stringify(await app.db.query(sql`select * from logged_event`))).not.toContain(token.body.value);
  });

  it('shows log-ins, failed log-ins and log-outs', async () => {
    const password = 'a-long-passphrase-7';
    const person = await given.person();
    const encoded = await encodePassword(password);
    await app.db.query(sql`update app_user set password = ${encoded} where id = ${person.id}`);
    const { username } = person;
    const login = (secret: string) => app.http.post('/api/auth/login').send({ username, password: secret });
    const { body } = await login(password).expect(200);
    await login('wrong-secret').expect(400);
    await app.http.get('/api/users/self').auth(username, 'wrong-secret').expect(401);
    await app.http.get('/api/users/self').auth(username, password).expect(200);
    await app.http.get('/api/users/self').set('Authorization', 'Token wrong-secret').expect(401);
    await app.http.get('/api/users/self').expect(401);
    await app.http.post('/api/auth/logout').set('Authorization', `Token ${body.key}`).expect(200);
    const found = (await records('?page_size=4')).map(({ action, user, object_name: name, status_code: status }) => [
      action,
      user?.id ?? null,
      name,
      status,
    ]);
    expect(found).toEqual([
      ['logout', person.id, username, null],
      ['deny:login', null, null, 401],
      ['deny:login', null, username, 401],
      ['deny:login', null, username, 400],
    ]);
    expect(await records(`?action=login&user=${username}`)).toMatchObject([{ credential: null, address: '127.0.0.1' }]);
    const [, , , wrong] = await records('?page_size=4');
    expect(wrong).toMatchObject({ message: 'Unable to log in with provided credentials.' });
    const everything = JSON.stringify(await app.db.query(sql`select * from logged_event`));
    expect(everything).not.toMatch(/wrong-secret|passphrase/);
  });

  it('shows requests that were refused, to the owner of the organization', async () => {
    const stranger = await given.person();
    const refused = await stranger.http.delete(`/api/projects/${project}?secret_key=hidden`).expect(403);
    expect(await records(`?action=deny:access`, owner)).toMatchObject([
      {
        user: { id: stranger.id },
        object_name: `DELETE /api/projects/${project}`,
        project_id: project,
        organization_id: organization.id,
        organization_slug: organization.slug,
        status_code: 403,
        request_id: refused.headers['x-request-id'],
      },
    ]);
    await stranger.http.get('/api/projects/99999').expect(404);
    await stranger.http.post('/api/projects').send({}).expect(400);
    await app.app.get(EventLog).flush();
    const exceptions = await app.db.query<{ payload: string }>(sql`
      select payload from logged_event where scope = 'send:exception' and user_id = ${stranger.id} order by id`);
    const payloads = exceptions.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
    expect(payloads).toMatchObject([
      { basename: 'project', action: 'destroy', status_code: 403, request: { method: 'DELETE', query_params: { secret_key: '…' } } },
      { basename: 'project', action: 'retrieve', status_code: 404 },
      { basename: 'project', action: 'create', status_code: 400, message: expect.stringContaining('required') },
    ]); // prettier-ignore
  });

  it('is for administrators, and for owners of organizations', async () => {
    const all = await records('?page_size=all');
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => b - a));
    const own = await records('?page_size=all', owner);
    expect(own.length).toBeLessThan(all.length);
    expect(new Set(own.map(({ organization_id: id }) => id))).toEqual(new Set([organization.id]));
    expect(await records('', member)).toEqual([]);
    const inContext = `/api/events/audit?org=${organization.slug}`;
    await owner.http.get(inContext).expect(200);
    await member.http.get(inContext).expect(403);
    await (await given.person()).http.get(inContext).expect(403);
    await admin.http.get(inContext).expect(200);
    await app.http.get('/api/events/audit').expect(401);
  });

  it('has filters, search, sorting and pages', async () => {
    expect((await records('?search=bugs')).map(({ action }) => action)).toEqual(['update:project']);
    const filter = encodeURIComponent(JSON.stringify({ and: [{ '==': [{ var: 'action' }, 'create:project'] }, { '>=': [{ var: 'timestamp' }, '2020-01-01T00:00:00Z'] }] })); // prettier-ignore
    expect(await records(`?filter=${filter}`)).toMatchObject([{ action: 'create:project', object_id: project }]);
    expect((await records('?sort=id&page_size=1'))[0]?.id).toBe(
      Math.min(...(await records('?page_size=all')).map(({ id }) => id)),
    );
  });

  it('can be downloaded as CSV that spreadsheets do not execute', async () => {
    const { text, headers } = await owner.http.get('/api/events/audit/csv?action=create:project').expect(200);
    expect(headers['content-disposition']).toContain('audit_log.csv');
    const [head, row, end] = text.split('\r\n');
    expect(head).toMatch(/^id,timestamp,action,user_id,username,email,organization_id/);
    expect(row).toContain(`,${project},'=1+1,`);
    expect(end).toBe('');
    await member.http.get(`/api/events/audit/csv?org=${organization.slug}`).expect(403);
  });
});
