import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importCvat, type ImportResult } from '../../../src/cvat-import/import-cvat.js';
import { reportText } from '../../../src/cvat-import/report.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { ASSET } from '../../medium/cvat-import/small-dump.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { BUSY_TOKEN, EXPIRED_TOKEN, newerDump, READ_ONLY_TOKEN, REVOKED_TOKEN, TOKENS } from './newer-dump.js';

const FILES = [
  'data/4/raw/a.png',
  'data/4/raw/b.png',
  'data/4/raw/related_images/a_png/c.png',
  'data/41/raw/tone.mp3',
  `assets/${ASSET}/b ird.png`,
];

describe('an import of what CVAT 2.73 has and older versions lack', () => {
  let app: TestApp;
  let folder: string;
  let result: ImportResult;

  beforeAll(async () => {
    app = await createTestApp();
    folder = await mkdtemp(join(tmpdir(), 'cairn-cvat-'));
    for (const name of FILES) {
      await mkdir(dirname(join(folder, 'cvat', name)), { recursive: true });
      await writeFile(join(folder, 'cvat', name), name);
    }
    await writeFile(join(folder, 'dump.json'), JSON.stringify(newerDump()));
    const { databaseUrl, dataDir } = app.config;
    const paths = { dump: join(folder, 'dump.json'), data: join(folder, 'cvat') };
    const sealing = { webhookSecret: () => null, cloudCredentials: () => '' };
    result = await importCvat({ databaseUrl, dataDir, ...paths, dryRun: false, sealing });
  });

  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  const get = (path: string, token: string = TOKENS['hashed without salt']): ReturnType<TestApp['http']['get']> =>
    app.http.get(path).set('Authorization', `Bearer ${token}`);

  it('reports unknown models and fields', () => {
    const text = reportText(result, false);
    expect(text).toMatch(/^engine\.hologram +1 +0 +1: unknown to this importer$/m);
    expect(text).toMatch(/^engine\.task +4 +4 +field "mood" of 1 is unknown and not imported$/m);
    expect(text.match(/is unknown and not imported/g)).toHaveLength(1);
  });

  it.each(Object.entries(TOKENS))('accepts an access token %s', async (_, token) => {
    expect((await get('/api/users/self', token).expect(200)).body).toMatchObject({ username: 'anna' });
    await get('/api/users/self', token).expect(200);
    await get('/api/users/self', `${token}x`).expect(401);
  });

  it('accepts a token in many requests at the same time, from the first on', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => get('/api/users/self', BUSY_TOKEN)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  });

  it('keeps a token read-only', async () => {
    await get('/api/users/self', READ_ONLY_TOKEN).expect(200);
    await app.http
      .post('/api/projects')
      .set('Authorization', `Bearer ${READ_ONLY_TOKEN}`)
      .send({ name: 'p' })
      .expect(403);
  });

  it.each([
    ['revoked', REVOKED_TOKEN],
    ['expired', EXPIRED_TOKEN],
  ])('does not accept a token that is %s', async (_, token) => {
    await get('/api/users/self', token).expect(401);
  });

  it('lists the tokens that can be used', async () => {
    const { body } = await get('/api/auth/access_tokens?sort=id').expect(200);
    expect(body.results.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4, 5, 8]);
  });

  it.each([92, 93])('has task %i without data', async (id) => {
    const { body } = await get(`/api/tasks/${id}`).expect(200);
    expect(body).toMatchObject({ mode: '', segment_size: 0, overlap: null });
    expect(body.data ?? null).toBeNull();
    await get(`/api/tasks/${id}/data/meta`).expect(400);
  });

  it('has scores and sources of shapes, and numbers of more than 32 bits', async () => {
    const rows = await app.db.query(sql`select id::float8 as id, score, source from annotation_shape order by id`);
    expect(rows).toEqual([
      { id: 21, score: 1, source: 'manual' },
      { id: 22, score: 0.25, source: 'consensus' },
      { id: 3_000_000_000, score: 1, source: 'Ground truth' },
    ]);
  });

  it('has the replicas of consensus, and settings without a quorum', async () => {
    expect((await get('/api/jobs/62').expect(200)).body).toMatchObject({ type: 'consensus_replica', parent_job_id: 6 });
    const { body } = await get('/api/consensus/settings?task_id=9').expect(200);
    expect(body.results).toMatchObject([{ id: 1, iou_threshold: 0.6 }]);
  });

  it('has every attempt of webhook deliveries, with its duration', async () => {
    const rows = await app.db.query(sql`select id::int, attempts, request_duration from webhook_delivery order by id`);
    expect(rows).toEqual([
      { id: 1, attempts: 1, request_duration: 31 },
      { id: 2, attempts: 2, request_duration: 17 },
      { id: 3, attempts: 1, request_duration: null },
    ]);
  });

  it.each([2, 3])('lists a quality report below each of its parents', async (parent) => {
    const { body } = await get(`/api/quality/reports?parent_id=${parent}`).expect(200);
    expect(body.results).toMatchObject([{ id: 1 }]);
  });

  describe('with audio', () => {
    it('has the task and its job', async () => {
      expect((await get('/api/tasks/91').expect(200)).body).toMatchObject({
        dimension: '1d',
        mode: 'interpolation',
        size: 11_975,
        data_original_chunk_type: 'audio_mp3',
      });
      expect((await get('/api/jobs/61').expect(200)).body).toMatchObject({ dimension: '1d', stop_frame: 11_974 });
    });

    it('has the file', async () => {
      const path = join(app.config.dataDir, 'media/41/raw/tone.mp3');
      expect(await readFile(path, 'utf8')).toBe('data/41/raw/tone.mp3');
    });

    it.each(['tasks/91', 'jobs/61'])('has one file in the metadata of %s', async (path) => {
      const { body } = await get(`/api/${path}/data/meta`).expect(200);
      expect(body).toMatchObject({
        size: 11_975,
        chunk_size: 11_975,
        frames: [{ name: 'tone.mp3', related_files: 0 }],
      });
    });

    it.each(['tasks/91', 'jobs/61'])('has the intervals of %s', async (path) => {
      const { body } = await get(`/api/${path}/annotations`).expect(200);
      const common = { label_id: 81, group: 0 };
      expect(body.intervals).toMatchObject([
        {
          ...common,
          id: 5,
          start: 100,
          stop: 2500,
          source: 'file',
          score: 0.5,
          attributes: [{ spec_id: 21, value: 'Anna' }],
        },
        { ...common, id: 6, start: 9000, stop: null, source: 'manual', score: 1 },
      ]);
    });

    it.each([
      ['data?type=chunk&number=0&quality=compressed', 400, 'cannot play audio yet'],
      ['data?type=chunk&number=0&quality=original', 400, 'cannot play audio yet'],
      ['data?type=frame&number=0&quality=compressed', 400, 'Frame requests are not available'],
      ['data?type=context_image&number=0', 400, 'Context image requests are not available'],
      ['data?type=preview', 404, 'Audio has no preview'],
      ['preview', 404, 'Audio has no preview'],
    ])('says of %s that the server cannot show it', async (path, status, text) => {
      for (const owner of ['tasks/91', 'jobs/61']) {
        const response = await get(`/api/${owner}/${path}`).expect(status);
        expect(response.text).toContain(text);
      }
    });

    it('says in a failed export that no format supports it', async () => {
      const authorization = `Bearer ${TOKENS['hashed without salt']}`;
      const { body } = await app.http
        .post('/api/tasks/91/dataset/export?format=COCO 1.0&save_images=false')
        .set('Authorization', authorization)
        .expect(202);
      await app.app.get(RequestWorker).drain();
      const request = await get(`/api/requests/${encodeURIComponent(String(body.rq_id))}`).expect(200);
      expect(request.body).toMatchObject({ status: 'failed', message: expect.stringContaining('Task 91 has audio') });
    });
  });
});
