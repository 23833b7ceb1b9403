import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

describe('receivers in the server', () => {
  let app: TestApp;
  let owner: Person;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp({ env: { INSPECT_ENABLED: 'true' } });
    owner = await new Given(app).person();
    projectId = (await owner.http.post('/api/projects').send({ name: 'seen' })).body.id;
  });
  afterAll(() => app.close());

  const make = async (body: object = {}, person = owner) =>
    (await person.http.post('/api/inspect').send(body).expect(201)).body as { id: string; url: string };
  const look = async (id: string) => (await owner.http.get(`/inspect/${id}?format=json`).expect(200)).body;
  const webhook = (url: string, secret = 'the secret') =>
    owner.http
      .post('/api/webhooks')
      .send({ target_url: url, type: 'project', project_id: projectId, events: ['update:project'], secret });

  it("are targets of the server's own webhooks and verify their signatures", async () => {
    const right = await make({ secret: 'the secret' });
    const wrong = await make({ secret: 'another' });
    for (const box of [right, wrong]) {
      const { id } = (await webhook(box.url).expect(201)).body;
      expect((await owner.http.post(`/api/webhooks/${id}/ping`)).body).toMatchObject({
        status_code: 200,
        response: 'kept',
      });
    }
    const [arrival] = await look(right.id);
    expect(JSON.parse(arrival.body)).toMatchObject({ event: 'ping' });
    expect(arrival).toMatchObject({ size: arrival.body.length, signatures: { standard: null, body: null } });
    expect(arrival.headers['webhook-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await look(wrong.id))[0].signatures).toEqual({
      standard: 'webhook-signature has no signature made with this secret',
      body: 'X-Signature-256 does not match the body and the secret',
    });
    const stored = await app.db.query<{ secret: string }>(sql`select secret from inspect_box`);
    expect(stored.every(({ secret }) => secret.startsWith('sealed-v1:'))).toBe(true);
  });

  it('are the only URLs of this server that webhooks may target', async () => {
    const { url } = await make();
    const answer = await webhook(url.replace(/inspect.*/, 'api/about'));
    expect(answer.body).toEqual({ target_url: ['This URL belongs to this server. Enter the URL of another server.'] });
    expect((await webhook(`${url}/live`)).status).toBe(400);
    expect((await webhook(url)).status).toBe(201);
  });

  it('redirect browsers to the app, and return JSON to programs', async () => {
    const { id } = await make();
    await app.http.post(`/inspect/${id}`).send({ text: '<script>alert(1)</script>' }).expect(200);
    const page = await app.http.get(`/inspect/${id}`).set('Accept', 'text/html,*/*;q=0.8').expect(302);
    expect(page.headers['location']).toBe(`/webhooks/receivers/${id}`);
    await app.http.get(page.headers['location'] ?? '').expect(200);
    const answer = await owner.http.get(`/inspect/${id}`).expect(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.body).toHaveLength(1);
  });

  it('are listed for their owner', async () => {
    const person = await new Given(app).person();
    const [first, second] = [await make({}, person), await make({ secret: 'known' }, person)];
    const { body } = await person.http.get('/api/inspect').expect(200);
    expect(body).toEqual([
      { ...second, has_secret: true },
      { ...first, has_secret: false },
    ]);
    expect((await person.http.get(`/api/inspect/${first.id}`).expect(200)).body).toEqual(first);
    await owner.http.get(`/api/inspect/${first.id}`).expect(403);
    await app.db.query(sql`update inspect_box set expiry_date = now() where id = ${first.id}`);
    expect((await person.http.get('/api/inspect')).body).toEqual([second]);
  });

  it('stream requests as they arrive', async () => {
    const { id, url } = await make();
    await app.http.post(`/inspect/${id}`).send({ number: 1 }).expect(200);
    const seen: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      get(`${url}/live`, { headers: { Authorization: `Token ${owner.token}` } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
          const messages = [...text.matchAll(/^data: (.*)\n\n/gm)].map(
            ([, data = '']) => JSON.parse(data) as { body: string },
          );
          seen.splice(0, seen.length, ...messages.map(({ body }) => JSON.parse(body) as unknown));
          if (seen.length === 2) {
            response.destroy();
            resolve();
          } else if (seen.length === 1)
            app.http
              .post(`/inspect/${id}`)
              .send({ number: 2 })
              .end(() => undefined);
        });
      }).on('error', reject);
    });
    expect(seen).toEqual([{ number: 1 }, { number: 2 }]);
  });

  it('keep the last hundred requests, truncated, for a day', async () => {
    const { id } = await make();
    const first = (await look(id)).length;
    await app.db.query(sql`
      insert into inspect_arrival (box_id, received_date, headers, body, size)
      select ${id}, now(), '{}', number::text, 1 from generate_series(1, 120) number`);
    await app.http
      .post(`/inspect/${id}`)
      .set('Content-Type', 'text/plain')
      .send(`${'x'.repeat(70_000)}\0`)
      .expect(200);
    const arrivals = await look(id);
    expect([first, arrivals.length, arrivals[0].body]).toEqual([0, 100, '22']);
    expect(arrivals.at(-1)).toMatchObject({ size: 70_001, body: 'x'.repeat(65_536), signatures: null });
    const tooLong = app.http.post(`/inspect/${id}`).set('Content-Type', 'text/plain').set('Connection', 'keep-alive');
    await tooLong.send('x'.repeat(1_100_000)).expect(413).expect('Connection', 'close');
    await app.db.query(sql`update inspect_box set expiry_date = now() where id = ${id}`);
    await app.http.post(`/inspect/${id}`).send({}).expect(404);
    await owner.http.get(`/inspect/${id}`).expect(404);
  });

  it('can only be read and deleted by their owner and administrators', async () => {
    const { id } = await make();
    const [stranger, admin] = [await new Given(app).person(), await new Given(app).admin()];
    await app.http.post('/api/inspect').send({}).expect(401);
    for (const path of [`/inspect/${id}`, `/inspect/${id}/live`, `/api/inspect/${id}`]) {
      await app.http.get(path).expect(401);
      await stranger.http.get(path).expect(403);
    }
    await stranger.http.delete(`/api/inspect/${id}`).expect(403);
    await admin.http.get(`/inspect/${id}`).expect(200);
    await owner.http.delete(`/api/inspect/${id}`).expect(204);
    await owner.http.delete(`/api/inspect/${id}`).expect(404);
  });

  it('are limited in number, and refuse requests beyond their limits', async () => {
    const person = await new Given(app).person();
    for (let count = 0; count < 10; count += 1) await make({}, person);
    expect((await person.http.post('/api/inspect').send({})).status).toBe(400);
    const answer = await owner.http.post('/api/inspect').send({ secret: 'x'.repeat(65) });
    expect(answer.body).toEqual({ secret: ['Ensure this field has no more than 64 characters.'] });
  });

  it('do not exist unless enabled', async () => {
    const { id, url } = await make();
    const off = await createTestApp();
    const person = await new Given(off).person();
    await person.http.post('/api/inspect').send({}).expect(404);
    await person.http.get('/api/inspect').expect(404);
    await person.http.get('/api/inspect').set('Prefer', 'handling=empty').expect(204);
    await off.http.post(`/inspect/${id}`).send({}).expect(404);
    const project = (await person.http.post('/api/projects').send({ name: 'p' })).body;
    const own = `${new URL(project.url).origin}${new URL(url).pathname}`;
    const answer = await person.http
      .post('/api/webhooks')
      .send({ target_url: own, type: 'project', project_id: project.id, events: ['update:project'] });
    expect(answer.body).toEqual({ target_url: ['This URL belongs to this server. Enter the URL of another server.'] });
    await off.close();
  });
});
