import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Message, Mailer } from '../../../src/core/mail/mailer.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, NEWEST, type Person } from '../../support/given.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

describe('webhooks of a member who leaves', () => {
  let app: TestApp;
  let receiver: Receiver;
  let owner: Person;
  let leaver: Person;
  let organization: { id: number; slug: string };
  let inOrganization = 0;
  let inProject = 0;
  const emails: Message[] = [];

  beforeAll(async () => {
    app = await createTestApp();
    app.app.get(Mailer).send = (email) => void emails.push(email);
    receiver = await createReceiver();
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  beforeEach(async () => {
    emails.length = 0;
    receiver.arrivals.length = 0;
    const given = new Given(app);
    [owner, leaver] = [await given.person(), await given.person()];
    organization = await given.organization(owner, [{ person: leaver, role: 'maintainer' }]);
    const project = await leaver.http.post(`/api/projects?org=${organization.slug}`).send({ name: 'p' }).expect(201);
    inOrganization = await subscribe(leaver, { type: 'organization', events: ['update:project'] });
    inProject = await subscribe(leaver, { type: 'project', project_id: project.body.id, events: ['update:project'] });
  });

  const subscribe = async (person: Person, body: object): Promise<number> => {
    const made = await person.http
      .post(`/api/webhooks?org=${organization.slug}`)
      .send({ target_url: receiver.url, ...body })
      .expect(201);
    return made.body.id as number;
  };
  const membership = async (person: Person): Promise<number> => {
    const list = await owner.http.get(`/api/memberships?org=${organization.slug}&user=${person.username}`);
    return list.body.results[0].id as number;
  };
  const state = async (id: number) =>
    (await owner.http.get(`/api/webhooks/${id}`).set('Accept', NEWEST)).body as object;
  const deliver = async (): Promise<void> => {
    await app.drain();
    await app.app.get(DeliveryWorker).runOnce();
  };

  it('are disabled with a reason, and the owner of the organization is notified', async () => {
    const [own, elsewhere] = [
      await subscribe(owner, { type: 'organization', events: ['update:project'] }),
      await leaver.http.post('/api/projects').send({ name: 'mine' }),
    ];
    const personal = await leaver.http.post('/api/webhooks').send({
      target_url: receiver.url,
      type: 'project',
      project_id: elsewhere.body.id,
      events: ['update:project'],
    });
    await owner.http.delete(`/api/memberships/${await membership(leaver)}`).expect(204);
    const reason = `Its owner ${leaver.username} is no longer a member of the organization.`;
    for (const id of [inOrganization, inProject]) {
      expect(await state(id)).toMatchObject({ is_active: false, disabled_reason: reason });
    }
    expect(await state(own)).toMatchObject({ is_active: true, disabled_reason: null });
    expect((await leaver.http.get(`/api/webhooks/${personal.body.id}`)).body).toMatchObject({ is_active: true });
    expect(emails).toEqual([
      {
        to: `${owner.username}@example.org`,
        subject: `2 webhooks of the organization ${organization.slug} were disabled`,
        reason: expect.stringMatching(new RegExp(`${reason} Disabled: ${inOrganization} .*, ${inProject} .*`)),
        request: expect.any(String),
        path: '/webhooks',
        closing: expect.any(String),
      },
    ]);
  });

  it('deliver nothing until they are resumed', async () => {
    const project = (await owner.http.get(`/api/projects?org=${organization.slug}`)).body.results[0] as { id: number };
    await owner.http.patch(`/api/projects/${project.id}`).send({ name: 'before' }).expect(200);
    await deliver();
    expect(receiver.arrivals).toHaveLength(2);
    await owner.http.patch(`/api/projects/${project.id}`).send({ name: 'waiting' }).expect(200);
    await app.drain();
    await leaver.http.delete(`/api/memberships/${await membership(leaver)}`).expect(204);
    await owner.http.patch(`/api/projects/${project.id}`).send({ name: 'after' }).expect(200);
    await deliver();
    expect(receiver.arrivals).toHaveLength(2);
    await owner.http.post(`/api/webhooks/${inOrganization}/resume`).expect(200);
    await deliver();
    expect(receiver.arrivals.map(({ payload }) => (payload['project'] as { name: string }).name)).toEqual([
      'before',
      'before',
      'waiting',
    ]);
  });

  it('are also disabled when the account is deleted', async () => {
    await leaver.http.delete(`/api/users/${leaver.id}`).expect(204);
    expect(await state(inOrganization)).toMatchObject({ is_active: false, owner: null });
    expect(emails).toHaveLength(1);
    const [row] = await app.db.query<{ count: number }>(
      sql`select count(*)::int as count from webhook where organization_id = ${organization.id} and is_active`,
    );
    expect(row?.count).toBe(0);
  });
});
