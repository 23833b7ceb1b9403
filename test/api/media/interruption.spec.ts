import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DatabaseUnavailable } from '../../../src/core/database/database-client.js';
import { MediaError } from '../../../src/engines/media/media-error.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { CreationResult } from '../../../src/modules/media/creation/create-task.handler.js';
import { VideoStore } from '../../../src/modules/media/reading/video-store.js';
import { RequestInterrupted, RequestWorker } from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { pdfOf, tiffOf } from '../../support/documents.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, zipOf } from '../../support/images.js';
import { describeWithFfmpeg, numberedVideo } from '../../support/videos.js';

const PAGE = { width: 72, height: 72 };

describe('creating a task', () => {
  let app: TestApp;
  let owner: Person;
  let photo: Buffer;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    photo = await imageFile();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => app.close());

  /** Simulates that the process dies just before saving: everything is prepared and the lease is still running. */
  async function dieOnce(): Promise<void> {
    const save = jest.spyOn(app.app.get(CreationResult), 'save');
    save.mockRejectedValueOnce(new RequestInterrupted('taken over'));
    await app.app.get(RequestWorker).drain();
    expect(save).toHaveBeenCalledTimes(1);
    const later = app.clock.now().getTime() + 31_000;
    jest.spyOn(app.clock, 'now').mockImplementation(() => new Date(later));
  }

  const folder = (name: string): Promise<string[]> => readdir(join(app.config.dataDir, name));

  async function emptied(left: () => Promise<string[]>): Promise<void> {
    while ((await left()).length > 0) await pause(25);
  }

  it.each<[string, () => Promise<Record<string, Buffer>>]>([
    ['files', () => Promise.resolve({ 'a.jpg': photo, 'b.jpg': photo })],
    ['an archive', async () => ({ 'x.zip': await zipOf({ 'a.jpg': photo, 'b.jpg': photo }) })],
    ['a TIFF of two pages', async () => ({ 'a.tif': await tiffOf([20, 60]) })],
    ['a TIFF in an archive', async () => ({ 'x.zip': await zipOf({ 'a.tif': await tiffOf([20, 60]) }) })],
    ['a PDF of two pages', () => Promise.resolve({ 'a.pdf': pdfOf([PAGE, PAGE]) })],
  ])('from %s continues after a worker dies', async (_, files) => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, await files()).expect(202);
    await dieOnce();
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
    expect((await owner.http.get(`/api/tasks/${id}`)).body).toMatchObject({ size: 2, jobs: { count: 1 } });
    expect(await readdir(join(app.config.dataDir, 'uploads'))).toEqual([]);
  });

  it('continues after the database was not available', async () => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.jpg': photo }).expect(202);
    const save = jest.spyOn(app.app.get(CreationResult), 'save');
    save.mockRejectedValueOnce(new DatabaseUnavailable(new Error('the database system is starting up')));
    await app.app.get(RequestWorker).drain();
    const later = app.clock.now().getTime() + 11_000;
    jest.spyOn(app.clock, 'now').mockImplementation(() => new Date(later));
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
    expect((await owner.http.get(`/api/tasks/${id}`)).body).toMatchObject({ size: 1 });
  });

  it('reports that the task was deleted instead of its missing files', async () => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.jpg': photo }).expect(202);
    jest.spyOn(app.app.get(CreationResult), 'save').mockImplementationOnce(async () => {
      await owner.http.delete(`/api/tasks/${id}`).expect(204);
      throw new MediaError("cannot identify image file 'a.jpg'");
    });
    await app.app.get(RequestWorker).drain();
    const rows = await app.db.query(sql`select status, message from background_request where task_id = ${id}`);
    expect(rows).toEqual([{ status: 'failed', message: 'The task was deleted\n' }]);
  });

  it('fails and leaves nothing when the task is deleted in the meantime', async () => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.jpg': photo }).expect(202);
    await dieOnce();
    await owner.http.delete(`/api/tasks/${id}`).expect(204);
    await app.app.get(RequestWorker).drain();
    const rows = await app.db.query(sql`select status, message from background_request where task_id = ${id}`);
    expect(rows).toEqual([{ status: 'failed', message: 'The task was deleted\n' }]);
  });

  describeWithFfmpeg('from a video', () => {
    /** Simulates that the process dies while reading the video. */
    async function dieWhileReading(): Promise<void> {
      const videos = app.app.get(VideoStore);
      const index = videos.index.bind(videos);
      const dying = jest.spyOn(videos, 'index').mockImplementationOnce(async (ref, options) => {
        await index(ref, options);
        throw new RequestInterrupted('taken over');
      });
      await app.app.get(RequestWorker).drain();
      expect(dying).toHaveBeenCalledTimes(1);
      const later = app.clock.now().getTime() + 31_000;
      jest.spyOn(app.clock, 'now').mockImplementation(() => new Date(later));
    }

    it.each([
      ['reads it', dieWhileReading],
      ['saves', dieOnce],
    ])('continues after the death of a worker that %s', async (_, die) => {
      const id = await givenTask(owner);
      await sendFiles(owner, id, { 'numbers.mp4': numberedVideo({ frames: 30 }) }).expect(202);
      await die();
      expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
      expect((await owner.http.get(`/api/tasks/${id}`)).body).toMatchObject({ size: 30, jobs: { count: 1 } });
      await owner.http.get(`/api/tasks/${id}/data?type=frame&number=29&quality=original`).expect(200);
      expect(await readdir(join(app.config.dataDir, 'uploads'))).toEqual([]);
    });

    it('leaves nothing when the task is deleted in the meantime', async () => {
      const id = await givenTask(owner);
      await sendFiles(owner, id, { 'numbers.mp4': numberedVideo({ frames: 30 }) }).expect(202);
      const { data } = (await owner.http.get(`/api/tasks/${id}`)).body as { data: number };
      await dieWhileReading();
      await owner.http.delete(`/api/tasks/${id}`).expect(204);
      await app.app.get(RequestWorker).drain();
      const rows = await app.db.query(sql`select status, message from background_request where task_id = ${id}`);
      expect(rows).toEqual([{ status: 'failed', message: 'The task was deleted\n' }]);
      // Files are removed after the commit that deletes the task, and the response does not wait for it.
      await emptied(async () => (await folder('media')).filter((name) => name === String(data)));
      await emptied(() => folder('uploads'));
    });
  });

  it('writes everything or nothing', async () => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.jpg': photo }).expect(202);
    const { data } = (await owner.http.get(`/api/tasks/${id}`)).body as { data: number };
    await app.db.query(
      sql`insert into media_frame (data_id, frame, path, width, height) values (${data}, 0, 'x', 1, 1)`,
    );
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'failed' });
    expect((await owner.http.get(`/api/tasks/${id}`)).body).toMatchObject({ size: 0, mode: '', jobs: { count: 0 } });
    expect(await readdir(join(app.config.dataDir, 'media'))).not.toContain(String(data));
  });
});
