import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import supertest from 'supertest';
import { Clock } from '../../src/core/clock.js';
import { sql } from '../../src/engines/sql/sql.js';
import { MediaHousekeeping } from '../../src/modules/media/media-housekeeping.js';
import { RequestWorker } from '../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { Given, type Person } from '../support/given.js';
import { backupOf, restored } from '../support/given-backup.js';
import { bytes, exported, worked } from '../support/given-exchange.js';
import { givenPhotos, givenTask, processed, sendFiles } from '../support/given-media.js';
import { imageFile } from '../support/images.js';
import { decodedNumbers, numberedVideo } from '../support/videos.js';
import { describeWith } from './support/programs.js';
import { type S3Server, startS3 } from './support/s3-server.js';

const BUCKET = 'media';

describeWith(['moto_server', 'ffmpeg'], 'media in a bucket, with two servers that share no folder', () => {
  let s3: S3Server;
  let env: Record<string, string>;
  let database: TestDatabase;
  let folders: string[];
  let one: TestApp;
  let two: TestApp;
  let owner: Person;
  /** The same account at the other server. */
  let elsewhere: Person;

  beforeAll(async () => {
    s3 = await startS3();
    env = {
      ...(await s3.settings(BUCKET)),
      SECRET_KEY: 'the-same-in-all-processes',
      PUBLIC_URL: 'http://cairn.test',
    };
    database = await createTestDatabase();
    folders = [await mkdtemp(join(tmpdir(), 'cairn-one-')), await mkdtemp(join(tmpdir(), 'cairn-two-'))];
    one = await createTestApp({ env, database, dataDir: folders[0] ?? '' });
    two = await createTestApp({ env, database, dataDir: folders[1] ?? '' });
    owner = await new Given(one).person();
    elsewhere = { ...owner, http: supertest.agent(two.url).set('Authorization', `Token ${owner.token}`) };
  });

  afterEach(() => s3.fault('none'));

  afterAll(async () => {
    await two.close();
    await one.close();
    await database.drop();
    await s3.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  const dataOf = async (taskId: number): Promise<number> => {
    const [row] = await one.db.query<{ data_id: number }>(sql`select data_id from task where id = ${taskId}`);
    return row?.data_id ?? 0;
  };
  const chunk = (person: Person, taskId: number, quality = 'original') =>
    person.http.get(`/api/tasks/${taskId}/data?type=chunk&number=0&quality=${quality}`).buffer(true).parse(bytes);
  const original = (person: Person, taskId: number, number: number) =>
    person.http.get(`/api/tasks/${taskId}/data?type=frame&number=${number}&quality=original`).buffer(true).parse(bytes);
  /** Uploads a file in pieces, alternating between the servers. */
  const sendPieces = async (path: string, name: string, content: Buffer, size: number): Promise<void> => {
    const announced = await owner.http
      .post(path)
      .set({ 'Upload-Length': String(content.length), 'Upload-Metadata': `filename ${btoa(name)}` })
      .expect(201);
    const location = new URL(announced.headers['location'] ?? '').pathname;
    for (let at = 0, turn = 0; at < content.length; at += size, turn++) {
      const person = turn % 2 === 0 ? elsewhere : owner;
      const other = turn % 2 === 0 ? owner : elsewhere;
      const piece = content.subarray(at, at + size);
      const sent = await person.http
        .patch(location)
        .set({ 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(at) })
        .send(piece);
      expect([sent.status, sent.headers['upload-offset']]).toEqual([204, String(at + piece.length)]);
      if (at + size >= content.length) break; // a complete task file is no upload any more
      const state = await other.http.head(location).expect(200);
      expect(state.headers['upload-offset']).toBe(String(at + piece.length));
    }
  };

  it('serves images that another server has stored, and removes them with their task', async () => {
    const { id, files } = await givenPhotos(one, owner, 3);
    const data = await dataOf(id);
    const names = Object.keys(files);
    expect(await s3.keys(BUCKET, `media/${data}/`)).toEqual([
      `media/${data}/manifest.jsonl`,
      ...names.map((name) => `media/${data}/raw/${name}`),
    ]);
    expect(await s3.keys(BUCKET, 'uploads/')).toEqual([]);
    for (const [number, name] of names.entries())
      expect((await original(elsewhere, id, number)).body).toEqual(files[name]);
    const [here, there] = [await chunk(owner, id), await chunk(elsewhere, id)];
    expect([here.status, there.status]).toEqual([200, 200]);
    expect(there.body).toEqual(here.body);
    expect((await elsewhere.http.get(`/api/tasks/${id}/preview`)).status).toBe(200);
    const stored = await s3.keys(BUCKET, `chunks/${data}/`);
    expect(stored.length).toBe(2); // each was created once

    await elsewhere.http.delete(`/api/tasks/${id}`).expect(204);
    // Files are removed after the response.
    while ((await s3.keys(BUCKET, `media/${data}/`)).length > 0) await new Promise(setImmediate);
    expect(await s3.keys(BUCKET, `chunks/${data}/`)).toEqual([]);
  });

  it('removes files that a crash has left', async () => {
    const { id } = await givenPhotos(one, owner, 1);
    const data = await dataOf(id);
    await one.db.query(sql`update task set data_id = null where id = ${id}`);
    await one.db.query(sql`delete from media_data where id = ${data}`);
    const clock = two.app.get(Clock);
    const later = new Date(clock.now().getTime() + 3 * 86_400_000);
    await two.app.get(MediaHousekeeping).tidyBucket();
    expect((await s3.keys(BUCKET, `media/${data}/`)).length).toBe(2);
    const now = jest.spyOn(clock, 'now').mockReturnValue(later);
    try {
      await two.app.get(MediaHousekeeping).tidyBucket();
    } finally {
      now.mockRestore();
    }
    expect(await s3.keys(BUCKET, `media/${data}/`)).toEqual([]);
  });

  it('leaves nothing on the machines except the cache', async () => {
    await givenPhotos(one, owner, 2);
    for (const folder of folders) {
      expect((await readdir(folder)).filter((name) => !['cache', 'work'].includes(name))).toEqual([]);
      const left = await readdir(join(folder, 'work'), { recursive: true, withFileTypes: true }).catch(() => []);
      expect(left.filter((entry) => entry.isFile())).toEqual([]);
    }
  });

  it('plays a video that was uploaded in pieces to both servers', async () => {
    const id = await givenTask(owner);
    const video = numberedVideo({ frames: 12 });
    await sendPieces(`/api/tasks/${id}/data`, 'v.mp4', video, Math.ceil(video.length / 3));
    await elsewhere.http
      .post(`/api/tasks/${id}/data`)
      .set('Upload-Finish', 'true')
      .send({ image_quality: 70 })
      .expect(202);
    expect((await processed(two, elsewhere, id)).body).toMatchObject({ status: 'finished' });
    for (const person of [owner, elsewhere]) {
      const { body } = await chunk(person, id, 'compressed');
      expect(decodedNumbers(body as Buffer)).toEqual(Array.from({ length: 12 }, (_, at) => at));
    }
    expect((await original(owner, id, 5)).status).toBe(200);
  });

  it('exports, backs up and restores at different servers', async () => {
    const { id, files } = await givenPhotos(one, owner, 2);
    const archive = await exported(two, elsewhere, `tasks/${id}`, { format: 'COCO 1.0', save_images: 'True' });
    expect((archive.body as Buffer).length).toBeGreaterThan(1000);
    const backup = await backupOf(one, owner, 'tasks', id);
    const request = await restored(two, elsewhere, 'tasks', backup);
    expect(request.body).toMatchObject({ status: 'finished' });
    const copy = (request.body as { result_id: number }).result_id;
    expect((await original(owner, copy, 1)).body).toEqual(Object.values(files)[1]);
  });

  it('sends a part of an export', async () => {
    const { id } = await givenPhotos(one, owner, 1);
    const asked = await owner.http.post(`/api/tasks/${id}/backup/export?lightweight=False`).expect(202);
    const rq = (asked.body as { rq_id: string }).rq_id;
    await one.app.get(RequestWorker).drain();
    const path = `/api/tasks/${id}/backup/download?rq_id=${encodeURIComponent(rq)}`;
    const whole = await elsewhere.http.get(path).buffer(true).parse(bytes);
    const part = await elsewhere.http.get(path).set('Range', 'bytes=5-9').buffer(true).parse(bytes);
    expect([part.status, part.body]).toEqual([206, (whole.body as Buffer).subarray(5, 10)]);
    expect((await elsewhere.http.get(path).set('Range', 'bytes=99999999-')).status).toBe(416);
  });

  it('imports annotations that were uploaded in pieces to both servers', async () => {
    const { id } = await givenPhotos(one, owner, 2);
    const parameters = { format: 'COCO 1.0', save_images: 'False' };
    const archive = (await exported(one, owner, `tasks/${id}`, parameters)).body as Buffer;
    const path = `/api/tasks/${id}/annotations/`;
    const query = 'format=COCO%201.0&filename=a.zip';
    await owner.http.post(`${path}?${query}`).set('Upload-Start', 'true').expect(202);
    await sendPieces(`${path}?${query}`, 'a.zip', archive, Math.ceil(archive.length / 3));
    const sent = await elsewhere.http.post(`${path}?${query}`).set('Upload-Finish', 'true').expect(202);
    const { body } = await worked(two, elsewhere, (sent.body as { rq_id: string }).rq_id);
    expect(body).toMatchObject({ status: 'finished' });
    expect(await s3.keys(BUCKET, 'imports/')).toEqual([]);
  });

  it('shows an asset that another server has stored', async () => {
    const task = await givenTask(owner);
    const guide = (await owner.http.post('/api/guides').send({ task_id: task })).body as { id: number };
    const photo = await imageFile();
    const sent = await owner.http
      .post('/api/assets')
      .field('guide_id', String(guide.id))
      .attach('file', photo, 'a.jpg');
    const { uuid } = sent.body as { uuid: string };
    expect((await elsewhere.http.get(`/api/assets/${uuid}`).buffer(true).parse(bytes)).body).toEqual(photo);
  });

  it.each(['fails', 'stalls', 'denies', 'cuts'] as const)('responds with 503 while the bucket %s', async (fault) => {
    const { id, files } = await givenPhotos(one, owner, 1);
    s3.fault(fault, /^GET .*\/raw\//);
    const read = await original(elsewhere, id, 0);
    expect([read.status, read.headers['retry-after']]).toEqual([503, '5']);
    s3.fault('none');
    expect((await original(elsewhere, id, 0)).body).toEqual(files['img_00.jpg']);
  });

  it.each([
    ['fails', 503],
    ['full', 507],
  ] as const)('stores nothing of an upload when the bucket %s', async (fault, status) => {
    const id = await givenTask(owner);
    s3.fault(fault, /^PUT /);
    expect((await sendFiles(owner, id, { 'a.jpg': await imageFile() })).status).toBe(status);
    s3.fault('none');
    expect(await s3.keys(BUCKET, 'uploads/')).toEqual([]);
    await sendFiles(owner, id, { 'a.jpg': await imageFile() }).expect(202);
    expect((await processed(one, owner, id)).body).toMatchObject({ status: 'finished' });
  });

  it('tries to create a task again after the bucket has failed', async () => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.jpg': await imageFile() }).expect(202);
    s3.fault('fails', /^PUT /);
    expect((await processed(one, owner, id)).body).toMatchObject({
      status: 'queued',
      message: 'Waiting for the media storage',
    });
    s3.fault('none');
    await one.db.query(sql`update background_request set lease_end = null where task_id = ${id}`);
    expect((await processed(two, elsewhere, id)).body).toMatchObject({ status: 'finished' });
  });

  it('sends programs to the bucket for chunks, but not browsers, if redirects are enabled', async () => {
    const { MEDIA_S3_ENDPOINT: endpoint = '' } = env;
    const three = await createTestApp({ env: { ...env, MEDIA_REDIRECT: 'true' }, database });
    try {
      const { id } = await givenPhotos(one, owner, 2);
      const path = `/api/tasks/${id}/data?type=chunk&number=0&quality=compressed`;
      const read = (headers: Record<string, string> = {}) =>
        three.http
          .get(path)
          .set({ Authorization: `Token ${owner.token}`, ...headers })
          .redirects(0);
      const sent = await read();
      expect([sent.status, sent.headers['cache-control']]).toEqual([302, 'no-store']);
      const location = sent.headers['location'] ?? '';
      expect(location.startsWith(endpoint)).toBe(true);
      const followed = await fetch(location);
      expect(followed.status).toBe(200);
      // Amazon sends this type; moto ignores it.
      expect(new URL(location).searchParams.get('response-content-type')).toBe('application/zip');
      const own = await chunk(owner, id, 'compressed');
      expect(Buffer.from(await followed.arrayBuffer())).toEqual(own.body);
      expect((await read({ 'Sec-Fetch-Mode': 'cors' })).status).toBe(200);
      expect((await three.http.get(path).redirects(0)).status).toBe(401);
    } finally {
      await three.close();
    }
  });
});
