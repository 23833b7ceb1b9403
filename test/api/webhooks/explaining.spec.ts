import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_VERSIONS } from '../../../src/core/versioning/accept.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { ALL_EVENTS, resourceOf } from '../../../src/core/events/event-declaration.js';
import { EventSchemas } from '../../support/event-schemas.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Annotatable, givenAnnotatable } from '../../support/given-annotations.js';
import { Given, type Person } from '../../support/given.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

interface Explanation {
  readonly fires: boolean | null;
  readonly event_id: number | null;
  readonly steps: readonly { step: string; verdict: string; reason: string; values?: object }[];
  readonly delivery: { status: string; status_code: number | null } | null;
}

describe('explaining whether a webhook fires', () => {
  let app: TestApp;
  let receiver: Receiver;
  let owner: Person;
  let place: Annotatable;
  let job: number;

  beforeAll(async () => {
    app = await createTestApp();
    receiver = await createReceiver();
    owner = await new Given(app).person();
    place = await givenAnnotatable(app, owner);
    job = place.jobs[0] ?? 0;
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const create = async (more: object = {}): Promise<number> => {
    const body = {
      target_url: receiver.url,
      type: 'project',
      project_id: place.projectId,
      events: ['update:job'],
      ...more,
    };
    return (
      await owner.http
        .post('/api/webhooks')
        .send({ api_version: '2.1', ...body })
        .expect(201)
    ).body.id;
  };
  const setState = (state: string) => owner.http.patch(`/api/jobs/${job}`).send({ state }).expect(200);
  const explained = async (id: number, query = `event=update:job&object=${job}`): Promise<Explanation> =>
    (await owner.http.get(`/api/webhooks/${id}/explain?${query}`).expect(200)).body;
  const verdicts = ({ steps }: Explanation) => steps.map(({ step, verdict }) => `${step} ${verdict}`);

  it('explains an event that was delivered', async () => {
    const id = await create();
    await setState('in progress');
    await app.drain();
    await app.app.get(DeliveryWorker).runOnce();
    const found = await explained(id);
    expect(found).toMatchObject({ fires: true, delivery: { status: 'delivered', status_code: 200 } });
    expect(verdicts(found)).toEqual([
      'active passes',
      'subscribed passes',
      'event passes',
      'active_since passes',
      'filter passes',
    ]);
  });

  it('shows the values that a filter saw', async () => {
    const id = await create({ filter: { and: [{ '==': [{ var: 'job.state' }, 'completed'] }, { var: 'event' }] } });
    await setState('new');
    await setState('in progress');
    await app.drain();
    const found = await explained(id);
    expect(found).toMatchObject({ fires: false, delivery: null });
    expect(found.steps.find(({ step }) => step === 'filter')).toEqual({
      step: 'filter', verdict: 'blocks', reason: 'The filter is false for this event.', values: { 'job.state': 'in progress' },
    }); // prettier-ignore
  });

  it('reports a webhook that is disabled, not subscribed, or newer than the event', async () => {
    const id = await create({ events: ['create:task'] });
    const found = await explained(id);
    expect(found.fires).toBe(false);
    expect(verdicts(found)).toEqual([
      'active passes',
      'subscribed blocks',
      'event passes',
      'active_since blocks',
      'filter passes',
    ]);
    await owner.http.patch(`/api/webhooks/${id}`).send({ is_active: false });
    expect(verdicts(await explained(id))[0]).toBe('active blocks');
    await app.db.query(sql`update webhook set disabled_reason = 'the receiver responded with 410' where id = ${id}`);
    expect((await explained(id)).steps[0]?.reason).toBe(
      'The webhook is disabled by the server: the receiver responded with 410',
    );
  });

  it('reports an event that has not happened, or is in another scope', async () => {
    const id = await create({ filter: { var: 'job' } });
    const other = await givenAnnotatable(app, owner);
    await owner.http.patch(`/api/jobs/${other.jobs[0]}`).send({ state: 'in progress' }).expect(200);
    for (const query of [`event=update:job&object=${other.jobs[0]}`, 'event=update:job&object=none']) {
      const found = await explained(id, query);
      expect(found).toMatchObject({ fires: null, event_id: null, delivery: null });
      expect(verdicts(found)).toEqual(['active passes', 'subscribed passes', 'event unknown', 'filter unknown']);
    }
    expect((await explained(id, 'event=update:job')).event_id).not.toBeNull();
  });

  it('reports what delays deliveries', async () => {
    const id = await create({ ordered: true, rate_limit: 5, max_concurrency: 1, batch_window: 30 });
    await owner.http.patch(`/api/jobs/${job}`).send({}).expect(200);
    await app.drain();
    await app.db.query(sql`update webhook set paused_until = now() + interval '1 hour' where id = ${id}`);
    const found = await explained(id);
    expect(found).toMatchObject({ fires: true, delivery: { status: 'pending' } });
    expect(verdicts(found).slice(5)).toEqual(['paused delays', 'batch delays', 'order delays', 'rate delays']);
  });

  it.each([
    ['', { event: ['This field is required.'] }],
    ['event=create:bogus', { event: ['"create:bogus" is not a valid choice.'] }],
    ['event=update:job&event=update:task', { event: ['"["update:job","update:task"]" is not a valid choice.'] }],
    ['event=update:job&object=a&object=b', { object: ['Enter the id of one object, with at most 100 characters.'] }],
    ['event=update:job&object=%00', { object: ['Enter the id of one object, with at most 100 characters.'] }],
  ])('refuses %j', async (query, problem) => {
    const answer = await owner.http.get(`/api/webhooks/${await create()}/explain?${query}`);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body: problem });
  });

  it('is refused to users who may not view the webhook', async () => {
    const id = await create();
    const stranger = await new Given(app).person();
    await stranger.http.get(`/api/webhooks/${id}/explain?event=update:job`).expect(403);
    await app.http.get(`/api/webhooks/${id}/explain?event=update:job`).expect(401);
    await owner.http.get('/api/webhooks/9999999/explain?event=update:job').expect(404);
  });

  describe('samples', () => {
    it('of every event are public and match their schemas', async () => {
      const schemas = EventSchemas.of(app.app);
      for (const version of API_VERSIONS) {
        for (const event of ALL_EVENTS) {
          const { body } = await app.http.get('/api/webhooks/events/sample').query({ event, version }).expect(200);
          const resource = resourceOf(event);
          expect(Object.keys(body).filter((key) => !['before_update', 'changes'].includes(key))).toEqual([
            'event',
            resource,
            'sender',
            'webhook_id',
          ]);
          expect(Object.keys(body[resource]).length).toBeGreaterThan(3);
          expect(schemas.problem(body, version)).toBeNull();
        }
      }
      const task = (await app.http.get('/api/webhooks/events/sample?event=create:task')).body.task;
      expect(task).toMatchObject({
        id: 1,
        name: 'name',
        subset: 'subset',
        created_date: expect.stringContaining('T'),
        jobs: { count: 1 },
      });
      await app.http.get('/api/webhooks/events/sample?event=x').expect(400);
      await app.http.get('/api/webhooks/events/sample?event=create:task&version=3').expect(400);
    });

    it('for a webhook have its scope, version and form', async () => {
      const id = await create({ payload: 'thin', filter: { '==': [{ var: 'job.state' }, 'no such state'] } });
      const real = (await owner.http.get(`/api/webhooks/${id}/sample?event=update:job`).expect(200)).body;
      expect(real).toMatchObject({
        is_generated: false,
        passes_filter: false,
        payload: { job: { id: job }, webhook_id: id },
      });
      expect(Object.keys(real.payload.job).sort()).toEqual(['id', 'url']);
      const made = (await owner.http.get(`/api/webhooks/${id}/sample?event=delete:issue`).expect(200)).body;
      expect(made).toMatchObject({ is_generated: true, payload: { event: 'delete:issue', issue: { id: 1 } } });
    });

    it('are sent and recorded', async () => {
      receiver.arrivals.length = 0;
      const id = await create({ is_active: false });
      const sent = await owner.http.post(`/api/webhooks/${id}/sample`).send({ event: 'create:task' }).expect(200);
      expect(sent.body).toMatchObject({ event: 'create:task', status_code: 200, redelivery: false });
      expect(receiver.arrivals.map(({ payload }) => [payload['event'], payload['webhook_id']])).toEqual([
        ['create:task', id],
      ]);
    });

    it('are refused to others, and for events the webhook cannot subscribe to', async () => {
      const id = await create();
      const stranger = await new Given(app).person();
      await stranger.http.get(`/api/webhooks/${id}/sample?event=update:job`).expect(403);
      await stranger.http.post(`/api/webhooks/${id}/sample`).send({ event: 'update:job' }).expect(403);
      const answers = await Promise.all([
        owner.http.post(`/api/webhooks/${id}/sample`).send({}),
        owner.http.post(`/api/webhooks/${id}/sample`).send({ event: 'x' }),
        owner.http.get(`/api/webhooks/${id}/sample?event=create:project`),
      ]);
      expect(answers.map(({ status, body }) => [status, body])).toEqual([
        [400, { event: ['This field is required.'] }],
        [400, { event: ['"x" is not a valid choice.'] }],
        [400, { event: ['Webhooks of the type project cannot subscribe to create:project.'] }],
      ]);
    });
  });
});
