import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventPartitions } from '../../../src/core/event-log/event-partitions.js';
import { raw } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { countStatements } from '../../support/statements.js';

/** The stored part of a quality report's document, and the summary of the report. */
const MATRIX = JSON.stringify({ confusion_matrix: { labels: ['unmatched'], rows: [[0]], axes: {}, accuracy: [0] } });
const DOCUMENT = gzipSync(`,\n  "comparison_summary": {"annotations": ${MATRIX}}\n}\n`).toString('hex');
const SUMMARY = JSON.stringify({ requirements: { items: [{ requirement_id: 1, metric: 'accuracy', score: 1 }] } });

/** Without any replicas. */
const AGREEMENT = JSON.stringify({
  iou_threshold: 0.4,
  total: { tags: {}, shapes: {} },
  jobs: [],
  labels: [],
  pairs: [],
});

/** One more row of every table, with its dependent rows; row n has the id n where possible. */
const rowsOfEverything = (n: number): string => `
  insert into app_user (id, username, password, groups, date_joined) values (${n}, 'user${n}', '!', '{user}', now());
  insert into organization (id, slug, name, owner_id, created_date, updated_date) values (${n}, 'o${n}', 'o', ${n}, now(), now());
  insert into membership (id, user_id, organization_id, is_active, role) values (${n}, ${n}, ${n}, true, 'worker');
  insert into invitation (key, owner_id, membership_id, created_date) values ('k${n}', ${n}, ${n}, now());
  insert into project (id, name, owner_id, assignee_id, organization_id, created_date, updated_date)
    values (${n}, 'p', ${n}, ${n}, ${n}, now(), now());
  insert into media_data (id, size) values (${n}, 10);
  insert into task (id, name, project_id, owner_id, assignee_id, organization_id, data_id, created_date, updated_date)
    values (${n}, 't', ${n}, ${n}, ${n}, ${n}, ${n}, now(), now());
  insert into consensus_settings (id, task_id) values (${n}, ${n});
  insert into consensus_agreement (task_id, document, created_date) values (${n}, '${AGREEMENT}', now());
  insert into label (id, project_id, name, type) values (${n}, ${n}, 'label', 'skeleton');
  insert into label (id, project_id, parent_id, name) values (${1000 + n}, ${n}, ${n}, 'part');
  insert into attribute_spec (label_id, name, mutable, input_type) values (${n}, 'a', false, 'text');
  insert into guide (task_id, created_date, updated_date) values (${n}, now(), now());
  insert into segment (id, task_id, start_frame, stop_frame, chunks_updated_date) values (${n}, 1, 0, 9, now());
  insert into job (id, segment_id, task_id, assignee_id, created_date, updated_date) values (${n}, ${n}, 1, ${n}, now(), now());
  insert into issue (id, job_id, frame, position, owner_id, assignee_id) values (${n}, ${n}, 0, '{1}', ${n}, ${n});
  insert into comment (issue_id, owner_id, created_date, updated_date) values (${n}, ${n}, now(), now());
  insert into webhook (id, target_url, type, active_since, api_version, owner_id, organization_id, events, created_date, updated_date)
    values (${n}, 'http://h', 'organization', now(), '2.1', ${n}, ${n}, '{update:task}', now(), now());
  insert into webhook_delivery (webhook_id, event, message_id, payload, status, created_date, updated_date)
    values (1, 'ping', gen_random_uuid(), '{}', 'delivered', now(), now());
  insert into background_request (id, type, target, status, parameters, owner_id, task_id, created_date)
    values ('r${n}', 'export:task', 'task', 'finished', '{}', (select id from app_user where username = 'reader'), ${n}, now());
  insert into background_request (id, type, target, status, parameters, owner_id, task_id, created_date)
    values ('action=autoannotate&target=task&target_id=${n}', 'autoannotate:task', 'task', 'finished', '{"functionId": "f"}', ${n}, ${n}, now());
  insert into cloud_storage (id, provider_type, resource, display_name, credentials_type, owner_id, organization_id, manifests, created_date, updated_date)
    values (${n}, 'AWS_S3_BUCKET', 'r${n}', 's', 'ANONYMOUS_ACCESS', ${n}, ${n}, '{a.jsonl}', now(), now());
  insert into native_function (id, name, kind, spec, owner_id, organization_id, created_date, updated_date)
    values (${n}, 'f', 'tracker', '{"supported_shape_types": []}', ${n}, ${n}, now(), now());
  insert into quality_report (id, job_id, summary, document, created_date, target_last_updated)
    values (${n}, ${n}, '${SUMMARY}', '\\x${DOCUMENT}', now(), now());
  insert into quality_conflict (report_id, frame, type, severity, annotation_ids)
    values (${n}, 0, 'missing_annotation', 'error', '[]');
  insert into access_token (name, owner_id, key_hash, created_date, updated_date)
    values ('t', (select id from app_user where username = 'reader'), 'h${n}', now(), now());
  insert into logged_event (created_date, event_time, source, scope, is_audit) values (now(), now(), 'audit', 'login', true);
  insert into outbox_listener (name, position, seen_date) values ('l${n}', 0, now());
  insert into outbox_quarantine (listener, event_id, event, object_id, error, attempts, first_failed_date, last_failed_date)
    values ('l${n}', ${n}, 'update:task', '1', 'e', 1, now(), now());
`;

const LISTS = [
  '/api/users',
  '/api/organizations',
  '/api/memberships',
  '/api/invitations',
  '/api/projects',
  '/api/tasks',
  '/api/jobs',
  '/api/tasks/1/jobs',
  '/api/labels',
  '/api/issues',
  '/api/consensus/settings',
  '/api/comments',
  '/api/webhooks',
  '/api/webhooks/1/deliveries',
  '/api/cloudstorages',
  '/api/functions',
  '/api/requests',
  '/api/lambda/functions',
  '/api/lambda/requests',
  '/api/quality/settings?parent_type=task',
  '/api/quality/settings/requirements?filter=%7B%22var%22%3A%22task_id%22%7D',
  '/api/quality/reports',
  '/api/quality/conflicts',
  '/api/auth/access_tokens',
  '/api/users/1000/access_tokens',
  '/api/events/audit',
  '/api/events/listeners',
  '/api/events/quarantine',
];

const MORE = 29;

/** More rows within the objects with id 1. */
const partsOfEverything = (n: number): string => `
  insert into task (id, name, project_id, owner_id, created_date, updated_date) values (${n}, 't', 1, 1, now(), now());
  insert into label (id, project_id, name, type) values (${n}, 1, 'label${n}', 'skeleton');
  insert into label (id, project_id, parent_id, name) values (${1000 + n}, 1, ${n}, 'part'), (${2000 + n}, 1, 1, 'part${n}');
  insert into attribute_spec (label_id, name, mutable, input_type) values (1, 'a${n}', false, 'text');
  insert into segment (id, task_id, start_frame, stop_frame, chunks_updated_date) values (${n}, 1, 0, 9, now());
  insert into job (id, segment_id, task_id, created_date, updated_date) values (${n}, ${n}, 1, now(), now());
  insert into issue (id, job_id, frame, position, owner_id) values (${n}, 1, 0, '{1}', 1);
  insert into comment (issue_id, owner_id, created_date, updated_date) values (1, 1, now(), now());
  insert into webhook_delivery (webhook_id, event, message_id, payload, status, created_date, updated_date)
    values (1, 'ping', gen_random_uuid(), '{}', 'delivered', now(), now());
  insert into webhook_attempt (delivery_id, number, started_at, duration)
    values ((select min(id) from webhook_delivery where webhook_id = 1), ${n}, now(), 1);
  insert into app_user (id, username, password, groups, date_joined) values (${n}, 'user${n}', '!', '{user}', now());
  insert into membership (id, user_id, organization_id, is_active, role) values (${n}, ${n}, 1, true, 'worker');
`;

/** Id of a label of project 1. */
const PLAIN = 3001;

/** Includes the newest save, and the oldest delivery of webhook 1. */
const OBJECTS = [
  '/api/users/1',
  '/api/users/self',
  '/api/organizations/1',
  '/api/memberships/1',
  '/api/invitations/k1',
  '/api/projects/1',
  '/api/tasks/1',
  '/api/tasks/1/status',
  '/api/tasks/1/data/meta',
  '/api/tasks/1/validation_layout',
  '/api/tasks/1/agreement',
  '/api/tasks/1/agreement/csv',
  '/api/tasks/1/annotations/',
  '/api/tasks/1/annotations/revisions',
  '/api/tasks/1/annotations/revisions/SAVE',
  '/api/tasks/1/annotations/revisions/SAVE/changes',
  '/api/tasks/1/annotations/revisions/SAVE/annotations',
  '/api/jobs/1',
  '/api/jobs/1/data/meta',
  '/api/jobs/1/quality',
  '/api/jobs/1/annotations/',
  '/api/jobs/1/annotations/revisions',
  '/api/jobs/1/annotations/revisions/SAVE',
  '/api/jobs/1/annotations/revisions/SAVE/changes',
  '/api/jobs/1/annotations/revisions/SAVE/annotations',
  '/api/labels/1',
  '/api/issues/1',
  '/api/comments/1',
  '/api/consensus/settings/1',
  '/api/guides/1',
  '/api/quality/settings/1',
  '/api/quality/reports/1',
  '/api/quality/reports/1/data',
  '/api/quality/reports/1/annotators',
  '/api/quality/reports/1/confusion',
  '/api/quality/reports/1/confusion/matrix?requirement=1',
  '/api/quality/settings/requirements/1',
  '/api/webhooks/1',
  '/api/webhooks/1/sample?event=update:task',
  '/api/webhooks/1/explain?event=update:task',
  '/api/webhooks/1/deliveries/DELIVERY',
  '/api/webhooks/1/deliveries/DELIVERY/attempts',
  '/api/cloudstorages/1',
  '/api/functions/1',
  '/api/requests/r1',
  '/api/lambda/functions/1',
  '/api/lambda/requests/action=autoannotate&target=task&target_id=1',
  '/api/auth/access_tokens/1',
  '/api/projects/1/activity',
  '/api/projects/1/activity/csv',
];

/** Other routes do not read a growing number of rows: files, external storages, streams, static data. */
const OTHERS = [
  '/api/assets/{uuid}',
  '/api/asyncapi',
  '/api/auth/access_tokens/self',
  '/api/auth/account-confirm-email/{key}/',
  '/api/auth/methods',
  '/api/cloudstorages/{id}/actions',
  '/api/cloudstorages/{id}/content-v2',
  '/api/cloudstorages/{id}/preview',
  '/api/cloudstorages/{id}/status',
  '/api/events',
  '/api/events/audit/csv',
  '/api/events/download',
  '/api/events/stream',
  '/api/functions/queues/{queue}/watch',
  '/api/inspect',
  '/api/inspect/{box}',
  '/api/jobs/{id}/data',
  '/api/jobs/{id}/dataset',
  '/api/jobs/{id}/dataset/download',
  '/api/jobs/{id}/presence',
  '/api/jobs/{id}/preview',
  '/api/jobs/{id}/validation_layout',
  '/api/projects/{id}/annotations',
  '/api/projects/{id}/backup',
  '/api/projects/{id}/backup/download',
  '/api/projects/{id}/dataset',
  '/api/projects/{id}/dataset/download',
  '/api/projects/{id}/preview',
  '/api/schema/',
  '/api/server/about',
  '/api/server/annotation/formats',
  '/api/server/health/',
  '/api/server/plugins',
  '/api/server/share',
  '/api/tasks/{id}/backup',
  '/api/tasks/{id}/backup/download',
  '/api/tasks/{id}/data/',
  '/api/tasks/{id}/dataset',
  '/api/tasks/{id}/dataset/download',
  '/api/tasks/{id}/preview',
  '/api/webhooks/events',
  '/api/webhooks/events/sample',
  '/api/webhooks/events/{event}/schema',
];

/** The route of a path, `/api/tasks/{id}` for `/api/tasks/1`; routes without parameters take precedence. */
function routeOf(path: string, routes: readonly string[]): string | undefined {
  const [pathname] = path.split('?');
  const fits = (route: string): boolean =>
    new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname ?? '');
  return routes.find((route) => route === pathname) ?? routes.find(fits);
}

/** Some lists of the contract have no pages. */
const rowsIn = (body: { results?: unknown[] } | unknown[]): number =>
  (Array.isArray(body) ? body : (body.results ?? [])).length;

describe('number of statements of a request', () => {
  let app: TestApp;
  let reader: Person;

  const read = (list: string, version: string): ReturnType<Person['http']['get']> =>
    reader.http
      .get(`${list}${list.includes('?') ? '&' : '?'}page_size=100`)
      .set('Accept', `application/vnd.cvat+json; version=${version}`);

  beforeAll(async () => {
    app = await createTestApp();
    await app.app.get(EventPartitions).ensure(new Date());
    reader = await new Given(app).person({ id: 1000, username: 'reader', groups: ['admin'] });
  });

  afterAll(() => app.close());

  it('is the same for thirty rows and for one', async () => {
    await app.db.query(raw(rowsOfEverything(1)), { dynamic: true });
    const cases = LISTS.flatMap((list) => ['2.0', '2.1'].map((version) => ({ list, version })));
    const measure = async (): Promise<{ asked: string; rows: number; statements: number }[]> => {
      const measured = [];
      for (const { list, version } of cases) {
        const { body } = await read(list, version).expect(200);
        const statements = await countStatements(() => read(list, version));
        measured.push({ asked: `${list} ${version}`, rows: rowsIn(body), statements });
      }
      return measured;
    };
    const one = await measure();
    for (let n = 2; n <= 1 + MORE; n += 1) await app.db.query(raw(rowsOfEverything(n)), { dynamic: true });
    expect(await measure()).toEqual(one.map((before) => ({ ...before, rows: before.rows + MORE })));
    expect(one.filter(({ rows, statements }) => rows === 0 || statements === 0)).toEqual([]);
  });

  /** Annotations of all jobs of task 1, as one save. */
  const annotate = (count: number): PromiseLike<unknown> => {
    const numbers = Array.from({ length: count }, (_, index) => index % 10);
    const shape = { type: 'rectangle', points: [1, 2, 3, 4], attributes: [] };
    return reader.http
      .patch('/api/tasks/1/annotations/?action=create')
      .send({
        tags: numbers.map((frame) => ({ frame, label_id: PLAIN, attributes: [] })),
        shapes: numbers.map((frame) => ({ ...shape, frame, label_id: PLAIN })),
        tracks: numbers.map((frame) => ({ frame, label_id: PLAIN, attributes: [], shapes: [{ ...shape, frame }] })),
        intervals: numbers.map((frame) => ({ label_id: PLAIN, start: frame, stop: null, attributes: [] })),
      })
      .expect(200);
  };

  async function objects(): Promise<string[]> {
    const [save] = (await reader.http.get('/api/tasks/1/annotations/revisions')).body.results;
    const [delivery] = await app.db.query<{ id: number }>(raw('select min(id) as id from webhook_delivery where webhook_id = 1')); // prettier-ignore
    return OBJECTS.map((path) => path.replace('SAVE', String(save.id)).replace('DELIVERY', String(delivery?.id)));
  }

  it('is measured for every route that reads rows', () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, { get?: object }> };
    const routes = Object.keys(paths).filter((path) => paths[path]?.get !== undefined);
    const measured = [...LISTS, ...OBJECTS].map((path) => routeOf(path, routes) ?? path);
    expect([...new Set([...measured, ...OTHERS])].toSorted()).toEqual(routes.toSorted());
  });

  it('is the same for an object with many parts and with few', async () => {
    const measure = async (): Promise<{ asked: string; statements: number }[]> => {
      const measured = [];
      for (const [index, object] of (await objects()).entries()) {
        for (const version of ['2.0', '2.1']) {
          await read(object, version).expect(200);
          const statements = await countStatements(() => read(object, version));
          measured.push({ asked: `${OBJECTS[index]} ${version}`, statements });
        }
      }
      return measured;
    };
    await app.db.query(raw(`insert into label (id, project_id, name) values (${PLAIN}, 1, 'plain')`), {
      dynamic: true,
    });
    await annotate(1);
    const little = await measure();
    for (let n = 31; n <= 60; n += 1) await app.db.query(raw(partsOfEverything(n)), { dynamic: true });
    await annotate(30);
    expect(await measure()).toEqual(little);
    expect(little.filter(({ statements }) => statements === 0)).toEqual([]);
  });
});
