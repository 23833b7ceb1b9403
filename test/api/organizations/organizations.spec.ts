import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';

describe('organizations', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let stranger: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    stranger = await given.person();
  });
  afterAll(() => app.close());

  it('creates one, with the creator as its first member', async () => {
    const sent = { slug: 'goldorg', name: 'Gold', description: 'd', contact: { email: 'g@example.org' } };
    const made = await owner.http.post('/api/organizations').send(sent);
    expect(made.status).toBe(201);
    expect(made.get('Location')).toBeUndefined();
    expect(Object.keys(made.body)).toEqual(
      'id slug name description created_date updated_date contact owner'.split(' '),
    );
    expect(made.body).toMatchObject({ ...sent, owner: { id: owner.id, username: owner.username } });
    expect((await owner.http.get(`/api/organizations/${made.body.id}`)).body).toEqual(made.body);
    const members = (await owner.http.get(`/api/memberships?org_id=${made.body.id}`)).body.results;
    expect(members).toEqual([
      expect.objectContaining({
        role: 'owner',
        is_active: true,
        invitation: null,
        joined_date: made.body.created_date,
      }),
    ]);
  });

  it('uses the slug as the default name', async () => {
    expect((await owner.http.post('/api/organizations').send({ slug: 'plain' })).body).toMatchObject({
      name: 'plain',
      contact: {},
    });
    expect((await owner.http.post('/api/organizations').send({ slug: 'empty', name: '' })).body.name).toBe('');
  });

  it.each([
    [{ slug: 'goldorg' }, { slug: ['organization with this slug already exists.'] }],
    [{ slug: 'bad slug!' }, { slug: ['Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.'] }],
    [{}, { slug: ['This field is required.'] }],
    [{ slug: 'x'.repeat(17) }, { slug: ['Ensure this field has no more than 16 characters.'] }],
    [{ slug: 'ok', contact: null }, { contact: ['This field may not be null.'] }],
  ])('refuses %j', async (body, error) => {
    const answer = await owner.http.post('/api/organizations').send(body);
    expect([answer.status, answer.body]).toEqual([400, error]);
  });

  it('is hidden from people outside it', async () => {
    const { id } = await given.organization(owner);
    const missing = { detail: 'No Organization matches the given query.' };
    const path = `/api/organizations/${id}`;
    for (const request of [stranger.http.get(path), stranger.http.patch(path).send({}), stranger.http.delete(path)]) {
      const answer = await request;
      expect([answer.status, answer.body]).toEqual([404, missing]);
    }
    expect((await stranger.http.get('/api/organizations')).body.count).toBe(0);
  });

  it('lists owned ones and active memberships; an inactive member can still read it', async () => {
    const invited = await given.person();
    const { id, slug } = await given.organization(owner, [{ person: invited, role: 'worker' }]);
    expect((await invited.http.get(`/api/organizations?search=${slug}`)).body.results[0].id).toBe(id);
    await app.db.query(sql`update membership set is_active = false where user_id = ${invited.id}`);
    expect((await invited.http.get('/api/organizations')).body.count).toBe(0);
    expect((await invited.http.get(`/api/organizations/${id}`)).status).toBe(200);
    expect((await invited.http.patch(`/api/organizations/${id}`).send({})).status).toBe(403);
  });

  it('records changes, with the dates', async () => {
    const { id } = await given.organization(owner);
    const before = await recordedEvents(app);
    const changed = await owner.http.patch(`/api/organizations/${id}`).send({ name: 'New', contact: [1], unknown: 1 });
    expect([changed.status, changed.body.name, changed.body.contact]).toEqual([200, 'New', [1]]);
    expect((await owner.http.patch(`/api/organizations/${id}`).send({ slug: 'goldorg' })).status).toBe(400);
    expect((await recordedEvents(app)).slice(before.length)).toEqual([
      { name: 'update:organization', before: ['name', 'updated_date', 'contact'] },
    ]);
  });

  it('is deleted with its memberships and invitations, and keeps its projects', async () => {
    const { id, slug } = await given.organization(owner);
    const project = await owner.http.post(`/api/projects?org=${slug}`).send({ name: 'p' });
    await owner.http
      .post(`/api/invitations?org=${slug}`)
      .send({ role: 'worker', email: `${stranger.username}@example.org` });
    const before = await recordedEvents(app);
    expect((await owner.http.delete(`/api/organizations/${id}`)).status).toBe(204);
    expect((await recordedEvents(app)).slice(before.length).map(({ name }) => name)).toEqual([
      'delete:invitation',
      'delete:organization',
    ]);
    expect((await owner.http.get(`/api/projects/${project.body.id}`)).body.organization).toBeNull();
    expect((await owner.http.get(`/api/memberships?org=${slug}`)).status).toBe(404);
  });
});
