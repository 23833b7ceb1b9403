import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../../clients/typescript/src/webhooks.js';
import { verifyStandard } from '../../../src/engines/signature/standard-webhooks.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Arrival, createReceiver, type Receiver } from '../../support/receiver.js';
import { isInstalled, LANGUAGES, type Signed, verdicts } from '../../support/snippets.js';

/** Real deliveries, verified by the published library of Standard Webhooks and by every means that we offer. */
describe('signatures are verified by', () => {
  let app: TestApp;
  let receiver: Receiver;
  let owner: Person;
  let projectId: number;
  /** One delivery signed with a generated secret, and one signed with both secrets of a rotation. */
  let single: Signed;
  let rotated: { old: Signed; fresh: Signed };
  let plain: Signed;

  beforeAll(async () => {
    app = await createTestApp();
    receiver = await createReceiver();
    owner = await new Given(app).person();
    projectId = (await owner.http.post('/api/projects').send({ name: 'gesehen: ключ 🔑' })).body.id;
    const body = { target_url: receiver.url, type: 'project', project_id: projectId, events: ['update:project'] };
    const made = (
      await owner.http
        .post('/api/webhooks')
        .send({ ...body, generate_secret: true })
        .expect(201)
    ).body;
    single = signed(await arrivalOf(made.id), made.secret);
    const turned = (await owner.http.post(`/api/webhooks/${made.id}/secret`).expect(200)).body;
    const arrival = await arrivalOf(made.id);
    rotated = { old: signed(arrival, made.secret), fresh: signed(arrival, turned.secret) };
    const typed = (await owner.http.post('/api/webhooks').send({ ...body, secret: 'typed by a person' })).body;
    plain = signed(await arrivalOf(typed.id), 'typed by a person');
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const arrivalOf = async (id: number): Promise<Arrival> => {
    receiver.arrivals.length = 0;
    await owner.http.post(`/api/webhooks/${id}/ping`).expect(200);
    const [arrival] = receiver.arrivals;
    if (arrival === undefined) throw new Error('No ping arrived');
    return arrival;
  };

  /** Deliveries that must verify. */
  const genuine = (): Signed[] => [single, rotated.old, rotated.fresh];
  const forged = (): Signed[] => [
    { ...single, body: `${single.body} ` },
    { ...single, secret: rotated.fresh.secret },
    { ...single, headers: { ...single.headers, 'webhook-id': 'another' } },
    { ...single, headers: { ...single.headers, 'webhook-timestamp': '1' } },
    { ...single, headers: { ...single.headers, 'webhook-signature': 'v1,AAAA' } },
  ];

  it('the published library for JavaScript', () => {
    for (const { secret, body, headers } of genuine()) {
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({ event: 'ping' });
    }
    expect(new Webhook(plain.secret, { format: 'raw' }).verify(plain.body, plain.headers)).toMatchObject({
      event: 'ping',
    });
    for (const { secret, body, headers } of forged()) {
      expect(() => new Webhook(secret).verify(body, headers)).toThrow();
    }
  });

  it('the helper of the TypeScript client', async () => {
    for (const { secret, body, headers } of [...genuine(), plain]) {
      expect(await verifyWebhook(headers, body, [secret])).toMatchObject({ event: 'ping', id: headers['webhook-id'] });
      expect(await verifyWebhook(new Headers(headers), body, [secret, 'another'])).toMatchObject({ event: 'ping' });
    }
    for (const { secret, body, headers } of forged()) {
      await expect(verifyWebhook(headers, body, [secret])).rejects.toThrow(/webhook-/);
    }
  });

  it('the server itself', () => {
    const check = ({ secret, body, headers }: Signed): string | null =>
      verifyStandard({ headers, body: Buffer.from(body), secrets: [secret], now: new Date() });
    expect([...genuine(), plain].map(check)).toEqual([null, null, null, null]);
    expect(forged().map(check)).not.toContain(null);
  });

  for (const language of LANGUAGES) {
    const test = isInstalled(language) ? it : it.skip;
    test(`the code of the documentation in ${language.name}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'cairn-snippet-'));
      try {
        const said = verdicts(language, folder, [...genuine(), plain, ...forged()]);
        expect(said).toEqual([true, true, true, true, false, false, false, false, false]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }, 330_000); // the first run of a compiler on a busy machine takes minutes
  }
});

function signed({ headers, bytes }: Arrival, secret: string): Signed {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { headers: Object.fromEntries(texts), body: bytes.toString(), secret };
}
