import { existsSync, readFileSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import type { DumpObject } from '../../medium/cvat-import/small-dump.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { importCvat } from '../../../src/cvat-import/import-cvat.js';
import type { Sealing } from '../../../src/cvat-import/mapping.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { CloudCredentials } from '../../../src/modules/cloudstorages/cloud-buckets.js';

const GOLDEN = join(import.meta.dirname, '../../../../shared/golden');
const PASSWORD = '!Q@W#E$R';
/** The base URL of the recorded server. */
const BASE_URL = 'http://localhost:8080';
const LISTS = [
  'users',
  'organizations',
  'memberships',
  'invitations',
  'projects',
  'tasks',
  'jobs',
  'labels',
  'issues',
  'comments',
  'webhooks',
] as const;

const NO_SEALING: Sealing = { webhookSecret: () => null, cloudCredentials: () => '' };

type Json = Record<string, unknown>;

const isThere = existsSync(GOLDEN);
if (!isThere) console.info('skipped: the dump of a real server is not here');

const recorded = (name: string): unknown => JSON.parse(readFileSync(join(GOLDEN, 'responses', `${name}.json`), 'utf8'));
const recordedList = (name: string): Json[] => (recorded(name) as { results: Json[] }).results;

/** Without values that the test changes, and with a fixed order where CVAT guarantees none. */
function comparable(object: Json): Json {
  const fields = { ...object };
  if (fields['username'] === 'admin1' || fields['username'] === 'user7') delete fields['last_login']; // they log in to this server
  if (Array.isArray(fields['task_subsets']))
    fields['task_subsets'] = (fields['task_subsets'] as string[]).toSorted((a, b) => a.localeCompare(b));
  return fields;
}

/** Annotations by number, because CVAT does not order those of one frame, or the elements of one skeleton. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder).toSorted((a, b) => idOf(a) - idOf(b));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, inOrder(field)]));
}

function idOf(value: unknown): number {
  const { id, spec_id: specId } = (value ?? {}) as Json;
  return Number(id ?? specId ?? 0);
}

/** Only the fields that the recorded server has: this server may return more. */
const like = (answer: Json, record: Json): Json =>
  Object.fromEntries(Object.entries(answer).filter(([key]) => key in record));

/** The dump as CVAT 2.73 writes it: with newer fields, without those that are gone, and in another order. */
function asNewer(records: readonly DumpObject[]): DumpObject[] {
  const added = (model: string, fields: Json): Json => {
    switch (model) {
      case 'engine.task':
        return fields['data'] === null
          ? { media_type: null, dimension: null, mode: null }
          : { media_type: fields['dimension'] === '3d' ? 'point_cloud' : 'image' };
      case 'engine.data':
        return { local_storage_backing_cs: null };
      case 'engine.labeledshape':
        return { score: 1.0 };
      case 'engine.issue':
        return { assignee_updated_date: null };
      case 'webhooks.webhookdelivery':
        return { attempt: 1, request_duration: 12 };
      case 'consensus.consensussettings':
        return { quorum: undefined };
      default:
        return {};
    }
  };
  return records
    .map(({ model, pk, fields }) => ({ model, pk, fields: { ...fields, ...added(model, fields) } }))
    .toReversed();
}

(isThere ? describe : describe.skip).each(['2.42', '2.73'])('a CVAT %s that was imported', (version) => {
  let app: TestApp;
  let http: ReturnType<typeof supertest.agent>;

  beforeAll(async () => {
    app = await createTestApp({ env: { PUBLIC_URL: BASE_URL } });
    const { databaseUrl, dataDir } = app.config;
    const original = join(GOLDEN, 'cvat-dump.json');
    const newer = join(dataDir, 'newer-dump.json');
    if (version !== '2.42')
      await writeFile(newer, JSON.stringify(asNewer(JSON.parse(readFileSync(original, 'utf8')) as DumpObject[])));
    const paths = { dump: version === '2.42' ? original : newer, data: join(GOLDEN, 'cvat-data.tar.bz2') };
    const credentials = app.app.get(CloudCredentials, { strict: false });
    const sealing: Sealing = { webhookSecret: () => null, cloudCredentials: (stored) => credentials.seal(stored) };
    const { files, models } = await importCvat({ databaseUrl, dataDir, ...paths, dryRun: false, sealing });
    expect(files).toMatchObject({ missing: 0, elsewhere: 0 });
    expect(models.filter(({ unknownFields }) => unknownFields.size > 0)).toEqual([]);
    http = supertest.agent(app.url);
    const { body } = await app.http
      .post('/api/auth/login')
      .send({ username: 'admin1', password: PASSWORD })
      .expect(200);
    http.set('Authorization', `Token ${String((body as Json)['key'])}`);
  });

  afterAll(() => app.close());

  it('keeps the passwords, in the current hash format', async () => {
    await app.http.post('/api/auth/login').send({ username: 'user7', password: PASSWORD }).expect(200);
    await app.http.post('/api/auth/login').send({ username: 'user7', password: 'wrong' }).expect(400);
    const rows = await app.db.query<{ username: string; password: string }>(
      sql`select username, split_part(password, '$', 1) as password from app_user where username in ('user7', 'user8') order by username`,
    );
    expect(rows).toEqual([
      { username: 'user7', password: expect.stringContaining('argon2') },
      { username: 'user8', password: 'md5' },
    ]);
  });

  it.each(LISTS)('returns %s field by field', async (name) => {
    const { body } = await http.get(`/api/${name}?page_size=500`).expect(200);
    const answers = (body as { results: Json[] }).results;
    const expected = recordedList(name).map(comparable);
    expect(answers.map(comparable).map((answer, index) => like(answer, expected[index] ?? {}))).toEqual(expected);
  });

  it('returns the settings of consensus', async () => {
    const { body } = await http.get('/api/consensus/settings').expect(200);
    const settings = { iou_threshold: 0.4, quorum: 0.5 };
    expect(body.results).toEqual([
      { id: 1, task_id: 30, ...settings },
      { id: 2, task_id: 31, ...settings },
    ]);
  });

  it('returns the settings, reports and conflicts of quality control', async () => {
    const settings = (await http.get('/api/quality/settings?page_size=all').expect(200)).body;
    expect(settings.results.find((row: { task_id: number }) => row.task_id === 2)).toMatchObject({
      id: 1,
      job_filter: '{"==": [{"var": "type"}, "annotation"]}',
      created_date: '2021-12-14T18:50:29.458000Z',
    });
    const reports = (await http.get('/api/quality/reports?page_size=all&sort=id').expect(200)).body;
    expect(reports.count).toBe(18);
    expect(reports.results[0]).toMatchObject({
      id: 1,
      task_id: 22,
      target: 'task',
      summary: { total_frames: 11, valid_count: 21 },
    });
    expect(reports.results[12]).toMatchObject({ id: 13, parent_id: 18 });
    expect((await http.get('/api/quality/reports?parent_id=18')).body.count).toBe(5);
    const conflicts = (await http.get('/api/quality/conflicts?sort=id').expect(200)).body;
    expect(conflicts.count).toBe(172);
    expect(conflicts.results[0]).toEqual({
      id: 1,
      frame: 0,
      type: 'low_overlap',
      annotation_ids: [
        { obj_id: 65, job_id: 27, type: 'shape', shape_type: 'rectangle' },
        { obj_id: 101, job_id: 28, type: 'shape', shape_type: 'rectangle' },
      ],
      report_id: 2,
      severity: 'warning',
    });
    expect((await http.get('/api/quality/reports/2/data').expect(200)).body).toMatchObject({
      job_id: 27,
      comparison_summary: {
        frame_share_percent: expect.closeTo(27.27, 2),
        annotations: { confusion_matrix: { jaccard_index: null } },
      },
      frame_results: {
        0: {
          annotations: { confusion_matrix: { jaccard_index: null } },
          conflicts: expect.arrayContaining([
            expect.objectContaining({
              annotation_ids: [
                {
                  obj_id: 65,
                  job_id: 27,
                  type: 'shape',
                  shape_type: 'rectangle',
                  url: `${BASE_URL}/tasks/22/jobs/27?frame=0&type=shape&serverID=65`,
                },
                {
                  obj_id: 101,
                  job_id: 28,
                  type: 'shape',
                  shape_type: 'rectangle',
                  url: `${BASE_URL}/tasks/22/jobs/28?frame=0&type=shape&serverID=101`,
                },
              ],
            }),
          ]),
        },
      },
    });
    const { body } = await http.get('/api/quality/reports/18/data').expect(200);
    expect(body).toMatchObject({ id: 18, comparison_summary: { total_frames: 12, tasks: { all: expect.any(Array) } } });
  });

  it.each(['job', 'task'] as const)('returns the annotations of every %s', async (kind) => {
    const records = (recorded('annotations') as Record<typeof kind, Json>)[kind];
    const answers: Record<string, unknown> = {};
    for (const id of Object.keys(records)) {
      const { status, body } = await http.get(`/api/${kind}s/${id}/annotations`);
      answers[id] = status === 200 ? body : status;
    }
    expect(inOrder(answers)).toEqual(inOrder(records));
  });

  it('has the media', async () => {
    const frames = await app.db.query<{ data_id: number; path: string }>(sql`select data_id, path from media_frame`);
    for (const { data_id: dataId, path } of frames) {
      const file = await stat(join(app.config.dataDir, 'media', String(dataId), 'raw', path));
      expect(file.size).toBeGreaterThan(0);
    }
    await http
      .get('/api/tasks/2/data?type=frame&number=0&quality=original')
      .expect(200)
      .expect('Content-Type', 'image/png');
  });

  it('has the cloud storages, and can decrypt their credentials', async () => {
    const { body } = await http.get('/api/cloudstorages?sort=id').expect(200);
    expect((body as { results: Json[] }).results).toMatchObject([
      { id: 1, resource: 'public', manifests: ['manifest.jsonl'], owner: { username: 'user1' }, organization: null },
      { id: 2, resource: 'private', manifests: ['sub/manifest.jsonl'], owner: { username: 'user8' }, organization: 2 },
      { id: 3, resource: 'importexportbucket', created_date: '2022-06-29T12:56:18.257000Z', organization: 2 },
    ]);
    const rows = await app.db.query<{ credentials: string | null }>(
      sql`select credentials from cloud_storage order by id`,
    );
    const credentials = app.app.get(CloudCredentials, { strict: false });
    expect(rows.map((row) => row.credentials && credentials.open(row.credentials))).toEqual([
      null,
      { key: 'minio_access_key', secret: 'minio_secret_key' },
      { key: 'minio_access_key', secret: 'minio_secret_key' },
    ]);
  });

  it('gives new objects ids after the old ones', async () => {
    const { body } = await http.post('/api/projects').send({ name: 'new' }).expect(201);
    const newest = Math.max(...recordedList('projects').map(({ id }) => Number(id)));
    expect(body).toMatchObject({ id: newest + 1 });
  });

  it('does not run twice', async () => {
    const { databaseUrl, dataDir } = app.config;
    const paths = { dump: join(GOLDEN, 'cvat-dump.json'), data: join(GOLDEN, 'cvat-data.tar.bz2') };
    await expect(importCvat({ databaseUrl, dataDir, ...paths, dryRun: true, sealing: NO_SEALING })).rejects.toThrow(
      'The database is not empty, it has accounts other than the first administrator',
    );
  });
});
