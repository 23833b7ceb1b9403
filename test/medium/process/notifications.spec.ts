import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readConfig } from '../../../src/config/env.js';
import { Db } from '../../../src/core/database/db.js';
import { ProcessConnection } from '../../../src/core/database/process-connection.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import { OutboxWriter } from '../../../src/core/events/outbox.writer.js';
import { createLogger } from '../../../src/core/logging/logger.js';
import { Notifier, type Topic } from '../../../src/core/worker/notifier.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { type RunningServer, start } from '../../../src/main.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

const NEVER_MS = 2 ** 31 - 1;

describe('notifications between processes', () => {
  let database: TestDatabase;
  let dataDir: string;
  let receiver: Receiver;
  let [writer, worker]: RunningServer[] = [];
  let db: Db;
  let projectId: number;

  beforeAll(async () => {
    jest.spyOn(Notifier.prototype, 'pollMs').mockReturnValue(NEVER_MS); // only notifications wake the worker
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'cairn-notifications-'));
    receiver = await createReceiver();
    const config = readConfig({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: '0',
      IMAGE_PROCESS: 'false',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    });
    writer = await start(config, createLogger('silent'), 'api');
    worker = await start(config, createLogger('silent'), 'worker');
    db = writer.app.get(Db);
    await listening(worker);
    const [project] = await db.query<{ id: number }>(sql`
      insert into project (name, created_date, updated_date) values ('p', now(), now()) returning id`);
    projectId = project?.id ?? 0;
    await db.query(sql`
      insert into webhook (target_url, type, active_since, api_version, project_id, events, created_date, updated_date)
      values (${receiver.url}, 'project', '2020-01-01', '2.1', ${projectId}, '{update:project}', now(), now())`);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await writer?.stop();
    await worker?.stop();
    await receiver.close();
    await database.drop();
    await rm(dataDir, { recursive: true });
  });

  const listening = async (server: RunningServer | undefined): Promise<void> => {
    while (server?.app.get(Notifier).isListening !== true) await pause(10);
  };

  /** Commits an event in the process that does no background work. */
  const change = async (name: string): Promise<void> => {
    await writer?.app.get(UnitOfWork).run((tx) => {
      writer?.app.get(OutboxWriter).add(tx, {
        name: 'update:project',
        objectId: projectId,
        organizationId: null,
        projectId,
        sender: null,
        before: { object: { id: projectId, name: '' } },
        after: { object: { id: projectId, name } },
      });
      return Promise.resolve();
    });
  };

  const names = (): unknown[] => receiver.arrivals.map(({ payload }) => (payload['project'] as { name: string }).name);

  it('make another process deliver an event', async () => {
    await change('one');
    await receiver.arrived(1);
    expect(names()).toEqual(['one']);
  });

  it.each<Topic>(['events', 'deliveries', 'requests'])('pass on %s, each to its own listeners', async (topic) => {
    const heard: Topic[] = [];
    const others = (['events', 'deliveries', 'requests'] as const).filter((other) => other !== topic);
    const notifier = worker?.app.get(Notifier);
    const forget = others.map((other) => notifier?.listen(other, () => heard.push(other)));
    await new Promise<void>((resolve) => {
      forget.push(notifier?.listen(topic, resolve));
      writer?.app.get(Notifier).notify(topic);
    });
    for (const end of forget) end?.();
    expect(heard).toEqual([]);
  });

  it('are heard again after the connection broke, and what was committed meanwhile is delivered', async () => {
    const before = receiver.arrivals.length;
    const session = worker?.app.get(ProcessConnection).current;
    const { processID: pid } = (session?.client ?? {}) as { processID?: number };
    await db.query(sql`select pg_terminate_backend(${pid}::int)`);
    const isLost = () => session?.isLost === true;
    while (!isLost()) await pause(1);
    await change('while it was away');
    await receiver.arrived(before + 1);
    await listening(worker);
    await change('when it was back');
    await receiver.arrived(before + 2);
    expect(names().slice(before)).toEqual(['while it was away', 'when it was back']);
  });
});
