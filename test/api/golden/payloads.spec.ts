import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API_VERSIONS, type ApiVersion, LATEST_VERSION } from '../../../src/core/versioning/accept.js';
import { EventLog } from '../../../src/core/event-log/event-log.js';
import { EVENTS } from '../../../src/core/events/event-declaration.js';
import { PING } from '../../../src/modules/webhooks/event-catalogue.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { AUDIT_ACTIONS } from '../../../src/shared/audit-actions.js';
import { payloadText } from '../../../src/modules/webhooks/dispatch/payload-text.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { liveThroughEverything } from '../../support/every-event.js';
import { EventSchemas } from '../../support/event-schemas.js';
import { Given } from '../../support/given.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

type Payload = Readonly<Record<string, unknown>>;
/** The newest version, and older ones that differ. */
type Golden = Partial<Readonly<Record<ApiVersion, Payload>>>;

const FOLDER = join(import.meta.dirname, 'payloads');
/** `UPDATE_PAYLOADS=1` writes the payloads of the run instead of comparing them. */
const update = process.env['UPDATE_PAYLOADS'] === '1';
const BASE = 'https://cairn.example.org';

/** `completed:request[create:task]` is stored in `completed.request.create.task.json`. */
const fileOf = (event: string): string => `${event.replace(/[^\w]+/g, '.').replace(/\.$/, '')}.json`;

/** Ids, dates, keys and URLs differ from run to run. They are replaced by values of the same form. */
function masked(payload: Payload, base: string, receiver: string): Payload {
  const isId = (key: string): boolean => /^(id|\w+_id|organization|project|task|job|issue|data|revision)$/.test(key);
  const text = JSON.stringify(payload, (key, value: unknown) => (isId(key) && typeof value === 'number' ? 1 : value))
    .replaceAll(base, BASE)
    .replaceAll(receiver, 'https://receiver.example.org/hook')
    .replace(/(\/api\/\w+|\/revisions)\/\d+/g, '$1/1')
    .replace(/([?&]\w+_id=|target_id(?:=|%3D))\d+/g, '$11')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-01-02T03:04:05.678901Z')
    .replace(/[A-Za-z0-9]{64}/g, 'key'.padEnd(64, '0'))
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000');
  return JSON.parse(text) as Payload;
}

/** The first payload of every event in every version, masked. */
async function told(app: TestApp, receiver: Receiver): Promise<Map<string, Golden>> {
  const base = await app.app.getUrl();
  const admin = await new Given(app).person({
    username: 'ada',
    groups: ['admin'],
    firstName: 'Ada',
    lastName: 'Admin',
  });
  const hook = async (body: object): Promise<number> =>
    (await admin.http.post('/api/webhooks').send({ target_url: receiver.url, ...body })).body.id as number;
  const listed = (await admin.http.get('/api/webhooks/events?type=server')).body.events as { readonly key: string }[];
  const events = listed.map(({ key }) => key);
  for (const version of API_VERSIONS) {
    await hook({ type: 'server', events, api_version: version });
    const pinged = await hook({ type: 'server', events: ['create:task'], is_active: false, api_version: version });
    await admin.http.post(`/api/webhooks/${pinged}/ping`).expect(200);
  }
  await liveThroughEverything(app, admin);
  await app.drain();
  const rows = await app.db.query<{ event: string; version: ApiVersion; payload: string }>(sql`
    select distinct on (webhook_delivery.event, webhook.api_version) webhook_delivery.event,
      webhook.api_version as version, ${payloadText('webhook_delivery')} as payload
    from webhook_delivery join webhook on webhook.id = webhook_id
    order by webhook_delivery.event, webhook.api_version, webhook_delivery.id`);
  const found = new Map<string, Record<string, Payload>>();
  for (const { event, version, payload } of rows) {
    const versions = found.get(event) ?? {};
    versions[version] = masked(JSON.parse(payload) as Payload, base, receiver.url);
    found.set(event, versions);
  }
  return new Map([...found].map(([event, versions]) => [event, withoutTwins(versions)]));
}

function withoutTwins(versions: Readonly<Record<string, Payload>>): Golden {
  const newest = versions[LATEST_VERSION];
  const kept = API_VERSIONS.filter(
    (version) => version === LATEST_VERSION || JSON.stringify(versions[version]) !== JSON.stringify(newest),
  );
  return Object.fromEntries([LATEST_VERSION, ...kept].map((version) => [version, versions[version]]));
}

describe('payloads', () => {
  const names = [...EVENTS.map(({ name }) => name), PING];
  let app: TestApp;
  let receiver: Receiver;
  let schemas: EventSchemas;
  let now: ReadonlyMap<string, Golden>;

  beforeAll(async () => {
    app = await createTestApp();
    schemas = EventSchemas.of(app.app);
    receiver = await createReceiver();
    now = await told(app, receiver);
    if (!update) return;
    rmSync(FOLDER, { recursive: true });
    mkdirSync(FOLDER);
    for (const [event, golden] of now)
      writeFileSync(join(FOLDER, fileOf(event)), `${JSON.stringify(golden, null, 2)}\n`);
  });
  afterAll(async () => {
    await receiver.close();
    await app.close();
  });

  it('exist for every event of the catalogue, and no other', () => {
    expect(readdirSync(FOLDER).toSorted()).toEqual(names.map(fileOf).toSorted());
  });

  it.each(names)('%s equals the recording, including the order of keys, and matches its schema', (event) => {
    const kept = JSON.parse(readFileSync(join(FOLDER, fileOf(event)), 'utf8')) as Golden;
    expect(now.get(event)).toEqual(kept);
    expect(JSON.stringify(now.get(event))).toBe(JSON.stringify(kept));
    const payload = (version: ApiVersion): Payload => kept[version] ?? kept[LATEST_VERSION] ?? {};
    expect(API_VERSIONS.map((version) => schemas.problem(payload(version), version))).toEqual(
      API_VERSIONS.map(() => null),
    );
  });

  it('are changes whose actions the audit log can be filtered by', async () => {
    await app.app.get(EventLog).flush();
    const rows = await app.db.query<{ scope: string }>(sql`select distinct scope from logged_event where is_audit`);
    expect(rows.length).toBeGreaterThan(20);
    expect(AUDIT_ACTIONS).toEqual(expect.arrayContaining(rows.map(({ scope }) => scope)));
  });
});
