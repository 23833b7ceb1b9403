import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';

const BASIC = ['url', 'id', 'username', 'first_name', 'last_name'];
const FULL =
  'url id username first_name last_name email groups is_staff is_superuser is_active last_login date_joined has_analytics_access'.split(
    ' ',
  );
const DENIED = { detail: 'You do not have permission to perform this action.' };

describe('users', () => {
  let app: TestApp;
  let given: Given;
  let admin: Person;
  let user: Person;
  let member: Person;
  let stranger: Person;
  let organization: { id: number; slug: string };

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    admin = await given.admin();
    user = await given.person();
    member = await given.person({ groups: [] });
    stranger = await given.person();
    organization = await given.organization(user, [{ person: member, role: 'worker' }]);
  });
  afterAll(() => app.close());

  const ids = (body: { results: { id: number }[] }): number[] => body.results.map(({ id }) => id);

  it('shows staff everything and others only themselves in full', async () => {
    expect(Object.keys((await user.http.get('/api/users/self')).body)).toEqual(FULL);
    expect(Object.keys((await user.http.get(`/api/users/${user.id}`)).body)).toEqual(FULL);
    expect(Object.keys((await admin.http.get(`/api/users/${user.id}`)).body)).toEqual(FULL);
    const [own] = (await user.http.get('/api/users')).body.results;
    expect(Object.keys(own)).toEqual(BASIC);
    const [any] = (await admin.http.get('/api/users')).body.results;
    expect(Object.keys(any)).toEqual(FULL);
    const colleague = await member.http.get(`/api/users/${user.id}?org=${organization.slug}`);
    expect(Object.keys(colleague.body)).toEqual(BASIC);
    const outsider = await member.http.get(`/api/users/${stranger.id}?org=${organization.slug}`);
    expect([outsider.status, outsider.body]).toEqual([403, DENIED]);
    expect((await admin.http.get(`/api/users/${stranger.id}?org=${organization.slug}`)).status).toBe(200);
  });

  it('omits the analytics access if it is unknown', async () => {
    const imported = await given.person();
    await app.db.query(sql`update app_user set has_analytics_access = null where id = ${imported.id}`);
    expect((await imported.http.get('/api/users/self')).body).not.toHaveProperty('has_analytics_access');
  });

  it('lists the user themselves, the members of the organization, or everyone', async () => {
    expect(ids((await user.http.get('/api/users')).body)).toEqual([user.id]);
    expect(ids((await user.http.get('/api/users?org=')).body)).toEqual([user.id]);
    expect(ids((await member.http.get(`/api/users?org=${organization.slug}`)).body)).toEqual([member.id, user.id]);
    expect(ids((await admin.http.get(`/api/users?org_id=${organization.id}`)).body)).toEqual([member.id, user.id]);
    expect((await admin.http.get('/api/users')).body.count).toBeGreaterThanOrEqual(4);
    expect(ids((await admin.http.get(`/api/users?username=${stranger.username}`)).body)).toEqual([stranger.id]);
    expect((await admin.http.get('/api/users?is_active=false')).body.count).toBe(0);
    const foreign = await stranger.http.get(`/api/users?org=${organization.slug}`);
    expect([foreign.status, foreign.body]).toEqual([403, DENIED]);
  });

  it('refuses forbidden fields and reports unknown ones', async () => {
    expect((await user.http.get(`/api/users/${stranger.id}`)).body).toEqual(DENIED);
    expect((await user.http.patch(`/api/users/${stranger.id}`).send({ first_name: 'x' })).body).toEqual(DENIED);
    expect((await user.http.delete(`/api/users/${stranger.id}`)).status).toBe(403);
    const missing = await user.http.get('/api/users/999999');
    expect([missing.status, missing.body]).toEqual([404, { detail: 'No User matches the given query.' }]);
    expect((await user.http.get('/api/users/abc')).body).toEqual({ detail: 'Not found.' });
    expect((await user.http.post('/api/users').send({})).body).toEqual(DENIED);
  });

  it('lets people change only their names', async () => {
    const change = (body: object) => user.http.patch(`/api/users/${user.id}`).send(body);
    const done = await change({ first_name: ' Ann ', last_name: '' });
    expect(done.body).toEqual({
      url: expect.any(String),
      id: user.id,
      username: user.username,
      first_name: 'Ann',
      last_name: '',
    });
    expect((await change({ groups: ['admin'] })).body).toEqual({
      non_field_errors: ["You do not have permissions to access some of these fields: {'groups'}"],
    });
    expect((await change({ email: 'x@example.org' })).body).toEqual({
      non_field_errors: ["Got unknown fields: {'email'}"],
    });
    expect((await change({ username: stranger.username })).body).toEqual({
      username: ['A user with that username already exists.'],
    });
    expect((await change({ username: 'a b' })).status).toBe(400);
    const taken = [
      stranger.username.toUpperCase(),
      stranger.username.replace('p', '\u0440'), // Cyrillic
      stranger.username.replace('p', '\u03a1'), // Greek
      stranger.username.replace('p', '\uff50'), // full width
      `${stranger.username}@EXAMPLE.org`, // somebody's e-mail address
    ];
    for (const username of taken) {
      const answer = await change({ username });
      expect([username, answer.status, answer.body]).toEqual([
        username,
        400,
        { username: ['A user with that username already exists.'] },
      ]);
    }
    expect((await change({ username: user.username.toUpperCase() })).status).toBe(200);
    expect((await change({ username: user.username })).status).toBe(200);
    expect((await change({ first_name: 'x'.repeat(151) })).body).toEqual({
      first_name: ['Ensure this field has no more than 150 characters.'],
    });
    expect((await change({})).status).toBe(200);
  });

  it('lets staff change everything, ignoring unknown keys', async () => {
    const person = await given.person();
    const change = (body: object) => admin.http.patch(`/api/users/${person.id}`).send(body);
    const done = await change({
      groups: ['worker', 'admin'],
      is_staff: true,
      email: '',
      is_active: 'true',
      unknown: 1,
    });
    expect(done.body).toMatchObject({ groups: ['admin', 'worker'], is_staff: true, email: '', is_active: true });
    expect((await change({ groups: ['x'] })).body).toEqual({ groups: ['Object with name=x does not exist.'] });
    expect((await change({ groups: 'user' })).body).toEqual({
      groups: ['Expected a list of items but got type "str".'],
    });
    expect((await change({ is_active: false })).status).toBe(200);
    expect((await person.http.get('/api/users/self')).body).toEqual({ detail: 'User inactive or deleted.' });
  });

  it('keeps an administrator', async () => {
    const refused = ['This is the last active administrator. Make another user an administrator first.'];
    const second = await given.admin();
    expect((await admin.http.patch(`/api/users/${second.id}`).send({ is_active: false })).status).toBe(200);
    const gone = await admin.http.delete(`/api/users/${admin.id}`);
    expect([gone.status, gone.body]).toEqual([400, refused]);
    const third = await given.admin();
    expect((await third.http.delete(`/api/users/${third.id}`)).status).toBe(204);
  });

  it('makes staff with superuser rights a member of the group admin, but not the other way round', async () => {
    const change = async (person: Person, body: object): Promise<unknown> =>
      (await admin.http.patch(`/api/users/${person.id}`).send(body).expect(200)).body;
    const [boss, member] = [await given.person(), await given.person()];
    expect(await change(boss, { is_staff: true })).toMatchObject({ groups: ['user'] });
    expect(await change(boss, { is_superuser: true })).toMatchObject({ groups: ['admin', 'user'] });
    const groups = ['user'];
    expect(await change(boss, { is_staff: true, groups })).toMatchObject({
      groups,
      is_staff: true,
      is_superuser: true,
    });
    expect(await change(member, { groups: ['admin'] })).toMatchObject({
      groups: ['admin'],
      is_staff: false,
      is_superuser: false,
    });
    for (const { id } of [boss, member]) await admin.http.delete(`/api/users/${id}`).expect(204);
  });

  it.each([
    ['is_active', false, 'You cannot disable your own account. Ask another administrator.'],
    ['is_staff', false, 'You cannot remove your own administrator rights. Ask another administrator.'],
    ['is_superuser', false, 'You cannot remove your own administrator rights. Ask another administrator.'],
    ['groups', ['user'], 'You cannot remove your own administrator rights. Ask another administrator.'],
  ])('does not let administrators set their own %s to %j', async (field, value, problem) => {
    const change = { [field]: value };
    const second = await given.admin();
    const own = await second.http.patch(`/api/users/${second.id}`).send(change);
    expect([own.status, own.body]).toEqual([400, { [field]: [problem] }]);
    const kept = { is_active: true, is_staff: true, is_superuser: true, groups: ['admin', 'user'] };
    expect((await second.http.patch(`/api/users/${second.id}`).send(kept)).body).toMatchObject(kept);
    expect((await admin.http.patch(`/api/users/${second.id}`).send(change)).body).toMatchObject(change);
    await admin.http.delete(`/api/users/${second.id}`).expect(204);
  });

  it('keeps one of two administrators who demote each other at the same time', async () => {
    const second = await given.admin();
    const demote = (by: Person, whom: Person) => by.http.patch(`/api/users/${whom.id}`).send({ groups: ['user'] });
    const answers = await Promise.all([demote(admin, second), demote(second, admin)]);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    await app.db.query(sql`update app_user set groups = '{admin}' where id = ${admin.id}`);
    await app.db.query(sql`delete from app_user where id = ${second.id}`);
  });

  it('deletes people, and records events for their memberships', async () => {
    const leaver = await given.person();
    await given.organization(user, [{ person: leaver, role: 'worker' }]);
    expect((await leaver.http.delete(`/api/users/${leaver.id}`)).status).toBe(204);
    expect((await admin.http.get(`/api/users/${leaver.id}`)).status).toBe(404);
    expect((await leaver.http.get('/api/users/self')).status).toBe(401);
    expect((await recordedEvents(app)).map(({ name }) => name).slice(-2)).toEqual(['delete:membership', 'delete:user']);
  });
});
