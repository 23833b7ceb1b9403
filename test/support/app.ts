import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import supertest from 'supertest';
import { AppModule } from '../../src/app.module.js';
import type { Config } from '../../src/config/config.js';
import { readConfig } from '../../src/config/env.js';
import { Clock } from '../../src/core/clock.js';
import { Db } from '../../src/core/database/db.js';
import { loadExtensions } from '../../src/core/extensions/load-extensions.js';
import { createApp } from '../../src/core/http/app/create-app.js';
import { createLogger } from '../../src/core/logging/logger.js';
import { OutboxRelay } from '../../src/core/events/outbox.relay.js';
import { Quarantine } from '../../src/core/events/quarantine.js';
import { migrate } from '../../src/migrate.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { watchPayloads } from './event-schemas.js';
import { rememberRegistries } from './registries.js';
import { watchScopes } from './watch-scopes.js';

export interface TestApp {
  readonly app: NestExpressApplication;
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  /** The URL it listens at: `http://127.0.0.1:` and a port. */
  readonly url: string;
  /** Sends requests without a credential. */
  readonly http: ReturnType<typeof supertest>;
  /** Relays committed events to their listeners. @throws Error if one cannot handle an event */
  drain(): Promise<void>;
  /** Stops the application. Deletes database and files unless they were passed in. */
  close(): Promise<void>;
}

export interface TestAppOptions {
  /** Settings as environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Use these instead of new ones, for a second application on the same data or a restart. */
  readonly database?: TestDatabase;
  readonly dataDir?: string;
  /** The destination of the log. Its level is TEST_LOG_LEVEL or that of `env`. */
  readonly log?: { write(line: string): void };
}

/** Starts the whole application on its own database and data folder, without workers: tests drive them. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'cairn-app-')));
  const config = readConfig({
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '5',
    DATABASE_CONNECT_TIMEOUT_MS: '45000', // a machine that pauses for a while is not a failure
    DATABASE_RESPONSE_TIMEOUT_MS: '45000',
    DATA_DIR: dataDir,
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    REMOTE_ALLOW_PRIVATE: 'true',
    IMAGE_PROCESS: 'false', // its program needs compiled code, but tests run from the sources
    VIDEO_CHUNKS_AHEAD: 'false',
    ANONYMOUS_PER_MINUTE: '1000000',
    ...options.env,
  });
  const log = createLogger(config.logLevel, options.log);
  const restoreRegistries = rememberRegistries();
  const extensions = await loadExtensions(config.extensions);
  if (extensions.length > 0) await migrate(config, extensions);
  const app = await createApp(AppModule.of(config, log, extensions), config, log);
  watchPayloads(app);
  watchScopes(app);
  await app.listen(0, '127.0.0.1'); // one server for all requests: supertest would open one for each
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const testApp: TestApp = {
    app,
    config,
    url,
    db: app.get(Db),
    clock: app.get(Clock),
    http: supertest(url),
    async drain() {
      await app.get(OutboxRelay).drain();
      const [failed] = await app.get(Quarantine).list({}, 1);
      if (failed !== undefined) throw new Error(`${failed.listener} cannot handle ${failed.event}: ${failed.error}`);
    },
    async close() {
      await app.close();
      if (options.database === undefined) await database.drop();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
      restoreRegistries();
      release(testApp);
    },
  };
  return testApp;
}

/** Test files and their variables stay loaded as long as their worker runs, so release the applications. */
function release(testApp: Partial<TestApp>): void {
  for (const key of Object.keys(testApp) as (keyof TestApp)[]) delete testApp[key];
}
