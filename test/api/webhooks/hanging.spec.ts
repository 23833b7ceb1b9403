import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Notifier } from '../../../src/core/worker/notifier.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

const PLACES = 256;
const HANGING = 600;

describe('endpoints that hang', () => {
  let app: TestApp;
  let owner: Person;
  let good: Receiver;
  let bad: Receiver;
  let fresh: Receiver;
  const held: ServerResponse[] = [];
  let ended = 0;

  beforeAll(async () => {
    app = await createTestApp({ env: { WEBHOOK_CONCURRENCY: String(PLACES), WEBHOOK_TIMEOUT_MS: '600000' } });
    owner = await new Given(app).person();
    good = await createReceiver();
    bad = await createReceiver();
    fresh = await createReceiver();
    bad.answer = (response) => {
      held.push(response);
      response.on('close', () => (ended += 1));
    };
  });
  afterAll(async () => {
    for (const response of held) response.end();
    await bad.close();
    await app.close();
    await good.close();
    await fresh.close();
  });

  const hook = async (url: string, projectId: number): Promise<number> => {
    const body = { target_url: url, type: 'project', project_id: projectId, events: ['update:project'] };
    return (await owner.http.post('/api/webhooks').send(body).expect(201)).body.id;
  };

  it('do not delay one that responds, nor a new one, and all get an attempt', async () => {
    const projectId = (await owner.http.post('/api/projects').send({ name: 'seen' }).expect(201)).body.id;
    const worker = app.app.get(DeliveryWorker);
    const change = async (name: string) => {
      await owner.http.patch(`/api/projects/${projectId}`).send({ name }).expect(200);
      await app.drain();
      app.app.get(Notifier).notify('deliveries');
    };
    await hook(good.url, projectId);
    worker.start();
    await change('before');
    await good.arrived(1);

    const first = await hook(bad.url, projectId);
    await app.db.query(sql`
      insert into webhook (target_url, type, active_since, api_version, project_id, events, created_date, updated_date)
      select target_url, type, active_since, api_version, project_id, events, created_date, updated_date
      from webhook cross join generate_series(2, ${HANGING}::int) where webhook.id = ${first}`);
    await change('while nothing hangs yet');
    await bad.arrived(PLACES / 4);
    for (let count = 3; count < 20; count += 1) {
      await change(`while ${count} hang`);
      await good.arrived(count);
    }
    await bad.arrived((PLACES * 5) / 8);
    await hook(fresh.url, projectId);
    await change('while as many hang as may in turn');
    await good.arrived(20);
    await fresh.arrived(1);
    expect(ended).toBe(0);
    expect(bad.arrivals.length).toBeLessThanOrEqual((PLACES * 3) / 4);

    bad.answerWith(204);
    for (const response of held.splice(0)) response.end();
    await bad.arrived(HANGING);
  });
});
