import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';

describe('memberships', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let worker: Person;
  let organization: { id: number; slug: string };
  let membership = 0;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    owner = await given.person();
    worker = await given.person({ groups: ['worker'] });
    organization = await given.organization(owner);
    await owner.http
      .post(`/api/invitations?org=${organization.slug}`)
      .send({ role: 'worker', email: `${worker.username}@example.org` });
    membership = (await owner.http.get(`/api/memberships?org=${organization.slug}&user=${worker.username}`)).body
      .results[0].id;
    await app.db.query(sql`delete from outbox_event`);
  });

  const patch = (person: Person, body: object) => person.http.patch(`/api/memberships/${membership}`).send(body);

  it('has the keys of the contract, and lists the newest first', async () => {
    const list = (await owner.http.get(`/api/memberships?org_id=${organization.id}`)).body;
    expect(list.count).toBe(2);
    expect(Object.keys(list.results[0])).toEqual(
      'id user organization is_active joined_date role invitation'.split(' '),
    );
    expect(list.results[0]).toMatchObject({
      id: membership,
      user: { id: worker.id },
      organization: organization.id,
      is_active: true,
      role: 'worker',
      invitation: expect.stringMatching(/^\w{64}$/),
    });
    expect((await worker.http.get('/api/memberships')).body.results).toEqual([list.results[0]]);
    expect((await worker.http.get(`/api/memberships/${membership}`)).body).toEqual(list.results[0]);
    expect((await owner.http.get('/api/memberships?org=')).body.count).toBe(0);
  });

  it('changes the role and nothing else', async () => {
    const changed = await patch(owner, { role: 'supervisor' });
    expect([changed.status, changed.body.role]).toEqual([200, 'supervisor']);
    expect((await patch(owner, { role: 'x' })).body).toEqual({ role: ['"x" is not a valid choice.'] });
    const unknown = await patch(owner, { role: 'worker', user: 1 });
    expect([unknown.status, unknown.body]).toEqual([403, { detail: 'Attempted to update an unknown field' }]);
    expect((await patch(worker, { role: 'owner' })).status).toBe(403);
    expect((await patch(worker, {})).status).toBe(200);
    expect(await recordedEvents(app)).toEqual([
      { name: 'update:membership', before: ['role'] },
      { name: 'update:membership', before: [] },
    ]);
  });

  it('is deleted with its invitation, whose event is recorded first', async () => {
    expect((await worker.http.delete(`/api/memberships/${membership}`)).status).toBe(204);
    expect((await recordedEvents(app)).map(({ name }) => name)).toEqual(['delete:invitation', 'delete:membership']);
    const missing = await owner.http.get(`/api/memberships/${membership}`);
    expect([missing.status, missing.body]).toEqual([404, { detail: 'No Membership matches the given query.' }]);
  });

  it('an owner can neither leave nor change their own role', async () => {
    const own = (await owner.http.get('/api/memberships')).body.results[0].id;
    expect((await owner.http.delete(`/api/memberships/${own}`)).status).toBe(403);
    expect((await owner.http.patch(`/api/memberships/${own}`).send({ role: 'worker' })).status).toBe(403);
  });

  it('is hidden from others', async () => {
    const stranger = await given.person();
    expect((await stranger.http.get(`/api/memberships/${membership}`)).status).toBe(403);
    expect((await stranger.http.get(`/api/memberships?org=${organization.slug}`)).status).toBe(403);
    expect((await stranger.http.post('/api/memberships').send({})).status).toBe(405);
  });
});
