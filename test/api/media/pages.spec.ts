import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { createTestApp, type TestApp } from '../../support/app.js';
import { pdfOf, tiffOf } from '../../support/documents.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles } from '../../support/given-media.js';
import { imageFile, unzip, zipOf } from '../../support/images.js';

type Files = Readonly<Record<string, Buffer>>;

const SQUARE = { width: 200, height: 100, content: '1 0 0 rg 0 0 100 100 re f' };

describe('pages of documents', () => {
  let app: TestApp;
  let owner: Person;
  let share: string;
  beforeAll(async () => {
    share = await mkdtemp(join(tmpdir(), 'cairn-share-'));
    app = await createTestApp({ env: { SHARE_DIR: share } });
    owner = await new Given(app).person();
  });
  afterAll(async () => {
    await app.close();
    await rm(share, { recursive: true });
  });

  const given = async (files: Files, parameters: Readonly<Record<string, string | number>> = {}) => {
    const id = await givenTask(owner);
    await sendFiles(owner, id, files, parameters).expect(202);
    const request = (await processed(app, owner, id)).body as { status: string; message: string };
    const { data } = (await owner.http.get(`/api/tasks/${id}`)).body as { data: number };
    return { id, request, folder: join(app.config.dataDir, 'media', String(data)) };
  };
  const framesOf = async (id: number) =>
    (await owner.http.get(`/api/tasks/${id}/data/meta`).expect(200)).body.frames as {
      name: string;
      width: number;
      height: number;
      related_files: number;
    }[];
  const namesOf = async (id: number) => (await framesOf(id)).map(({ name }) => name);
  const colours = async (id: number, quality = 'compressed') => {
    const chunk = await owner.http
      .get(`/api/tasks/${id}/data`)
      .query({ type: 'chunk', number: 0, quality })
      .responseType('blob')
      .expect(200);
    const images = [...(await unzip(chunk.body as Buffer)).values()];
    return Promise.all(images.map(async (image) => (await sharp(image).removeAlpha().raw().toBuffer())[0] ?? -1));
  };

  it('have the same size as in other renderers', async () => {
    const { id, request } = await given({ 'a4.pdf': pdfOf([{ width: 595.44, height: 841.68 }]) });
    expect(request).toMatchObject({ status: 'finished', message: '' });
    expect(await framesOf(id)).toMatchObject([{ width: 1654, height: 2338 }]);
  });

  it('of a PDF become frames at 200 dpi', async () => {
    const text = { width: 612, height: 792, content: 'BT /F1 90 Tf 50 400 Td (Cairn) Tj ET' };
    const { id, request, folder } = await given({ 'report.pdf': pdfOf([SQUARE, text]) });
    expect(request).toMatchObject({ status: 'finished', message: '' });
    expect(await framesOf(id)).toMatchObject([
      { name: 'report000000000.jpeg-1.jpg', width: 556, height: 278 },
      { name: 'report000000000.jpeg-2.jpg', width: 1700, height: 2200 },
    ]);
    const original = await owner.http
      .get(`/api/tasks/${id}/data`)
      .query({ type: 'frame', number: 0, quality: 'original' })
      .responseType('blob')
      .expect('Content-Type', 'image/jpeg');
    const { data } = await sharp(original.body as Buffer)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([...data.subarray(0, 3)].map((value) => Math.round(value / 10))).toEqual([25, 0, 0]);
    expect([...data.subarray(-3)]).toEqual([255, 255, 255]);
    const page = await owner.http.get(`/api/tasks/${id}/data`).query({ type: 'frame', number: 1 }).responseType('blob');
    expect((await sharp(page.body as Buffer).stats()).channels[0]?.min).toBeLessThan(30); // the page contains text
    expect((await readdir(join(folder, 'raw'))).toSorted()).toEqual(await namesOf(id));
  });

  it('keep their order in a long PDF, of which a part can be selected', async () => {
    const pages = Array.from({ length: 12 }, (_, at) => ({ width: 20 + at, height: 20 }));
    const { id } = await given({ 'a/long.pdf': pdfOf(pages) }, { start_frame: 1, frame_filter: 'step=5' });
    expect(await framesOf(id)).toMatchObject([
      { name: 'long000000000.jpeg-02.jpg', width: Math.ceil((21 * 200) / 72) },
      { name: 'long000000000.jpeg-07.jpg', width: Math.ceil((26 * 200) / 72) },
      { name: 'long000000000.jpeg-12.jpg', width: Math.ceil((31 * 200) / 72) },
    ]);
  });

  it('are scaled down if they are too large for an image', async () => {
    const { id } = await given({ 'wall.pdf': pdfOf([{ width: 1e9, height: 1e6 }]) });
    expect(await framesOf(id)).toMatchObject([{ width: 65_500, height: 65 }]);
  });

  it.each<[string, Buffer, string]>([
    ['empty.pdf', Buffer.alloc(0), "'empty.pdf' is not a PDF document, or a broken one"],
    ['cut.pdf', pdfOf([SQUARE]).subarray(0, 200), "'cut.pdf' is not a PDF document, or a broken one"],
    ['secret.pdf', pdfOf([SQUARE], { encrypted: true }), "'secret.pdf' is encrypted, password required"],
    ['lies.pdf', pdfOf([SQUARE], { count: 3 }), "Page 2 of the document 'lies.pdf' cannot be rendered"],
    ['many.pdf', pdfOf([SQUARE], { count: 1e6 }), "The document 'many.pdf' has more than 200000 pages"],
    ['repeated.pdf', pdfOf([SQUARE], { count: 50_000 }), "The document 'repeated.pdf' lists 50000 pages in"],
    ['none.pdf', pdfOf([]), "The document 'none.pdf' has no pages"],
  ])('are rejected for %s', async (name, content, message) => {
    const { request, folder } = await given({ [name]: content });
    expect(request.status).toBe('failed');
    expect(request.message).toContain(message);
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
    expect(await readdir(join(app.config.dataDir, 'uploads'))).toEqual([]);
  });

  it('of a TIFF become frames, among other images', async () => {
    const files = {
      'b.tif': await tiffOf([20, 60, 100]),
      'a.jpg': await imageFile({ red: 10 }),
      'c.TIFF': await tiffOf([140]),
    };
    const { id, request, folder } = await given(files);
    expect(request).toMatchObject({ status: 'finished', message: '' });
    expect(await namesOf(id)).toEqual(['a.jpg', 'b.tif-1.tif', 'b.tif-2.tif', 'b.tif-3.tif', 'c.TIFF']);
    expect((await framesOf(id))[1]).toMatchObject({ width: 40, height: 30 });
    expect((await colours(id)).map((red) => Math.round(red / 10))).toEqual([1, 2, 6, 10, 14]);
    expect((await colours(id, 'original')).slice(1)).toEqual([20, 60, 100, 140]);
    expect((await readdir(join(folder, 'raw'))).toSorted()).toEqual((await namesOf(id)).toSorted());
    expect(await readdir(join(app.config.dataDir, 'uploads'))).toEqual([]);
  });

  it('of a TIFF in an archive become frames, with its context images', async () => {
    const archive = await zipOf({
      'x/b.tif': await tiffOf([20, 60]),
      'x/related_images/b_tif/side.tif': await tiffOf([1, 2]),
      'x/a.png': await imageFile({ format: 'png' }),
    });
    const { id } = await given({ 'all.zip': archive });
    expect(await framesOf(id)).toMatchObject([
      { name: 'x/a.png', related_files: 0 },
      { name: 'x/b.tif-1.tif', related_files: 1 },
      { name: 'x/b.tif-2.tif', related_files: 1 },
    ]);
  });

  it('keep the order and the jobs of their file', async () => {
    const files = { 'a.tif': await tiffOf([20, 60]), 'b.jpg': await imageFile(), 'c.tif': await tiffOf([100, 140]) };
    const order = ['c.tif', 'b.jpg', 'a.tif'].map((name, at) => [`upload_file_order[${at}]`, name]);
    const sorted = await given(files, { sorting_method: 'predefined', ...Object.fromEntries(order) });
    const names = ['c.tif-1.tif', 'c.tif-2.tif', 'b.jpg', 'a.tif-1.tif', 'a.tif-2.tif'];
    expect(await namesOf(sorted.id)).toEqual(names);
    const mapped = await given(files, { 'job_file_mapping[0][0]': 'c.tif', 'job_file_mapping[1][0]': 'b.jpg' });
    expect(await namesOf(mapped.id)).toEqual(names.slice(0, 3));
    expect((await owner.http.get('/api/jobs').query({ task_id: mapped.id })).body.count).toBe(2);
  });

  it('of a file in the shared folder are copied with all other files', async () => {
    await mkdir(join(share, 'scans'));
    await writeFile(join(share, 'scans', 'a.tif'), await tiffOf([20, 60]));
    await writeFile(join(share, 'scans', 'b.jpg'), await imageFile());
    const id = await givenTask(owner);
    await owner.http
      .post(`/api/tasks/${id}/data`)
      .send({ server_files: ['scans/'], image_quality: 70 })
      .expect(202);
    expect((await processed(app, owner, id)).body).toMatchObject({ status: 'finished' });
    expect(await namesOf(id)).toEqual(['scans/a.tif-1.tif', 'scans/a.tif-2.tif', 'scans/b.jpg']);
    expect(await colours(id)).toHaveLength(3);
    expect((await readdir(join(share, 'scans'))).toSorted()).toEqual(['a.tif', 'b.jpg']);
  });

  it('never replace another file', async () => {
    const { request } = await given({ 'a.tif': await tiffOf([1, 2]), 'a.tif-1.tif': await tiffOf([3]) });
    expect(request.status).toBe('failed');
    expect(request.message).toContain("There are two files with the name 'a.tif-1.tif'");
  });

  it('are rejected for a TIFF whose directories are truncated or form a cycle', async () => {
    const whole = await tiffOf([20, 60, 100]);
    const cut = await given({ 'cut.tif': whole.subarray(0, whole.length - 10) });
    expect(cut.request).toMatchObject({ status: 'failed', message: expect.stringContaining("'cut.tif'") });
    const round = Buffer.from(whole);
    const first = round.readUInt32LE(4);
    round.writeUInt32LE(first, first + 2 + 12 * round.readUInt16LE(first));
    const circle = await given({ 'round.tif': round });
    expect(circle.request).toMatchObject({ status: 'failed', message: expect.stringContaining("'round.tif'") });
  });

  it('of animations are ignored: their first image is the frame', async () => {
    const pages = await Promise.all([20, 200].map((red) => imageFile({ red, format: 'png' })));
    const moving = sharp(pages, { join: { animated: true } });
    const { id } = await given({
      'a.gif': await moving.clone().gif().toBuffer(),
      'b.webp': await moving.webp().toBuffer(),
    });
    expect(await namesOf(id)).toEqual(['a.gif', 'b.webp']);
    expect((await colours(id)).map((red) => Math.round(red / 20))).toEqual([1, 1]);
  });
});
