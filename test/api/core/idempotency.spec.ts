import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

describe('Idempotency-Key', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  const body = { name: 'once', labels: [{ name: 'car' }] };
  const post = (key: string, sent: object = body, person = owner) =>
    person.http.post('/api/tasks').set('Idempotency-Key', key).send(sent);
  const count = async (): Promise<number> =>
    (await app.db.query<{ n: number }>(sql`select count(*) as n from task`))[0]?.n ?? 0;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });

  afterAll(() => app.close());

  it('gives the first answer again and does nothing', async () => {
    const first = await post('a');
    const tasks = await count();
    const again = await post('a');
    expect(first.status).toBe(201);
    expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: first.body });
    expect(again.headers['location']).toBe(first.headers['location']);
    expect(again.headers['content-type']).toBe('application/vnd.cvat+json');
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await count()).toBe(tasks);
  });

  it('keeps answers encrypted, and says so when one cannot be decrypted any more', async () => {
    const project = await owner.http.post('/api/projects').send({ name: 'seen' });
    const make = () =>
      owner.http.post('/api/webhooks').set('Idempotency-Key', 'secret').send({
        target_url: 'https://receiver.example/hook', type: 'project', project_id: project.body.id,
        events: ['create:task'], generate_secret: true,
      }); // prettier-ignore
    const made = await make();
    expect((await make()).body).toEqual(made.body);
    const [row] = await app.db.query<{ body: Buffer }>(sql`select body from idempotency_key where key = 'secret'`);
    expect(made.body.secret).toMatch(/^whsec_/);
    expect(row?.body.toString('latin1')).not.toContain('whsec_');
    expect(row?.body.toString('latin1')).not.toContain(made.body.secret.slice(6));
    await app.db.query(sql`update idempotency_key set body = decode(repeat('00', 40), 'hex') where key = 'secret'`);
    const lost = await make();
    expect(lost.status).toBe(409);
    expect(lost.body.detail).toMatch(/its answer was lost/);
  });

  it('refuses another body under the same key, and keeps people apart', async () => {
    await post('b');
    expect((await post('b', { ...body, name: 'other' })).status).toBe(409);
    const stranger = await given.person();
    expect((await post('b', { ...body, name: 'other' }, stranger)).status).toBe(201);
  });

  it('leaves the key free after a refused request', async () => {
    expect((await post('c', { name: '' })).status).toBe(400);
    expect((await post('c')).status).toBe(201);
  });

  it('does the work once when the same request comes twice at once', async () => {
    const tasks = await count();
    const answers = await Promise.all([post('d'), post('d'), post('d')]);
    expect(answers.filter((answer) => answer.status === 201).length).toBeGreaterThanOrEqual(1);
    expect(answers.every((answer) => [201, 409].includes(answer.status))).toBe(true);
    expect(await count()).toBe(tasks + 1);
  });

  it('never repeats what was committed when the answer was lost', async () => {
    await post('e');
    await app.db.query(
      sql`update idempotency_key set status = null, body = null, created_date = created_date - interval '1 hour' where key = 'e'`,
    );
    const tasks = await count();
    expect((await post('e')).body).toEqual({
      detail: 'The request with this Idempotency-Key was done, but its answer was lost.',
    });
    expect(await count()).toBe(tasks);
  });

  it('forgets after a day', async () => {
    await post('f');
    await app.db.query(
      sql`update idempotency_key set created_date = created_date - interval '25 hours' where key = 'f'`,
    );
    const tasks = await count();
    expect((await post('f', { ...body, name: 'next day' })).status).toBe(201);
    expect(await count()).toBe(tasks + 1);
  });
});
