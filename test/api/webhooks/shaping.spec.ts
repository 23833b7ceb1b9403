import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';
import { Given, NEWEST, type Person } from '../../support/given.js';
import { type Arrival, createReceiver, type Receiver } from '../../support/receiver.js';

describe('shaping deliveries', () => {
  let app: TestApp;
  let receiver: Receiver;
  let owner: Person;
  let place: Annotatable;

  beforeAll(async () => {
    app = await createTestApp();
    receiver = await createReceiver();
    owner = await new Given(app).person();
    owner.http.set('Accept', NEWEST);
    place = await givenAnnotatable(app, owner, { segments: [[0, 4], [5, 9]] }); // prettier-ignore
  });
  beforeEach(async () => {
    await app.drain();
    await app.db.query(sql`update webhook set is_active = false`);
    receiver.arrivals.length = 0;
    app.clock.now = () => new Date();
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const post = (more: object) =>
    owner.http
      .post('/api/webhooks')
      .send({ target_url: receiver.url, type: 'project', project_id: place.projectId, events: ['update:job'], api_version: '2.1', ...more }); // prettier-ignore
  const create = async (more: object): Promise<number> => (await post(more).expect(201)).body.id;
  const setState = (job: number, state: string) => owner.http.patch(`/api/jobs/${job}`).send({ state }).expect(200);
  const save = (index = 0) =>
    owner.http
      .patch(`${place.ofJob(index)}?action=create`)
      .send({ version: 0, tags: [], tracks: [], shapes: [rectangle(place.labels.car, index * 5)] })
      .expect(200);
  const deliver = async () => {
    await app.drain();
    const worker = app.app.get(DeliveryWorker);
    while ((await worker.runOnce()) > 0);
  };
  const later = (seconds: number) => {
    app.clock.now = () => new Date(Date.now() + seconds * 1000);
  };
  const job = (index = 0): number => place.jobs[index] ?? 0;

  describe('with a filter', () => {
    it('sends events for which the rule is true', async () => {
      await create({ filter: { '==': [{ var: 'job.state' }, 'completed'] } });
      await setState(job(), 'in progress');
      await setState(job(), 'completed');
      await setState(job(), 'new');
      await deliver();
      expect(receiver.arrivals.map(({ payload }) => (payload['job'] as { state: string }).state)).toEqual([
        'completed',
      ]);
    });

    it('evaluates the full payload in its version, also for thin payloads', async () => {
      const filter = { and: [{ '!=': [{ var: 'before_update.state' }, null] }, { var: 'job.project_id' }] };
      await create({ filter, payload: 'thin' });
      await save();
      await setState(job(), 'in progress');
      await deliver();
      expect(receiver.arrivals.map(({ payload }) => payload['changed_fields'])).toEqual([['state', 'updated_date']]);
    });

    it('applies to missing events that are redelivered', async () => {
      const id = await create({ is_active: false, filter: { '==': [{ var: 'job.state' }, 'completed'] } });
      const since = new Date().toISOString();
      await setState(job(), 'in progress');
      await setState(job(), 'completed');
      await app.drain();
      await owner.http.patch(`/api/webhooks/${id}`).send({ is_active: true });
      const answer = await owner.http.post(`/api/webhooks/${id}/redeliveries`).send({ since, which: 'missing' });
      expect(answer.body).toEqual({ count: 1, next: null });
    });

    it('can be changed and removed', async () => {
      const filter = { '==': [1, 2] };
      const id = await create({ filter });
      expect((await owner.http.get(`/api/webhooks/${id}`)).body).toMatchObject({
        filter,
        payload: 'full',
        batch_window: null,
      });
      const changed = await owner.http.patch(`/api/webhooks/${id}`).send({ filter: null });
      expect(changed.body.filter).toBeNull();
    });
  });

  it('sends only the identity of the object in the thin form', async () => {
    await create({ payload: 'thin', ordered: true, events: ['update:job', 'create:task'] });
    await setState(job(), 'in progress');
    await owner.http.post('/api/tasks').send({ name: 'made', project_id: place.projectId }).expect(201);
    await deliver();
    const [changed, made] = receiver.arrivals.map(({ payload }) => payload);
    expect(Object.keys(changed ?? {})).toEqual(['event', 'job', 'sender', 'changed_fields', 'webhook_id']);
    expect(changed?.['job']).toEqual({ id: job(), url: expect.stringMatching(`/api/jobs/${job()}$`) });
    expect(Object.keys(made?.['task'] as object).sort()).toEqual(['id', 'url']);
  });

  describe('in batches', () => {
    it('sends update:annotations immediately, since its events cannot be merged', async () => {
      await create({ batch_window: 60, events: ['update:job', 'update:annotations'] });
      await save();
      await save();
      await deliver();
      expect(receiver.events).toEqual(['update:annotations', 'update:annotations']);
      later(61);
      await deliver();
      expect(receiver.events.slice(2)).toEqual(['update:job']);
    });

    interface Saved {
      readonly job?: { readonly updated_date: string };
      readonly before_update?: { readonly updated_date: string };
    }
    const dates = (arrival: Arrival | undefined) => {
      const { job: now, before_update: before } = (arrival?.payload ?? {}) as Saved;
      return { now: now?.updated_date, before: before?.updated_date };
    };
    const stateOf = async () => (await owner.http.get(`/api/jobs/${job()}`)).body as { updated_date: string };

    it('merges the saves of a window, with the previous values of the first', async () => {
      const id = await create({ batch_window: 60 });
      const { updated_date: first } = await stateOf();
      await save();
      await deliver();
      await save();
      await save();
      await save(1);
      await deliver();
      expect(receiver.arrivals).toEqual([]);
      later(61);
      await deliver();
      const { updated_date: last } = await stateOf();
      const jobOf = ({ payload }: Arrival) => (payload['job'] as { id: number }).id;
      const arrivals = receiver.arrivals.toSorted((a, b) => jobOf(a) - jobOf(b)); // sent at the same time
      expect(arrivals.map(jobOf)).toEqual([job(), job(1)]);
      expect(dates(arrivals[0])).toEqual({ now: last, before: first });
      expect(arrivals[0]?.payload['changes']).toEqual({ updated_date: { from: first, to: last } });
      expect(Object.keys(arrivals[0]?.payload ?? {})).toEqual(['event', 'job', 'sender', 'before_update', 'changes', 'webhook_id']); // prettier-ignore
      const since = new Date(Date.now() - 60_000).toISOString();
      const missing = await owner.http.post(`/api/webhooks/${id}/redeliveries`).send({ since, which: 'missing' });
      const rows = await app.db.query<{ merged_events: number[] }>(
        sql`select merged_events from webhook_delivery where webhook_id = ${id} order by id`,
      );
      expect(rows.map((row) => row.merged_events.length).slice(0, 2)).toEqual([2, 0]);
      expect(rows.length).toBe(2 + missing.body.count);
      const merged = await app.db.query(sql`
        select 1 from webhook_delivery one join webhook_delivery other on one.event_id = any(other.merged_events)
        where one.webhook_id = ${id} and other.webhook_id = ${id}`);
      expect(merged).toEqual([]);
    });

    it('starts a new batch when the window has ended', async () => {
      const id = await create({ batch_window: 10 });
      await save();
      await app.drain();
      later(11);
      await save();
      await app.drain();
      const rows = await app.db.query(sql`select 1 from webhook_delivery where webhook_id = ${id}`);
      expect(rows).toHaveLength(2);
    });

    it('sends other changes immediately, after the pending batch', async () => {
      await create({ batch_window: 60, ordered: true });
      await save();
      await deliver();
      await save();
      await setState(job(), 'new');
      await setState(job(), 'in progress');
      await deliver();
      await save(1);
      await deliver();
      const told = receiver.arrivals.map(({ payload }) => Object.keys(payload['before_update'] as object).join());
      expect(told).toEqual(['updated_date', expect.stringContaining('state'), expect.stringContaining('state')]);
    });

    it('loses nothing when the batch is being sent as the next save is dispatched', async () => {
      const id = await create({ batch_window: 10 });
      await save();
      await app.drain();
      await app.db.query(
        sql`update webhook_delivery set lease = gen_random_uuid(), lease_end = now() + interval '1 hour' where webhook_id = ${id}`,
      );
      await save();
      await app.drain();
      const rows = await app.db.query(
        sql`select cardinality(merged_events) as merged from webhook_delivery where webhook_id = ${id} order by id`,
      );
      expect(rows).toEqual([{ merged: 0 }, { merged: 0 }]);
    });
  });

  it.each([
    [{ filter: 'state == completed' }, { filter: [expect.stringContaining('A rule is an object')] }],
    [{ filter: [] }, { filter: [expect.stringContaining('A rule is an object')] }],
    [{ filter: { and: [{ like: [1, 2] }] } }, { filter: ['At and[0]: there is no operator "like".'] }],
    [{ filter: { '==': [1, 1], '!=': [1, 1] } }, { filter: ['an object must have one operator, not 2.'] }],
    [{ filter: { in: ['x', 'y'.repeat(9000)] } }, { filter: ['The rule has more than 8192 characters.'] }],
    [{ payload: 'fat' }, { payload: ['"fat" is not a valid choice.'] }],
    [{ payload: null }, { payload: ['This field may not be null.'] }],
    [{ batch_window: 0 }, { batch_window: ['Ensure this value is greater than or equal to 1.'] }],
    [{ batch_window: 3601 }, { batch_window: ['Ensure this value is less than or equal to 3600.'] }],
    [{ batch_window: 'long' }, { batch_window: ['A valid integer is required.'] }],
  ])('refuses %j', async (more, problem) => {
    const answer = await post(more);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body: problem });
    const id = await create({});
    const patched = await owner.http.patch(`/api/webhooks/${id}`).send(more);
    expect({ status: patched.status, body: patched.body }).toEqual({ status: 400, body: problem });
  });
});
