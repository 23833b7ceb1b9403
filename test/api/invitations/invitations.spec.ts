import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Mailer, type Message } from '../../../src/core/mail/mailer.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';

const PASSWORD = 'Gold-2026-pass';
let number = 0;

describe('invitations', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let organization: { id: number; slug: string };
  const letters: Message[] = [];

  beforeAll(async () => {
    app = await createTestApp();
    app.app.get(Mailer).send = (letter) => void letters.push(letter);
    given = new Given(app);
  });
  afterAll(() => app.close());

  beforeEach(async () => {
    letters.length = 0;
    owner = await given.person();
    organization = await given.organization(owner);
    await app.db.query(sql`delete from outbox_event`);
  });

  const invite = (body: object, person = owner, query = `?org=${organization.slug}`) =>
    person.http.post(`/api/invitations${query}`).send(body);

  /** Somebody without an account, who then registers. */
  async function newcomer(): Promise<{ key: string; email: string; enter: () => Promise<{ Authorization: string }> }> {
    const email = `new${(number += 1)}@example.org`;
    const { key } = (await invite({ role: 'supervisor', email })).body as { key: string };
    const enter = async () => {
      const registered = await app.http
        .post('/api/auth/register')
        .send({ username: `newcomer${number}`, email, password1: PASSWORD, password2: PASSWORD });
      return { Authorization: `Token ${registered.body.key}` };
    };
    return { key, email, enter };
  }

  it('adds an existing user as a member immediately', async () => {
    const person = await given.person();
    const made = await invite({ role: 'worker', email: `${person.username.toUpperCase()}@Example.org` });
    expect(made.status).toBe(201);
    expect(Object.keys(made.body)).toEqual(
      'key created_date owner role user organization expired organization_info'.split(' '),
    );
    expect(made.body).toMatchObject({
      key: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
      owner: { id: owner.id },
      role: 'worker',
      user: { id: person.id },
      organization: organization.id,
      expired: null,
      organization_info: organization,
    });
    expect(await recordedEvents(app)).toEqual([
      { name: 'create:membership', before: [] },
      { name: 'create:invitation', before: [] },
      {
        name: 'update:membership',
        before: ['is_active', 'joined_date'],
      },
    ]);
    expect(letters).toEqual([]);
    const again = await invite({ role: 'worker', email: `${person.username}@example.org` });
    expect([again.status, again.body]).toEqual([400, ['The user is a member of the organization already.']]);
    const accepted = await person.http.post(`/api/invitations/${made.body.key}/accept`);
    expect([accepted.status, accepted.body]).toEqual([400, 'Your invitation is already accepted.']);
    const resent = await owner.http.post(`/api/invitations/${made.body.key}/resend`);
    expect([resent.status, resent.body]).toEqual([400, 'This invitation is already accepted.']);
  });

  it('sends a link to an unknown address, whose owner registers and accepts', async () => {
    const { key, email, enter } = await newcomer();
    expect(letters).toEqual([{ to: email, subject: expect.any(String), path: expect.stringContaining(key) }]);
    expect((await owner.http.get(`/api/invitations/${key}`)).body.expired).toBe(false);
    const header = await enter();
    expect((await app.http.get('/api/organizations').set(header)).body.count).toBe(0);
    expect((await owner.http.post(`/api/invitations/${key}/accept`)).status).toBe(403);
    const accepted = await app.http.post(`/api/invitations/${key}/accept`).set(header);
    expect([accepted.status, accepted.body]).toEqual([200, { organization_slug: organization.slug }]);
    expect((await app.http.get('/api/organizations').set(header)).body.count).toBe(1);
    expect((await app.http.patch(`/api/invitations/${key}?accepted`).set(header)).status).toBe(200);
    expect((await recordedEvents(app)).at(-1)?.name).toBe('update:membership');
  });

  it('does not show the key to a person who registers with the address but did not get the e-mail', async () => {
    const { key, enter } = await newcomer();
    const header = await enter();
    const seen = await Promise.all(
      ['/api/invitations', `/api/invitations?org=${organization.slug}`, '/api/memberships', '/api/organizations'].map(
        (path) => app.http.get(path).set(header),
      ),
    );
    for (const { text } of seen) expect(text).not.toContain(key);
    expect(seen[0]?.body.count).toBe(0);
    await app.db.query(sql`update app_user set email_verified = true where username = ${`newcomer${number}`}`);
    const verified = await app.http.get('/api/invitations').set(header);
    expect([verified.body.count, verified.body.results[0].key]).toEqual([1, key]);
    expect((await app.http.post(`/api/invitations/${key}/accept`).set(header)).status).toBe(200);
  });

  it('an expired one has to be sent again before it is accepted', async () => {
    const { key, enter } = await newcomer();
    const header = await enter();
    await app.db.query(sql`update invitation set sent_date = sent_date - interval '7 days' where key = ${key}`);
    const late = await app.http.post(`/api/invitations/${key}/accept`).set(header);
    expect([late.status, late.body]).toEqual([
      400,
      'Your invitation is expired. Please contact organization owner to renew it.',
    ]);
    expect((await owner.http.get(`/api/invitations/${key}`)).body.expired).toBe(true);
    for (let resend = 1; resend <= 5; resend += 1) {
      expect((await owner.http.post(`/api/invitations/${key}/resend`)).status).toBe(204);
    }
    const sixth = await owner.http.post(`/api/invitations/${key}/resend`);
    expect([sixth.status, letters.length]).toEqual([429, 6]);
    expect((await app.http.post(`/api/invitations/${key}/accept`).set(header)).status).toBe(200);
  });

  it('declining deletes the invitation and the membership', async () => {
    const { key, enter } = await newcomer();
    const header = await enter();
    expect((await app.http.post(`/api/invitations/${key}/decline`).set(header)).status).toBe(204);
    expect((await recordedEvents(app)).slice(-2).map(({ name }) => name)).toEqual([
      'delete:invitation',
      'delete:membership',
    ]);
    expect((await owner.http.get(`/api/memberships?org=${organization.slug}`)).body.count).toBe(1);
  });

  it('deleting keeps the membership', async () => {
    const person = await given.person();
    const { key } = (await invite({ role: 'worker', email: `${person.username}@example.org` })).body as { key: string };
    expect((await owner.http.delete(`/api/invitations/${key}`)).status).toBe(204);
    expect((await person.http.get('/api/memberships')).body.results).toEqual([
      expect.objectContaining({ is_active: true, invitation: null }),
    ]);
    expect((await recordedEvents(app)).at(-1)?.name).toBe('delete:invitation');
  });

  it.each([
    [
      { role: 'boss', email: 'x' },
      { role: ['"boss" is not a valid choice.'], email: ['Enter a valid email address.'] },
    ],
    [{}, { role: ['This field is required.'], email: ['This field is required.'] }],
  ])('refuses %j', async (body, error) => {
    const answer = await invite(body);
    expect([answer.status, answer.body]).toEqual([400, error]);
  });

  it('needs an organization', async () => {
    const body = { role: 'worker', email: 'someone@example.org' };
    expect((await invite(body, owner, '')).status).toBe(403);
    expect((await invite(body, await given.admin(), '')).status).toBe(400);
    expect((await invite(body, await given.admin())).status).toBe(201);
  });

  it('is visible to its sender and recipient, and to staff with the organization', async () => {
    const maintainer = await given.person();
    const person = await given.person();
    await invite({ role: 'maintainer', email: `${maintainer.username}@example.org` });
    const { key } = (await invite({ role: 'worker', email: `${person.username}@example.org` })).body as { key: string };
    const path = `/api/invitations/${key}`;
    expect((await person.http.get(path)).status).toBe(200);
    expect((await maintainer.http.get(`${path}?org=${organization.slug}`)).status).toBe(200);
    for (const missing of [
      maintainer.http.get(path),
      person.http.get('/api/invitations/nope'),
      person.http.get('/api/invitations/%00'),
    ]) {
      const answer = await missing;
      expect([answer.status, answer.body]).toEqual([404, { detail: 'No Invitation matches the given query.' }]);
    }
    expect((await maintainer.http.get(`/api/invitations?org=${organization.slug}`)).body.count).toBe(2);
    expect((await person.http.get('/api/invitations')).body.count).toBe(1);
    expect((await owner.http.get(`/api/invitations?user_id=${person.id}&accepted=true`)).body.count).toBe(1);
  });
});
