import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { pack } from 'tar-stream';
import { buffer } from 'node:stream/consumers';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles, type TaskOptions } from '../../support/given-media.js';
import { tarHeader } from '../../corpus/make.mjs';
import { imageFile, unzip, zipOf } from '../../support/images.js';

type Files = Readonly<Record<string, Buffer>>;

const converter = spawnSync('bsdtar', ['--version']).status === 0;
const itConverts = converter || process.env['CI'] !== undefined ? it : it.skip;

/** A tar archive. */
function tarOf(files: Files, types: Readonly<Record<string, 'symlink' | 'link'>> = {}): Promise<Buffer> {
  const tar = pack();
  for (const [name, data] of Object.entries(files)) {
    const type = types[name];
    if (type === undefined) tar.entry({ name }, data);
    else tar.entry({ name, type, linkname: '/etc/passwd' });
  }
  tar.finalize();
  return buffer(tar);
}

/** An archive created by bsdtar, in the format of the name's extension. */
function archiveOf(name: string, files: Files): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-archive-'));
  try {
    for (const [path, data] of Object.entries(files)) {
      mkdirSync(join(folder, 'in', dirname(path)), { recursive: true });
      writeFileSync(join(folder, 'in', path), data);
    }
    const names = Object.keys(files);
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    execFileSync('bsdtar', ['-a', '-c', '-f', join(folder, name), '-C', join(folder, 'in'), ...names], { env });
    return readFileSync(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A point cloud of three points. */
function pcd(kind: 'ascii' | 'binary', points = 3): Buffer {
  const header = `# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH ${points}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS ${points}\nDATA ${kind}\n`;
  return Buffer.from(kind === 'ascii' ? header + '0 0 0\n1.5 2 3\n4 5 6\n' : header + 'x'.repeat(36));
}

describe('media types', () => {
  let app: TestApp;
  let owner: Person;
  let photos: Record<string, Buffer>;
  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    photos = { 'b/2.jpg': await imageFile({ red: 20 }), 'a/1.png': await imageFile({ red: 90, format: 'png' }) };
  });
  afterAll(() => app.close());

  const given = async (files: Files, options: TaskOptions = {}, parameters: Readonly<Record<string, string>> = {}) => {
    const id = await givenTask(owner, options);
    await sendFiles(owner, id, files, parameters).expect(202);
    return { id, request: (await processed(app, owner, id)).body as { status: string; message: string } };
  };
  const media = (id: number, query: Readonly<Record<string, string | number>>) =>
    owner.http.get(`/api/tasks/${id}/data`).query(query).responseType('blob');
  const framesOf = async (id: number) =>
    (await owner.http.get(`/api/tasks/${id}/data/meta`).expect(200)).body.frames as { name: string }[];
  const expectPhotos = async (id: number): Promise<void> => {
    expect((await framesOf(id)).map(({ name }) => name)).toEqual(['a/1.png', 'b/2.jpg']);
    const chunk = await media(id, { type: 'chunk', number: 0, quality: 'original' }).expect(200);
    expect([...(await unzip(chunk.body as Buffer)).values()]).toEqual([photos['a/1.png'], photos['b/2.jpg']]);
  };

  it('creates a task from a tar archive', async () => {
    const { id, request } = await given({
      'photos.tar': await tarOf({ ...photos, 'readme.txt': Buffer.from('hello') }),
    });
    expect(request).toMatchObject({ status: 'finished', message: '' });
    await expectPhotos(id);
  });

  it('creates a task from a compressed tar archive', async () => {
    const { id, request } = await given({ 'photos.tgz': gzipSync(await tarOf(photos)) });
    expect(request).toMatchObject({ status: 'finished' });
    await expectPhotos(id);
  });

  const converted = ['photos.7z', 'photos.tar.bz2', 'photos.tar.xz', 'photos.tar.zst', 'photos.cpio'];
  itConverts.each(converted)('creates a task from %s', async (name) => {
    const { id, request } = await given({ [name]: archiveOf(name, photos) });
    expect(request).toMatchObject({ status: 'finished', message: '' });
    await expectPhotos(id);
  });

  itConverts('reads names in any script from a 7z archive', async () => {
    const content = await imageFile({ red: 20 });
    const { id, request } = await given({ 'photos.7z': archiveOf('photos.7z', { 'Größe/写真.jpg': content }) });
    expect(request).toMatchObject({ status: 'finished', message: '' });
    expect(await framesOf(id)).toMatchObject([{ name: 'Größe/写真.jpg' }]);
  });

  it.each<[string, () => Buffer | Promise<Buffer>, string]>([
    ['cut.tar', async () => (await tarOf(photos)).subarray(0, 700), "'cut.tar'"],
    ['cut.tgz', async () => gzipSync(await tarOf(photos)).subarray(0, 300), "'cut.tgz'"],
    ['text.tar', () => Buffer.from('no archive'), "'text.tar' is not an archive"],
    ['empty.7z', () => Buffer.alloc(0), "'empty.7z' is not an archive"],
    ['up.tar', () => tarOf({ '../a.png': Buffer.from('x') }), "'../a.png' is not allowed"],
    ['root.tar', () => tarOf({ '/a.png': Buffer.from('x') }), "'/a.png' is not allowed"],
    ['link.tar', () => tarOf({ 'a.png': Buffer.alloc(0) }, { 'a.png': 'symlink' }), 'is a symbolic link'],
    ['hard.tar', () => tarOf({ 'a.png': Buffer.alloc(0) }, { 'a.png': 'link' }), 'is a hard link'],
    ['none.tar', () => tarOf({ 'a.txt': Buffer.from('x') }), 'No image found'],
    [
      'bomb.tgz',
      () => gzipSync(Buffer.concat([tarHeader('a.png', 2 ** 32), Buffer.alloc(2 ** 20)])),
      'holds more than',
    ],
  ])('rejects the archive %s', async (name, content, message) => {
    const { id, request } = await given({ [name]: await content() });
    expect(request.status).toBe('failed');
    expect(request.message).toContain(message);
    const { body: task } = await owner.http.get(`/api/tasks/${id}`).expect(200);
    expect(readdirSync(join(app.config.dataDir, 'media'))).not.toContain(String(task.data));
  });

  itConverts('rejects a broken 7z archive', async () => {
    const whole = archiveOf('photos.7z', photos);
    const { request } = await given({ 'cut.7z': whole.subarray(0, whole.length - 40) });
    expect(request).toMatchObject({ status: 'failed', message: expect.stringContaining("'cut.7z'") });
  });

  it('creates 3D tasks from point clouds, with their context images', async () => {
    const bin = Buffer.alloc(64);
    bin.writeFloatLE(1.5, 0);
    const archive = await zipOf({
      'clouds/one.pcd': pcd('ascii'),
      'clouds/two.pcd': pcd('binary'),
      'clouds/three.bin': bin,
      'clouds/related_images/one_pcd/front.png': await imageFile({ format: 'png' }),
      'clouds/related_images/one_pcd/back.jpg': await imageFile(),
      'clouds/lonely.jpg': await imageFile(),
    });
    const { id, request } = await given({ 'clouds.zip': archive }, { segment_size: 2 });
    expect(request).toMatchObject({ status: 'finished', message: '' });
    const { body: task } = await owner.http.get(`/api/tasks/${id}`).expect(200);
    expect(task).toMatchObject({ dimension: '3d', mode: 'annotation', size: 3, data_original_chunk_type: 'imageset' });
    expect(await framesOf(id)).toEqual([
      { name: 'clouds/one.pcd', width: 3, height: 1, related_files: 2, has_related_context: true },
      { name: 'clouds/three.bin', width: 4, height: 1, related_files: 0, has_related_context: false },
      { name: 'clouds/two.pcd', width: 3, height: 1, related_files: 0, has_related_context: false },
    ]);
    const chunk = await unzip((await media(id, { type: 'chunk', number: 0 }).expect(200)).body as Buffer);
    expect([...chunk.keys()]).toEqual(['000000.pcd', '000001.pcd', '000002.pcd']);
    const cloud = await owner.http.get(`/api/tasks/${id}/data?type=frame&number=0&quality=original`);
    expect(cloud.headers['content-type']).toBe('image/x.point-cloud-data');
    expect(chunk.get('000000.pcd')).toEqual(pcd('ascii'));
    const converted = chunk.get('000001.pcd') ?? Buffer.alloc(0);
    expect(converted.toString('latin1')).toContain('FIELDS x y z intensity\n');
    expect(converted.subarray(-64)).toEqual(bin);
    const original = await unzip(
      (await media(id, { type: 'chunk', number: 0, quality: 'original' }).expect(200)).body as Buffer,
    );
    expect(original.get('000001.pcd')).toEqual(converted);
    const frame = await media(id, { type: 'frame', number: 2, quality: 'original' }).expect(200);
    expect(frame.body).toEqual(pcd('binary'));
    const preview = await owner.http.get(`/api/tasks/${id}/preview`).responseType('blob').expect(200);
    expect(await sharp(preview.body as Buffer).metadata()).toMatchObject({ format: 'jpeg', width: 256 });
    const context = await media(id, { type: 'context_image', number: 0 }).expect(200);
    expect([...(await unzip(context.body as Buffer)).keys()].toSorted()).toEqual(['back.jpg.jpg', 'front.png.jpg']);
    await media(id, { type: 'context_image', number: 1 }).expect(404);
    const { body: jobs } = await owner.http.get('/api/jobs').query({ task_id: id, dimension: '3d' }).expect(200);
    expect(jobs.count).toBe(2);
  });

  it('requires the same dimension for all tasks of a project', async () => {
    const project = await owner.http
      .post('/api/projects')
      .send({ name: 'flat', labels: [{ name: 'car' }] })
      .expect(201);
    const project_id = project.body.id as number;
    expect((await given({ 'a.jpg': await imageFile() }, { project_id })).request.status).toBe('finished');
    const { request } = await given({ 'a.pcd': pcd('ascii') }, { project_id });
    expect(request).toMatchObject({ status: 'failed', message: expect.stringContaining('Dimension (3d)') });
  });

  it.each<[string, Buffer, string]>([
    ['empty.pcd', Buffer.alloc(0), 'no line with DATA'],
    ['short.pcd', pcd('binary').subarray(0, -1), 'it ends early'],
    ['many.pcd', pcd('ascii', 9_000_000), 'it ends early'],
    ['odd.bin', Buffer.alloc(17), 'no multiple of 16'],
    ['empty.bin', Buffer.alloc(0), 'no multiple of 16'],
  ])('rejects the point cloud %s', async (name, content, message) => {
    const { request } = await given({ [name]: content });
    expect(request.status).toBe('failed');
    expect(request.message).toContain(`'${name}'`);
    expect(request.message).toContain(message);
  });
});
