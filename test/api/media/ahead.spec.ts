import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FramesAhead } from '../../../src/modules/media/frames-ahead.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, unzip } from '../../support/images.js';

const MOST_LOOKS = 400;

describe('compressed frames encoded during the upload', () => {
  let app: TestApp;
  let owner: Person;
  let folder: string;
  let photo: Buffer;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    folder = join(app.config.dataDir, 'cache', 'chunks');
    photo = await imageFile();
  });

  afterAll(() => app.close());

  const framesAhead = async (): Promise<string[]> =>
    (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('frame'));

  /** Returns the paths of frames ahead once there are `count` of them. */
  async function made(count: number): Promise<string[]> {
    for (let look = 0; look < MOST_LOOKS; look += 1) {
      const names = await framesAhead();
      if (names.length === count) return names.map((name) => join(folder, name));
      await pause(25);
    }
    throw new Error(`there are ${(await framesAhead()).length} frames, not ${count}`);
  }

  async function sendSome(files: Readonly<Record<string, Buffer>>): Promise<number> {
    const id = await givenTask(owner);
    await owner.http.post(`/api/tasks/${id}/data`).set('Upload-Start', 'true').expect(202);
    await sendFiles(owner, id, files).set('Upload-Multiple', 'true').expect(200);
    return id;
  }

  async function finish(id: number, quality: number): Promise<void> {
    const parameters = { image_quality: quality, chunk_size: 10 };
    await owner.http.post(`/api/tasks/${id}/data`).set('Upload-Finish', 'true').send(parameters).expect(202);
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
  }

  async function chunk(id: number, quality = 'compressed', number = 0): Promise<Buffer[]> {
    const answer = await owner.http
      .get(`/api/tasks/${id}/data?type=chunk&number=${number}&quality=${quality}`)
      .buffer(true)
      .parse((response, done) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => done(null, Buffer.concat(parts)));
      })
      .expect(200);
    return [...(await unzip(answer.body as Buffer)).values()];
  }

  it('equal frames encoded later, and are deleted once their chunk contains them', async () => {
    const id = await sendSome({ 'a.jpg': photo });
    await made(1);
    await finish(id, 70);
    const [early] = await chunk(id);
    expect(await framesAhead()).toEqual([]);
    const other = await sendSome({ 'a.jpg': photo });
    for (const path of await made(1)) await rm(path);
    await finish(other, 70);
    expect(await chunk(other)).toEqual([early]);
  });

  it('are used for chunks, except for originals and other qualities', async () => {
    const id = await sendSome({ 'a.jpg': photo, 'b.jpg': photo });
    for (const path of await made(2)) await writeFile(path, 'made ahead');
    await finish(id, 70);
    expect(await chunk(id, 'original')).toEqual([photo, photo]);
    expect((await chunk(id)).map(String)).toEqual(['made ahead', 'made ahead']);
    const other = await sendSome({ 'a.jpg': photo });
    for (const path of await made(1)) await writeFile(path, 'made ahead');
    await finish(other, 71);
    expect((await chunk(other)).map(String)).not.toContain('made ahead');
    await Promise.all((await made(1)).map((path) => rm(path)));
  });

  it('are encoded from files that have been moved into their task in the meantime', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.jpg`, photo]));
    const id = await app.app.get(FramesAhead).giveWay(async () => {
      const task = await sendSome(many);
      await finish(task, 70);
      return task;
    });
    for (const path of await made(20)) await writeFile(path, 'made ahead');
    expect((await chunk(id)).map(String)).toEqual(Array<string>(10).fill('made ahead'));
    await chunk(id, 'compressed', 1);
    expect(await framesAhead()).toEqual([]);
  });

  it('are not encoded from other files, and task creation reports a broken image', async () => {
    const id = await sendSome({ 'a.jpg': photo.subarray(0, 200), 'notes.txt': Buffer.from('text'), 'b.jpg': photo });
    await made(1);
    const parameters = { image_quality: 70 };
    await owner.http.post(`/api/tasks/${id}/data`).set('Upload-Finish', 'true').send(parameters).expect(202);
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'failed' });
  });
});
