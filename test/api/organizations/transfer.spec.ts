import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';

describe('transferring an organization', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let maintainer: Person;
  let worker: Person;
  let stranger: Person;
  let id: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    [owner, maintainer, worker, stranger] = [
      await given.person(), await given.person(), await given.person(), await given.person(),
    ]; // prettier-ignore
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    const members = [{ person: maintainer, role: 'maintainer' }, { person: worker, role: 'worker' }]; // prettier-ignore
    ({ id } = await given.organization(owner, members));
    await app.db.query(sql`delete from outbox_event`);
  });

  const transfer = (person: Person, body: object) => person.http.post(`/api/organizations/${id}/transfer`).send(body);
  const roles = async (): Promise<Record<string, string>> => {
    const rows = await app.db.query<{ user_id: number; role: string }>(
      sql`select user_id, role from membership where organization_id = ${id}`,
    );
    return Object.fromEntries(rows.map((row) => [row.user_id, row.role]));
  };

  it('makes the member the owner, and the owner a maintainer', async () => {
    const answer = await transfer(owner, { user_id: worker.id });
    expect([answer.status, answer.body.owner.id]).toEqual([200, worker.id]);
    expect((await owner.http.get(`/api/organizations/${id}`)).body).toEqual(answer.body);
    expect(await roles()).toEqual({ [owner.id]: 'maintainer', [maintainer.id]: 'maintainer', [worker.id]: 'owner' });
    expect(await recordedEvents(app)).toEqual([
      { name: 'update:organization', before: ['updated_date', 'owner'] },
      { name: 'update:membership', before: ['role'] },
      { name: 'update:membership', before: ['role'] },
    ]);
    expect((await owner.http.delete(`/api/organizations/${id}`)).status).toBe(403);
    expect((await worker.http.delete(`/api/organizations/${id}`)).status).toBe(204);
  });

  it('is only for its owner and administrators', async () => {
    const answers = [];
    for (const person of [maintainer, worker, stranger])
      answers.push((await transfer(person, { user_id: maintainer.id })).status);
    expect(answers).toEqual([403, 403, 404]);
    const admin = await given.admin();
    expect((await transfer(admin, { user_id: maintainer.id })).status).toBe(200);
    expect((await admin.http.post('/api/organizations/99999/transfer').send({ user_id: owner.id })).status).toBe(404);
  });

  it('works for an organization whose owner is deleted', async () => {
    await app.db.query(sql`update organization set owner_id = null where id = ${id}`);
    await app.db.query(sql`delete from membership where organization_id = ${id} and user_id = ${owner.id}`);
    expect((await transfer(await given.admin(), { user_id: worker.id })).body.owner.id).toBe(worker.id);
    expect(await roles()).toEqual({ [maintainer.id]: 'maintainer', [worker.id]: 'owner' });
  });

  const NOT_A_MEMBER = { user_id: ['Only an active member can become the owner.'] };

  it('accepts only active members', async () => {
    const refusal = async (userId: unknown): Promise<unknown> => {
      const answer = await transfer(owner, { user_id: userId });
      return [answer.status, answer.body];
    };
    expect(await refusal(stranger.id)).toEqual([400, NOT_A_MEMBER]);
    expect(await refusal(99_999)).toEqual([400, NOT_A_MEMBER]);
    await app.db.query(
      sql`update membership set is_active = false where organization_id = ${id} and user_id = ${worker.id}`,
    );
    expect(await refusal(worker.id)).toEqual([400, NOT_A_MEMBER]);
    await app.db.query(sql`update app_user set is_active = false where id = ${maintainer.id}`);
    expect(await refusal(maintainer.id)).toEqual([400, NOT_A_MEMBER]);
    await app.db.query(sql`update app_user set is_active = true where id = ${maintainer.id}`);
    expect(await refusal(owner.id)).toEqual([400, { user_id: ['This user already owns the organization.'] }]);
    expect(await refusal(undefined)).toEqual([400, { user_id: ['This field is required.'] }]);
    expect(await refusal('x')).toEqual([400, { user_id: ['A valid integer is required.'] }]);
    expect(await roles()).toMatchObject({ [owner.id]: 'owner' });
    expect(await recordedEvents(app)).toEqual([]);
  });

  it('ends with one owner after two concurrent transfers', async () => {
    const answers = await Promise.all([maintainer, worker].map((to) => transfer(owner, { user_id: to.id })));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 403]);
    expect(Object.values(await roles()).filter((role) => role === 'owner')).toHaveLength(1);
  });
});
