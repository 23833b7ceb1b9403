import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { checkRecordedMedia } from '../../src/commands/doctor/media-check.js';
import { moveMedia, moveMediaCommand } from '../../src/commands/move-media.js';
import { requireSameInstallation } from '../../src/core/database/installation.js';
import { claimMediaUrl } from '../../src/core/media-storage/bucket-owner.js';
import { openBucket } from '../../src/core/media-storage/media-places.js';
import { sql } from '../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../support/app.js';
import { Given, type Person } from '../support/given.js';
import { bytes } from '../support/given-exchange.js';
import { givenPhotos, givenTask, processed, sendFiles } from '../support/given-media.js';
import { imageFile } from '../support/images.js';
import { describeWith } from './support/programs.js';
import { type S3Server, startS3 } from './support/s3-server.js';

const BUCKET = 'moved';
/** Longer than a process relies on the recorded places. */
const SETTLE_MS = 2_500;

describeWith(['moto_server'], 'files that are moved while the installation serves', () => {
  let s3: S3Server;
  let app: TestApp;
  let owner: Person;
  let url: string;

  beforeAll(async () => {
    s3 = await startS3();
    const { MEDIA_URL: place = '', ...settings } = await s3.settings(BUCKET);
    url = place;
    app = await createTestApp({ env: settings });
    owner = await new Given(app).person();
    await app.db.query(sql`insert into installation (folder_id, secret_check) values (gen_random_uuid(), '')`);
  });

  afterAll(async () => {
    await app.close();
    await s3.stop();
  });

  const move = async (to: string, signal = new AbortController().signal): Promise<string[]> => {
    const lines: string[] = [];
    await moveMedia(app.config, { to, say: (line) => lines.push(line), signal, settleMs: SETTLE_MS });
    return lines;
  };

  const places = async (): Promise<unknown> => {
    const [row] = await app.db.query(sql`select media_url as url, media_target as target from installation`);
    return row;
  };

  /** What `cairn doctor` finds. @param mediaUrl the setting */
  const doctor = async (mediaUrl = url): Promise<string[]> => {
    const client = new Client(app.config.databaseUrl);
    await client.connect();
    try {
      const config = { ...app.config, media: { ...app.config.media, url: mediaUrl } };
      return (await checkRecordedMedia(client, config)).map(({ state, text }) => `${state} ${text}`);
    } finally {
      await client.end();
    }
  };

  const original = (taskId: number, number: number) =>
    owner.http.get(`/api/tasks/${taskId}/data?type=frame&number=${number}&quality=original`).buffer(true).parse(bytes);

  /** Starts to upload a file in pieces. @returns sends the next piece */
  const upload = async (taskId: number, name: string, content: Buffer) => {
    const announced = await owner.http
      .post(`/api/tasks/${taskId}/data`)
      .set({ 'Upload-Length': String(content.length), 'Upload-Metadata': `filename ${btoa(name)}` })
      .expect(201);
    const location = new URL(announced.headers['location'] ?? '').pathname;
    let at = 0;
    return async (length: number): Promise<void> => {
      const sent = await owner.http
        .patch(location)
        .set({ 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(at) })
        .send(content.subarray(at, at + length));
      expect([sent.status, sent.text]).toEqual([204, '']);
      at += length;
    };
  };

  /** Reads, uploads and creates without a pause until the move has ended. @returns the ids of the new tasks */
  const useMeanwhile = async (moving: Promise<unknown>, known: { id: number; files: Record<string, Buffer> }) => {
    const state = { isOver: false };
    const ended = moving.finally(() => (state.isOver = true));
    const created: number[] = [];
    while (!state.isOver) {
      for (const [number, name] of Object.keys(known.files).entries()) {
        const { status, body } = await original(known.id, number);
        expect([status, body]).toEqual([200, known.files[name]]);
      }
      if (created.length < 8) created.push((await givenPhotos(app, owner, 1)).id);
    }
    await ended;
    return created;
  };

  it.each(['to a bucket', 'back to the data folder'])(
    '%s: no request fails, and nothing is lost',
    async (direction) => {
      const to = direction === 'to a bucket' ? url : '';
      const known = await givenPhotos(app, owner, 3);
      const [begun, unused] = [await givenTask(owner), await givenTask(owner)];
      const photo = await imageFile();
      const next = await upload(begun, 'a.jpg', photo);
      const first = await upload(unused, 'b.jpg', photo);
      await next(100);
      const queued = await givenTask(owner);
      await sendFiles(owner, queued, { 'c.jpg': photo }).expect(202);

      const moving = move(to);
      const created = await useMeanwhile(moving, known);
      const lines = await moving;
      expect(lines.at(-2)).toMatch(/^Done: \d+ file\(s\) copied and compared/);
      expect(await places()).toEqual({ url: to, target: null });

      await next(photo.length - 100);
      await first(photo.length);
      for (const task of [begun, unused]) {
        await owner.http
          .post(`/api/tasks/${task}/data`)
          .set('Upload-Finish', 'true')
          .send({ image_quality: 70 })
          .expect(202);
        expect((await processed(app, owner, task)).body).toMatchObject({ status: 'finished' });
      }
      // The old place is not read any more.
      const old = to === '' ? null : join(app.config.dataDir, 'media');
      if (old !== null) await rm(old, { recursive: true });
      else s3.fault('fails');
      for (const task of [known.id, begun, unused, queued, ...created])
        expect([task, (await original(task, 0)).status]).toEqual([task, 200]);
      s3.fault('none');
    },
  );

  it('reads the files that are still in the data folder while the bucket fails', async () => {
    const { id, files } = await givenPhotos(app, owner, 1);
    const task = await givenTask(owner);
    await app.db.query(sql`update installation set media_target = ${url}, media_writes_target = true`);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    s3.fault('denies');
    expect(await doctor()).toEqual([
      `warning the move of the files from the data folder to ${url} is unfinished`,
      expect.stringMatching(/^error .* denied access/),
    ]);
    const read = await original(id, 0);
    expect([read.status, read.body]).toEqual([200, files['img_00.jpg']]);
    expect((await sendFiles(owner, task, { 'a.jpg': await imageFile() })).status).toBe(503);
    s3.fault('none');
    await app.db.query(sql`update installation set media_target = null, media_writes_target = false`);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  });

  it('continues after it was killed', async () => {
    const known: Awaited<ReturnType<typeof givenPhotos>>[] = [];
    for (let count = 0; count < 4; count++) known.push(await givenPhotos(app, owner, 2));
    const stop = new AbortController();
    const cut = new Error('killed');
    s3.fault('none');
    const putsBefore = s3.asked.length;
    const killed = move(url, stop.signal);
    while (!s3.asked.slice(putsBefore).some((line) => /^PUT .*\/raw\//.test(line))) await new Promise(setImmediate);
    stop.abort(cut);
    await expect(killed).rejects.toBe(cut);
    expect(await places()).toEqual({ url: '', target: url });
    for (const { id, files } of known) expect((await original(id, 1)).body).toEqual(files['img_01.jpg']);
    const lines = await move(url);
    expect(lines.at(-2)).toMatch(/were there already|copied and compared/);
    expect(await places()).toEqual({ url, target: null });
    for (const { id, files } of known) expect((await original(id, 0)).body).toEqual(files['img_00.jpg']);
  });

  it('says that they are there already', async () => {
    expect(await move(url)).toEqual([`The files are in ${url} already.`]);
    expect(await doctor()).toEqual([`ok ${url} belongs to this installation`]);
    expect(await doctor('')).toEqual([
      expect.stringMatching(/^warning The files of this installation are in .*, but MEDIA_URL names the data folder/),
      `ok files can be written, read and deleted in ${url}`,
    ]);
  });

  it('refuses the place of another installation', async () => {
    const { MEDIA_URL: foreign = '' } = await s3.settings('foreign');
    const { place, objects } = openBucket(foreign, app.config);
    await place.put('installation.id', Buffer.from('another'));
    await expect(move(foreign)).rejects.toThrow(/contains the files of another installation/);
    objects.close();
    expect(await places()).toEqual({ url, target: null });
  });

  it('refuses a bucket that cannot be written to, before anything changes', async () => {
    s3.fault('denies');
    await expect(move('s3://another/place')).rejects.toThrow(
      /denied access.*\. Check MEDIA_S3_ACCESS_KEY_ID .* objects\. Then run the same command again\.$/,
    );
    s3.fault('none');
    expect(await places()).toEqual({ url, target: null });
  });

  it('refuses a bucket that does not exist, and a target that is empty', async () => {
    await expect(move('s3://missing/place')).rejects.toThrow(
      'The bucket missing does not exist. Create it, or correct its name in the URL or the server in MEDIA_S3_ENDPOINT. ' +
        'Then run the same command again.',
    );
    for (const to of ['', '/']) await expect(moveMediaCommand(to)).rejects.toThrow(/^--to must be "folder" or a URL/);
    expect(await places()).toEqual({ url, target: null });
  });

  it('copies nothing from the place of another installation', async () => {
    const { MEDIA_URL: foreign = '' } = await s3.settings('foreign-source');
    const { place, objects } = openBucket(foreign, app.config);
    await place.put('installation.id', Buffer.from('another'));
    objects.close();
    await app.db.query(sql`update installation set media_url = ${foreign}`);
    await expect(move('')).rejects.toThrow(/contains the files of another installation/);
    expect(await doctor()).toContain(`error ${foreign} belongs to another installation`);
    expect(await places()).toEqual({ url: foreign, target: null });
    await app.db.query(sql`update installation set media_url = ${url}`);
  });

  it('records nothing at a first start whose bucket is missing, denied, unreachable or foreign', async () => {
    await app.db.query(sql`delete from installation`);
    const startWith = (place: string) => {
      const config = { ...app.config, media: { ...app.config.media, url: place } };
      return requireSameInstallation(config, (id) => claimMediaUrl(id, config));
    };
    const advice =
      'The first start must reach s3://missing/files, the place of MEDIA_URL. The bucket missing does not exist.';
    await expect(startWith('s3://missing/files')).rejects.toThrow(advice);
    await expect(startWith('s3://foreign/files')).rejects.toThrow(/contains the files of another installation/);
    s3.fault('denies');
    await expect(startWith('s3://first/files')).rejects.toThrow(/denied access .* Check MEDIA_S3_ACCESS_KEY_ID/);
    s3.fault('fails');
    await expect(startWith('s3://first/files')).rejects.toThrow(/failed for .* Check MEDIA_S3_ENDPOINT/);
    s3.fault('none');
    expect(await places()).toBeUndefined();
    const { MEDIA_URL: first = '' } = await s3.settings('first');
    expect(await startWith(first)).toMatchObject({ media_url: first });
  });
});
