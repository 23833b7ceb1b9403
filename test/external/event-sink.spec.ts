import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { readConfig } from '../../src/config/env.js';
import { checkEventSink } from '../../src/commands/doctor/event-sink-check.js';
import { sql } from '../../src/engines/sql/sql.js';
import { useTracer } from '../../src/engines/tracing/tracing.js';
import { EventSinkWorker } from '../../src/modules/event-sink/index.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { end, spawnCommand } from '../support/command.js';
import { Given, NEWEST, type Person } from '../support/given.js';
import { type Consumed, startKafka, startNats, type TestBroker } from './support/event-brokers.js';
import { describeWith } from './support/programs.js';

const OBJECTS = 12;
const CHANGES = 40;
/** Processes and Kafka take up to half a minute to start on a machine with other work. */
const KILLS_MS = 600_000;

describeWith(['nats-server'], 'an event sink of NATS JetStream', () => {
  trials(startNats, (subject, type) => `cairn.${subject.split('/')[0]}.${type.split(':')[0]}`);
});

// Not in CI: installing and starting Kafka takes too long.
if (process.env['CAIRN_TEST_LONG'] === '1') {
  describeWith(['kafka-server'], 'an event sink of Kafka', () => {
    trials(startKafka, (subject) => subject);
  });
}

/** @param addressOf where the message of an event is */
function trials(startBroker: () => Promise<TestBroker>, addressOf: (subject: string, type: string) => string): void {
  let broker: TestBroker;
  let app: TestApp;
  let admin: Person;
  let folder: string;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    broker = await startBroker();
    folder = await mkdtemp(join(tmpdir(), 'cairn-sink-'));
    app = await createTestApp({ env: { EVENT_SINK: broker.url } });
    admin = await new Given(app).admin();
  });
  afterAll(async () => {
    for (const worker of workers) await end(worker, 'SIGKILL');
    await app.app.get(EventSinkWorker).stop();
    await app.close();
    await broker.remove();
    await rm(folder, { recursive: true });
  });

  const createProject = async (name: string): Promise<number> => {
    const { body } = await admin.http.post('/api/projects').set('Accept', NEWEST).send({ name }).expect(201);
    return (body as { id: number }).id;
  };

  const rename = (id: number, name: string) =>
    admin.http.patch(`/api/projects/${id}`).set('Accept', NEWEST).send({ name }).expect(200);

  /** A process that relays events and publishes them. */
  function startWorker(): ChildProcess {
    const worker = spawnCommand({
      args: ['worker', '--only', 'events'],
      folder,
      env: {
        DATABASE_URL: app.config.databaseUrl,
        DATA_DIR: app.config.dataDir,
        LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'error',
        EVENT_SINK: broker.url,
      },
    });
    worker.stderr.pipe(process.stderr, { end: false });
    workers.push(worker);
    return worker;
  }

  async function pendingEvents(): Promise<number> {
    const [row] = await app.db.query<{ count: number }>(sql`
      select (select count(*) from outbox_pending) + (select count(*) from event_sink_pending) + (
        select count(*) from outbox_order
        where position > coalesce((select position from outbox_listener where name = 'event sink'), 0)) as count`);
    return row?.count ?? 0;
  }

  async function eventCount(): Promise<number> {
    const [row] = await app.db.query<{ count: number }>(sql`select count(*) as count from outbox_event`);
    return row?.count ?? 0;
  }

  async function publishedBy(messages: readonly Consumed[]): Promise<void> {
    const stored = await app.db.query<{ id: number; name: string; key: string }>(sql`
      select id, name, substring(name from ':([a-z_]+)') || '/' || object_id as key from outbox_event order by id`);
    const read = new Map<string, number[]>();
    for (const { body } of messages) {
      const ids = read.get(body.subject) ?? [];
      if (!ids.includes(Number(body.id))) read.set(body.subject, [...ids, Number(body.id)]); // a repetition does not count
    }
    const expected = new Map<string, number[]>();
    for (const { id, key } of stored) expected.set(key, [...(expected.get(key) ?? []), id]);
    expect(Object.fromEntries(read)).toEqual(Object.fromEntries(expected));
  }

  it('gets every event as a CloudEvent', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const id = await createProject('first');
    await rename(id, 'second');
    await app.drain();
    useTracer(provider.getTracer('test'));
    while (await app.app.get(EventSinkWorker).runOnce());
    useTracer(undefined);
    const spans = exporter.getFinishedSpans().filter(({ name }) => name === 'publish update:project');
    expect(spans).toMatchObject([{ kind: 3, attributes: { 'messaging.operation.name': 'publish' } }]);
    const messages = await broker.read(await eventCount());
    await publishedBy(messages);
    const last = messages.filter(({ body }) => body.subject === `project/${id}`).at(-1);
    expect(last).toMatchObject({
      address: addressOf(`project/${id}`, 'update:project'),
      contentType: expect.stringContaining('application/cloudevents+json'),
      body: {
        type: 'update:project',
        data: { event: 'update:project', project: { id, name: 'second' }, before_update: { name: 'first' } },
      },
    });
    expect(await pendingEvents()).toBe(0);
    expect(await checkEventSink(app.config)).toMatchObject([{ state: 'ok' }]);
  });

  it(
    'loses no event and keeps the order of each object when the broker and the publisher are killed',
    async () => {
      await app.app.get(EventSinkWorker).stop();
      startWorker();
      startWorker();
      const changed = change();
      for (const round of [1, 2, 3]) {
        await untilSome();
        await end(workers.shift() ?? startWorker(), 'SIGKILL');
        startWorker();
        await untilSome();
        await broker.kill();
        await pause(300 * round);
        await broker.start();
      }
      await changed;
      while ((await pendingEvents()) > 0) await pause(100);
      const messages = await broker.read(await eventCount());
      await publishedBy(messages);
      expect(new Set(messages.map(({ body }) => body.subject)).size).toBeGreaterThan(OBJECTS);
    },
    KILLS_MS,
  );

  /** Renames projects again and again, each one in order. */
  async function change(): Promise<void> {
    const ids = await Promise.all(Array.from({ length: OBJECTS }, (_, index) => createProject(`project ${index}`)));
    for (let number = 0; number < CHANGES; number += 1) {
      await Promise.all(ids.map((id) => rename(id, `name ${number}`)));
      await pause(100);
    }
  }

  /** Waits until more events have been published. */
  async function untilSome(): Promise<void> {
    const sentAt = async (): Promise<string | null> => {
      const [row] = await app.db.query<{ sent_at: string | null }>(sql`select sent_at from event_sink`);
      return row?.sent_at ?? null;
    };
    const before = await sentAt();
    while ((await sentAt()) === before && (await pendingEvents()) > 0) await pause(20);
  }
}

it('is reported by the doctor if it does not respond, without its password', async () => {
  const config = readConfig({ EVENT_SINK: 'nats://cairn:secret-1@127.0.0.1:1' });
  const [finding] = await checkEventSink(config);
  expect(finding).toMatchObject({
    state: 'error',
    subject: 'event sink',
    text: expect.not.stringContaining('secret-1'),
  });
});
