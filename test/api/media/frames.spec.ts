import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';
import { unzip } from '../../support/images.js';

describe('single frames', () => {
  let app: TestApp;
  let owner: Person;
  let id: number;
  let jobs: number[];
  let data: number;
  let folder: string;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    folder = join(app.config.dataDir, 'cache', 'chunks');
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    ({ id } = await givenPhotos(app, owner, 7, { segment_size: 3, overlap: 1 }, { chunk_size: 2 }));
    ({ data } = (await owner.http.get(`/api/tasks/${id}`)).body as { data: number });
    const { body } = await owner.http.get(`/api/jobs?task_id=${id}&sort=id`);
    jobs = (body.results as { id: number }[]).map((job) => job.id);
  });

  const get = (path: string) => owner.http.get(path).responseType('blob');
  const frame = async (number: number, of = `tasks/${id}`, quality = 'compressed'): Promise<Buffer> =>
    (await get(`/api/${of}/data?type=frame&number=${number}&quality=${quality}`).expect(200)).body as Buffer;
  const chunk = async (query: string, of = `tasks/${id}`): Promise<Buffer[]> => {
    const answer = await get(`/api/${of}/data?type=chunk&${query}`).expect(200);
    return [...(await unzip(answer.body as Buffer)).values()];
  };
  /** Compressed frames that are cached without their chunk. */
  const cachedFrames = async (): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.startsWith(`${data}%2Fframe%2F`));
  /** After this, frames can be read only from the cache. */
  const loseImages = () => rm(join(app.config.dataDir, 'media', String(data), 'raw'), { recursive: true });

  it.each(['compressed', 'original'])('are read from their cached chunk: %s', async (quality) => {
    const members = await chunk(`number=1&quality=${quality}`);
    await loseImages();
    expect(await frame(2, `tasks/${id}`, quality)).toEqual(members[0]);
    expect(await frame(3, `jobs/${jobs[1]}`, quality)).toEqual(members[1]);
    expect(await cachedFrames()).toEqual([]);
  });

  it('are read from the chunks of jobs, by number and by index', async () => {
    const [byNumber] = await chunk('number=2', `jobs/${jobs[1]}`);
    const byIndex = await chunk('index=0', `jobs/${jobs[2]}`);
    await loseImages();
    expect(await frame(4, `jobs/${jobs[1]}`)).toEqual(byNumber);
    expect(await frame(5, `jobs/${jobs[2]}`)).toEqual(byIndex[1]);
  });

  it('are the same with and without a chunk, including their ETag', async () => {
    const path = `/api/tasks/${id}/data?type=frame&number=3`;
    const encoded = await get(path);
    const [, member] = await chunk('number=1');
    const read = await get(path).set('If-None-Match', '"other"');
    expect([encoded.body, read.body]).toEqual([member, member]);
    expect(read.headers['etag']).toBe(encoded.headers['etag']);
    expect(read.headers['content-type']).toBe(encoded.headers['content-type']);
    await get(path)
      .set('If-None-Match', read.headers['etag'] ?? '')
      .expect(304);
  });

  it('that had to be encoded are cached until their chunk is built', async () => {
    const encoded = await frame(2);
    expect(await cachedFrames()).toHaveLength(1);
    await rm(join(join(app.config.dataDir, 'media', String(data), 'raw'), 'img_02.jpg'));
    expect(await frame(2)).toEqual(encoded);
    await writeFile(join(join(app.config.dataDir, 'media', String(data), 'raw'), 'img_02.jpg'), 'read no more');
    expect((await chunk('number=1'))[0]).toEqual(encoded);
    expect(await cachedFrames()).toEqual([]);
    expect(await frame(2)).toEqual(encoded);
  });

  it('are encoded again when the cache files are deleted', async () => {
    const encoded = await frame(2);
    const members = await chunk('number=0');
    expect(await frame(1)).toEqual(members[1]);
    // The server may still be writing a file that was requested before.
    await rm(folder, { recursive: true, maxRetries: 10 });
    expect(await frame(2)).toEqual(encoded);
    expect(await frame(1)).toEqual(members[1]);
    expect(await cachedFrames()).toHaveLength(2);
  });

  it('are encoded once for concurrent requests', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => frame(6)));
    expect(new Set(all.map((body) => body.toString('base64'))).size).toBe(1);
    expect(await cachedFrames()).toHaveLength(1);
  });
});
