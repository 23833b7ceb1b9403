import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';
import { largestStatement } from '../../support/statements.js';

const JOBS = 5000;
const MEBIBYTE = 2 ** 20;

describe('the deletion of a task with thousands of jobs', () => {
  let app: TestApp;
  let receiver: Receiver;
  let owner: Person;
  let projectId: number;
  let taskId: number;

  beforeAll(async () => {
    app = await createTestApp();
    receiver = await createReceiver();
  });
  beforeEach(async () => {
    owner = await new Given(app).person();
    projectId = (await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] })).body.id;
    receiver.arrivals.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const hook = (version: string, events: readonly string[]) =>
    owner.http
      .post('/api/webhooks')
      .send({ target_url: receiver.url, type: 'project', project_id: projectId, events, api_version: version })
      .expect(201);

  async function given(jobs: number): Promise<void> {
    const segments = Array.from({ length: jobs }, (_, frame) => [frame, frame] as const);
    taskId = (await givenJobs(app, owner, { projectId, size: jobs, segments })).id;
    await app.drain();
    await app.db.query(sql`truncate webhook_delivery, webhook_payload, webhook_attempt`);
  }

  const remove = () => owner.http.delete(`/api/tasks/${taskId}`).expect(204);

  const told = async (): Promise<{ event: string; count: number }[]> =>
    app.db.query(sql`select event, count(*)::int as count from webhook_delivery group by event order by event`);

  it('is recorded in statements of bounded length, none of which contains all jobs', async () => {
    await hook('2.1', ['delete:job', 'delete:task']);
    await given(JOBS);
    const { sent } = await largestStatement(async () => await remove());
    const { received } = await largestStatement(() => app.drain());
    expect(await told()).toEqual([
      { event: 'delete:job', count: JOBS },
      { event: 'delete:task', count: 1 },
    ]);
    expect(sent).toBeLessThan(1.2 * MEBIBYTE);
    expect(received).toBeLessThan(2.6 * MEBIBYTE); // two thousand of five thousand, each with the request that caused it
  });

  it('is sent with all jobs in version 2.0, in their last state', async () => {
    await hook('2.0', ['delete:task']);
    await given(700);
    await remove();
    await app.drain();
    while ((await app.app.get(DeliveryWorker).runOnce()) > 0);
    expect(receiver.arrivals).toHaveLength(1);
    const task = receiver.arrivals[0]?.payload['task'] as { segments: object[]; labels: object[] };
    expect(task).toMatchObject({ id: taskId, labels: [{ name: 'car' }] });
    expect(task.segments).toHaveLength(700);
    expect(task.segments[699]).toEqual({
      start_frame: 699,
      stop_frame: 699,
      jobs: [expect.objectContaining({ status: 'annotation', stage: 'annotation', state: 'new', assignee: null })],
    });
  });
});
