import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, NEWEST, type Person } from '../../support/given.js';

describe('targets that the policy of the server refuses', () => {
  let app: TestApp;
  let owner: Person;
  let stranger: Person;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp({ env: { WEBHOOK_ALLOW_PRIVATE: 'false', WEBHOOK_ALLOW: 'receiver' } });
    const given = new Given(app);
    [owner, stranger] = [await given.person(), await given.person()];
    owner.http.set('Accept', NEWEST);
    projectId = (await owner.http.post('/api/projects').send({ name: 'p' })).body.id as number;
  });
  afterAll(() => app.close());

  const create = (target_url: string, person = owner) =>
    person.http
      .post('/api/webhooks')
      .send({ type: 'project', project_id: projectId, target_url, events: ['update:project'], is_active: true });

  it.each(['http://10.1.2.3/hook', 'http://localhost:9/hook'])('cannot be created: %s', async (url) => {
    const { status, body } = await create(url);
    expect([status, body.target_url?.[0]]).toEqual([
      400,
      expect.stringMatching(/^The policy of this server refuses this receiver: .* allow it with WEBHOOK_ALLOW=/),
    ]);
  });

  it('are not looked up for those who may not create webhooks', async () => {
    expect((await create('http://localhost:9/hook', stranger)).status).toBe(403);
  });

  it('cannot be set', async () => {
    const { id } = (await create('http://receiver:9000/hook')).body as { id: number };
    const changed = await owner.http.patch(`/api/webhooks/${id}`).send({ target_url: 'http://localhost:9/hook' });
    expect(changed.status).toBe(400);
  });

  it('are no fault of the receiver in the delivery log', async () => {
    const { id } = (await create('http://receiver:9000/hook')).body as { id: number };
    await app.db.query(sql`update webhook set target_url = 'http://127.0.0.1:9/hook' where id = ${id}`);
    const { body } = await owner.http.post(`/api/webhooks/${id}/ping`);
    expect(body.error).toBe(
      'Not sent: the policy of this server refuses the receiver: 127.0.0.1 is a loopback address; allow it with WEBHOOK_ALLOW=127.0.0.0/24',
    );
  });
});
