import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, zipOf } from '../../support/images.js';

/** A PNG whose header declares this size. */
async function hugePng(side: number): Promise<Buffer> {
  const png = await imageFile({ format: 'png' });
  png.writeUInt32BE(side, 16);
  png.writeUInt32BE(side, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

/** Replaces a name in the archive by another of the same length. */
function renamed(zip: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

/** 300 MB of zeros, compressed to 300 KB. */
const bomb = (): Promise<Buffer> => zipOf({ 'zeros.bmp': Buffer.alloc(300 * 2 ** 20) });

describe('unusable files', () => {
  let app: TestApp;
  let owner: Person;
  let photo: Buffer;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    photo = await imageFile();
  });

  afterAll(() => app.close());

  const cases: [name: string, files: () => Promise<Record<string, Buffer>>, message: string][] = [
    ['no files', async () => ({}), 'ValueError: No media data found\n'],
    ['text only', async () => ({ 'a.txt': Buffer.from('x') }), 'ValueError: No media data found\n'],
    [
      'mixed kinds',
      async () => ({ 'a.jpg': photo, 'b.zip': await zipOf({ 'c.jpg': photo }) }),
      'ValueError: Only one video, archive, pdf, zip or many image, directory can be used simultaneously, but 1 image(s), 0 video(s), 0 archive(s), 0 directory(s), 0 pdf(s), 1 zip(s) found.\n',
    ],
    ['archive', async () => ({ 'a.tar': Buffer.from('x') }), "patoolib.util.PatoolError: 'a.tar' is not an archive, or a broken one\n"],
    ['point cloud', async () => ({ 'a.pcd': Buffer.from('x') }), "ValueError: 'a.pcd' is not a point cloud: there is no line with DATA\n"],
    ['no image', async () => ({ 'a.jpg': photo, 'b.png': Buffer.from('nonsense') }), "PIL.UnidentifiedImageError: cannot identify image file 'b.png'\n"],
    ['empty image', async () => ({ 'b.png': Buffer.alloc(0) }), "PIL.UnidentifiedImageError: cannot identify image file 'b.png'\n"],
    ['cut image', async () => ({ 'b.jpg': (await imageFile({ width: 900, height: 900 })).subarray(0, 3000) }), "OSError: image file 'b.jpg' is truncated, damaged, or of a variant that cannot be read\n"],
    ['huge image', async () => ({ 'h.png': await hugePng(100_000) }), "PIL.Image.DecompressionBombError: image file 'h.png' has too many pixels\n"],
    ['broken zip', async () => ({ 'a.zip': Buffer.from('PK nonsense') }), "zipfile.BadZipFile: File is not a zip file: 'a.zip'\n"],
    ['cut zip', async () => ({ 'a.zip': (await zipOf({ 'a.jpg': photo })).subarray(0, 200) }), "zipfile.BadZipFile: File is not a zip file: 'a.zip'\n"],
    ['zip without images', async () => ({ 'a.zip': await zipOf({ 'a.txt': photo }) }), 'Exception: No image found\n'],
    ['zip with a broken image', async () => ({ 'a.zip': await zipOf({ 'x/a.jpg': Buffer.from('no') }) }), "PIL.UnidentifiedImageError: cannot identify image file 'x/a.jpg'\n"],
    ['zip that leaves the folder', async () => ({ 'a.zip': renamed(await zipOf({ 'xx/a.jpg': photo }), 'xx/a.jpg', '../a.jpg') }), "File name '../a.jpg' is not allowed\n"],
    ['zip bomb', async () => ({ 'a.zip': await bomb() }), "ValueError: The archive 'a.zip' holds more than 100 times its own size\n"],
  ]; // prettier-ignore

  it.each(cases)('%s', async (_, files, message) => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, await files()).expect(202);
    const { body } = await processed(app, owner, id);
    expect(body).toMatchObject({ status: 'failed', message });
    expect(Date.parse(body.expiry_date) - Date.parse(body.finished_date)).toBe(365 * 86_400_000);
    const status = await owner.http.get(`/api/tasks/${id}/status`);
    expect([status.headers['deprecation'], status.body]).toEqual(['true', { state: 'Failed', message, progress: 0 }]);
    const task = await owner.http.get(`/api/tasks/${id}`);
    expect(task.body).toMatchObject({ size: 0, mode: '', jobs: { count: 0 } });
    expect(await readdir(join(app.config.dataDir, 'uploads'))).toEqual([]);
    expect(await readdir(join(app.config.dataDir, 'media'))).toEqual([]);
  });

  it('allow a second attempt, which keeps the parameters', async () => {
    const id = await givenTask(owner);
    await sendFiles(
      owner,
      id,
      { 'img2.jpg': photo, 'img10.jpg': photo, 'x.jpg': Buffer.from('no') },
      { sorting_method: 'natural' },
    );
    await processed(app, owner, id);
    await sendFiles(owner, id, { 'img10.jpg': photo, 'img2.jpg': photo }).expect(202);
    expect((await processed(app, owner, id)).body.status).toBe('finished');
    const meta = await owner.http.get(`/api/tasks/${id}/data/meta`);
    expect((meta.body.frames as { name: string }[]).map(({ name }) => name)).toEqual(['img2.jpg', 'img10.jpg']);
  });

  it.each<[Record<string, string | number>, string]>([
    [{ start_frame: 5 }, 'AssertionError: The start frame 5 is beyond the last of the images, '],
    [{ 'job_file_mapping[0][0]': 'z.jpg' }, "Can't find file 'z.jpg' in the input files"],
    [
      { 'job_file_mapping[0][0]': 'a.jpg', sorting_method: 'random' },
      'job_file_mapping cannot be used with sorting_method',
    ],
  ])('with parameters that do not fit: %j', async (parameters, message) => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.jpg': photo }, parameters).expect(202);
    const { body } = await processed(app, owner, id);
    expect(body.status).toBe('failed');
    expect(body.message).toContain(message);
  });

  it('require a manifest for an archive with predefined sorting', async () => {
    const archive = await zipOf({ 'b.jpg': photo, 'a.jpg': photo });
    const id = await givenTask(owner);
    await sendFiles(owner, id, { 'a.zip': archive }, { sorting_method: 'predefined' }).expect(202);
    expect((await processed(app, owner, id)).body.message).toContain(
      "FileNotFoundError: Can't find upload manifest file",
    );
    const line = (name: string): string => JSON.stringify({ name, extension: '.jpg', width: 1, height: 1 });
    const manifest = ['{"version":"1.1"}', '{"type":"images"}', line('b'), line('a')].join('\n');
    await sendFiles(owner, id, { 'a.zip': archive, 'manifest.jsonl': Buffer.from(manifest) }).expect(202);
    expect((await processed(app, owner, id)).body.status).toBe('finished');
    const meta = await owner.http.get(`/api/tasks/${id}/data/meta`);
    expect((meta.body.frames as { name: string }[]).map(({ name }) => name)).toEqual(['b.jpg', 'a.jpg']);
  });
});
