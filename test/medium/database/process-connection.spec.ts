import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/env.js';
import { ProcessConnection } from '../../../src/core/database/process-connection.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type FreezingProxy, freezingProxy } from '../../support/freezing-proxy.js';

let database: TestDatabase;
let proxy: FreezingProxy;
let connection: ProcessConnection;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await freezingProxy(database.url);
  connection = new ProcessConnection(
    readConfig({
      DATABASE_URL: database.url,
      DATABASE_DIRECT_URL: proxy.url,
      DATABASE_RESPONSE_TIMEOUT_MS: '500',
    }),
  );
});
afterAll(async () => {
  await connection.onApplicationShutdown();
  await proxy.close();
  await database.drop();
});

it('is closed when its server no longer responds, and opened again', async () => {
  const first = await connection.open();
  await connection.check(first);
  expect(await connection.open()).toBe(first);
  proxy.freeze();
  const lost = new Promise((resolve) => first.client.once('end', resolve));
  await connection.check(first);
  await lost;
  expect([first.isLost, connection.current]).toEqual([true, undefined]);
  proxy.thaw();
  expect(await connection.open()).not.toBe(first);
});
