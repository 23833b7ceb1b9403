import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DatabaseHost } from '../../../src/config/database-url.js';
import { clientConfig } from '../../../src/core/database/client-config.js';
import { Primary } from '../../../src/core/database/primary.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type FreezingProxy, freezingProxy } from '../../support/freezing-proxy.js';

let database: TestDatabase;
let proxies: [FreezingProxy, FreezingProxy];

beforeAll(async () => {
  database = await createTestDatabase();
  proxies = [await freezingProxy(database.url), await freezingProxy(database.url)];
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.close();
  await database.drop();
});

const hostOf = ({ url }: FreezingProxy): DatabaseHost => ({ host: '127.0.0.1', port: Number(new URL(url).port) });

it('finds the server that responds, and another one when it is told that the first broke', async () => {
  const hosts = proxies.map(hostOf);
  const primary = new Primary(hosts, clientConfig(database.url));
  proxies[0].freeze();
  expect(await primary.find()).toEqual(hosts[1]);
  proxies[0].thaw();
  proxies[1].freeze();
  expect(await primary.find()).toEqual(hosts[1]); // nobody noticed yet
  primary.forget();
  expect(await primary.find()).toEqual(hosts[0]);
  proxies[1].thaw();
});

it('says why no server can be used', async () => {
  const hosts = [hostOf(proxies[0]), { host: '127.0.0.1', port: 1 }];
  const primary = new Primary(hosts, { ...clientConfig(database.url), database: 'none' });
  const searches = await Promise.allSettled([primary.find(), primary.find()]);
  for (const search of searches)
    expect(search).toMatchObject({
      reason: {
        name: 'DatabaseUnavailable',
        message: expect.stringMatching(
          /^No server of DATABASE_URL accepts writes: 127.0.0.1:\d+ \(.*"none" does not exist\), 127.0.0.1:1 \(.*ECONNREFUSED/,
        ),
      },
    });
});
