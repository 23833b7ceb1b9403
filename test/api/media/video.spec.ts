import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import sharp from 'sharp';
import { Db } from '../../../src/core/database/db.js';
import { ChunkStore } from '../../../src/modules/media/reading/chunk-store.js';
import { MediaSourceRepository } from '../../../src/modules/media/reading/media-source.repository.js';
import { VideoAhead } from '../../../src/modules/media/reading/video-ahead.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenTask, processed, sendFiles, type TaskOptions } from '../../support/given-media.js';
import { imageFile, unzip } from '../../support/images.js';
import {
  decodedNumbers,
  describeWithFfmpeg,
  numberIn,
  numberedVideo,
  playedFrame,
  soundOnly,
  VIDEO_HEIGHT,
  VIDEO_WIDTH,
} from '../../support/videos.js';

type Parameters = Readonly<Record<string, string | number>>;

describeWithFfmpeg('video tasks', () => {
  let app: TestApp;
  let owner: Person;
  let video: Buffer;
  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    video = numberedVideo({ frames: 100 });
  }, 60_000);
  afterAll(() => app.close());

  const given = async (
    options: TaskOptions,
    parameters: Parameters = {},
    files: Readonly<Record<string, Buffer>> = { 'numbers.mp4': video },
  ) => {
    const id = await givenTask(owner, options);
    await sendFiles(owner, id, files, parameters).expect(202);
    const request = await processed(app, owner, id);
    return { id, request };
  };
  const made = async (options: TaskOptions, parameters: Parameters = {}): Promise<number> => {
    const { id, request } = await given(options, parameters);
    expect(request.body).toMatchObject({ status: 'finished', message: '' });
    return id;
  };
  const media = (address: string, query: Parameters) => owner.http.get(address).query(query).responseType('blob');
  const numberOf = async (image: Buffer): Promise<number> => {
    const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    return numberIn(data, info.width, info.height, info.channels);
  };

  it('have video chunks', async () => {
    const id = await made({ segment_size: 40 });
    const { body: task } = await owner.http.get(`/api/tasks/${id}`).expect(200);
    expect(task).toMatchObject({
      mode: 'interpolation',
      dimension: '2d',
      size: 100,
      segment_size: 40,
      overlap: 5,
      data_chunk_size: 36,
      data_compressed_chunk_type: 'video',
      data_original_chunk_type: 'video',
    });
    const { body: meta } = await owner.http.get(`/api/tasks/${id}/data/meta`).expect(200);
    expect(meta).toMatchObject({ size: 100, start_frame: 0, stop_frame: 99, chunk_size: 36, deleted_frames: [] });
    expect(meta.frames).toEqual([
      { width: VIDEO_WIDTH, height: VIDEO_HEIGHT, name: 'numbers.mp4', related_files: 0, has_related_context: false },
    ]);
    expect(meta).not.toHaveProperty('frame_rate');
    const newest = { Accept: 'application/vnd.cvat+json; version=2.2' };
    expect((await owner.http.get(`/api/tasks/${id}/data/meta`).set(newest)).body).toMatchObject({ frame_rate: 25 });
    for (const quality of ['compressed', 'original']) {
      const chunk = await media(`/api/tasks/${id}/data`, { type: 'chunk', quality, number: 1 }).expect(200);
      expect(chunk.headers).toMatchObject({ 'content-type': 'video/mp4', 'x-checksum': expect.any(String) });
      expect(decodedNumbers(chunk.body as Buffer)).toEqual(Array.from({ length: 36 }, (_, at) => 36 + at));
    }
    const last = await media(`/api/tasks/${id}/data`, { type: 'chunk', number: 2 }).expect(200);
    expect(decodedNumbers(last.body as Buffer)).toHaveLength(28);
    await media(`/api/tasks/${id}/data`, { type: 'chunk', number: 3 }).expect(400);
  }, 60_000);

  const SILENT = ['-x264-params', 'colormatrix=undef:colorprim=undef:transfer=undef'];
  it.each<[string, string, 'tv' | 'pc', readonly string[]]>([
    ['says so itself', 'orange.mp4', 'tv', []],
    ['uses all values', 'orange.mp4', 'pc', ['-pix_fmt', 'yuvj420p']],
    ['leaves it to its container', 'orange.mkv', 'tv', SILENT],
  ])('keep HD colours if the video %s', async (_, file, range, output) => {
    const tags = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', range];
    const orange = `format=gbrp,drawbox=color=0xe07010:t=fill,scale=out_color_matrix=bt709:out_range=${range}`;
    const content = numberedVideo({ file, frames: 12, filter: orange, output: [...tags, ...output] });
    const { id, request } = await given({}, { image_quality: 90 }, { [file]: content });
    expect(request.body).toMatchObject({ status: 'finished', message: '' });
    const read = async (query: Parameters) =>
      (await media(`/api/tasks/${id}/data`, { number: 0, ...query }).expect(200)).body as Buffer;
    const shown = [
      await read({ type: 'frame', quality: 'original' }),
      await read({ type: 'frame' }),
      playedFrame(await read({ type: 'chunk' }), 0),
      await read({ type: 'frame' }),
      playedFrame(await read({ type: 'chunk', quality: 'original' }), 0),
    ];
    const colour = async (image: Buffer) => [...(await sharp(image).removeAlpha().raw().toBuffer()).subarray(0, 3)];
    const expected = await colour(playedFrame(content, 0));
    for (const image of shown) {
      const differences = (await colour(image)).map((value, at) => Math.abs(value - (expected[at] ?? 0)));
      expect(Math.max(...differences)).toBeLessThan(4);
    }
  });

  it('have frames, previews and chunks of jobs', async () => {
    const id = await made({ segment_size: 40, overlap: 0 });
    for (const quality of ['compressed', 'original']) {
      const frame = await media(`/api/tasks/${id}/data`, { type: 'frame', quality, number: 57 }).expect(200);
      expect(frame.headers['content-type']).toBe('image/png');
      expect(await numberOf(frame.body as Buffer)).toBe(57);
    }
    const preview = await media(`/api/tasks/${id}/preview`, {}).expect(200);
    expect(preview.headers['content-type']).toBe('image/jpeg');
    expect(await numberOf(preview.body as Buffer)).toBe(0);
    await media(`/api/tasks/${id}/data`, { type: 'frame', number: 100 }).expect(400);
    await media(`/api/tasks/${id}/data`, { type: 'context_image', number: 3 }).expect(404);

    const { body: jobs } = await owner.http.get('/api/jobs').query({ task_id: id, sort: 'id' }).expect(200);
    expect(jobs.results.map((job: Record<string, number>) => [job['start_frame'], job['stop_frame']])).toEqual([
      [0, 39],
      [40, 79],
      [80, 99],
    ]);
    const job = jobs.results[1].id as number;
    const { body: meta } = await owner.http.get(`/api/jobs/${job}/data/meta`).expect(200);
    expect(meta).toMatchObject({ size: 40, start_frame: 40, stop_frame: 79, frames: [{ name: 'numbers.mp4' }] });
    const part = await media(`/api/jobs/${job}/data`, { type: 'chunk', index: 1 }).expect(200);
    expect(decodedNumbers(part.body as Buffer)).toEqual([76, 77, 78, 79]);
    const cut = await media(`/api/jobs/${job}/data`, { type: 'chunk', number: 1 }).expect(200);
    expect(decodedNumbers(cut.body as Buffer)).toEqual(Array.from({ length: 32 }, (_, at) => 40 + at));
    const own = await media(`/api/jobs/${job}/preview`, {}).expect(200);
    expect(await numberOf(own.body as Buffer)).toBe(40);
  }, 60_000);

  it('select random ground truth frames, and serve them only in their job', async () => {
    const id = await made(
      { segment_size: 50 },
      {
        'validation_params.mode': 'gt',
        'validation_params.frame_selection_method': 'random_uniform',
        'validation_params.frame_count': 3,
      },
    );
    const { body: jobs } = await owner.http.get('/api/jobs').query({ task_id: id, type: 'ground_truth' }).expect(200);
    const job = jobs.results[0].id as number;
    const { body: meta } = await owner.http.get(`/api/jobs/${job}/data/meta`).expect(200);
    expect(meta).toMatchObject({ size: 3, frames: [{ name: 'numbers.mp4' }] });
    expect((await owner.http.get(`/api/jobs/${job}`)).body.data_compressed_chunk_type).toBe('imageset');
    const frames = meta.included_frames as number[];
    for (const quality of ['compressed', 'original']) {
      const chunk = await media(`/api/jobs/${job}/data`, { type: 'chunk', index: 0, quality }).expect(200);
      expect(chunk.headers['content-type']).toBe('application/zip');
      const entries = await unzip(chunk.body as Buffer);
      expect([...entries.keys()]).toEqual([0, 1, 2].map((at) => `00000${at}.jpeg`));
      expect(await Promise.all([...entries.values()].map(numberOf))).toEqual(frames);
      const first = frames[0] ?? 0;
      const cut = await media(`/api/jobs/${job}/data`, { type: 'chunk', number: Math.floor(first / 36), quality });
      const images = [...(await unzip(cut.body as Buffer)).values()];
      const sizes = await Promise.all(images.map(async (image) => (await sharp(image).metadata()).width));
      expect(sizes.map((width, at) => [width, at])).toEqual(
        sizes.map((_, at) => [frames.includes(Math.floor(first / 36) * 36 + at) ? VIDEO_WIDTH : 1, at]),
      );
    }
    // The task's own chunks are still videos.
    const whole = await media(`/api/tasks/${id}/data`, { type: 'chunk', number: 0, quality: 'original' }).expect(200);
    expect(decodedNumbers(whole.body as Buffer)).toHaveLength(36);
  }, 60_000);

  it('include every third frame, as images in archives', async () => {
    const parameters = {
      start_frame: 10,
      stop_frame: 60,
      frame_filter: 'step=3',
      use_zip_chunks: 'true',
      chunk_size: 5,
    };
    const id = await made({}, parameters);
    const { body: task } = await owner.http.get(`/api/tasks/${id}`).expect(200);
    expect(task).toMatchObject({ size: 17, data_compressed_chunk_type: 'imageset', data_original_chunk_type: 'video' });
    const { body: meta } = await owner.http.get(`/api/tasks/${id}/data/meta`).expect(200);
    expect(meta).toMatchObject({ size: 17, start_frame: 10, stop_frame: 58, frame_filter: 'step=3', frames: [{}] });
    const chunk = await media(`/api/tasks/${id}/data`, { type: 'chunk', number: 1 }).expect(200);
    expect(chunk.headers['content-type']).toBe('application/zip');
    const entries = await unzip(chunk.body as Buffer);
    expect([...entries.keys()]).toEqual([0, 1, 2, 3, 4].map((at) => `00000${at}.jpeg`));
    expect(await Promise.all([...entries.values()].map(numberOf))).toEqual([25, 28, 31, 34, 37]);
    const original = await media(`/api/tasks/${id}/data`, { type: 'chunk', quality: 'original', number: 3 }).expect(
      200,
    );
    expect(decodedNumbers(original.body as Buffer)).toEqual([55, 58]);
    const frame = await media(`/api/tasks/${id}/data`, { type: 'frame', number: 16 }).expect(200);
    expect(frame.headers['content-type']).toBe('image/jpeg');
    expect(await numberOf(frame.body as Buffer)).toBe(58);
  }, 60_000);

  it.each<[string, Parameters, string]>([
    ['videos', {}, 'image/png'],
    ['images', { use_zip_chunks: 'true' }, 'image/jpeg'],
  ])(
    'build chunks of %s in advance, and read frames from them',
    async (_, parameters, type) => {
      const id = await made({}, { ...parameters, frame_filter: 'step=2', chunk_size: 17 });
      const cached = async (): Promise<string[]> =>
        (await readdir(chunks)).filter((name) => name.includes(`${data}%2F`));
      const { data } = (await owner.http.get(`/api/tasks/${id}`)).body as { data: number };
      const chunks = join(app.config.dataDir, 'cache', 'chunks');
      const cold = await media(`/api/tasks/${id}/data`, { type: 'frame', number: 23 }).expect(200);
      expect(await numberOf(cold.body as Buffer)).toBe(46);
      const ahead = await createTestApp({
        database: { url: app.config.databaseUrl, drop: () => Promise.resolve() },
        dataDir: app.config.dataDir,
        env: { VIDEO_CHUNKS_AHEAD: 'true' },
      });
      try {
        const found = await ahead.app.get(MediaSourceRepository).ofTask(ahead.app.get(Db), id, 0);
        if (found?.source == null) throw new Error('the task has no data');
        const making = jest.spyOn(ahead.app.get(ChunkStore), 'makeAhead');
        ahead.app.get(VideoAhead).begin(id);
        ahead.app.get(VideoAhead).near(found.source, 23);
        await ahead.app.get(VideoAhead).idle();
        expect(making.mock.calls.map(([, numbers]) => numbers)).toEqual([[1], [2], [0]]);
        ahead.app.get(VideoAhead).near(found.source, 49);
        await ahead.app.get(VideoAhead).idle();
        expect(making).toHaveBeenCalledTimes(3);
      } finally {
        await ahead.close();
      }
      expect(await cached()).toHaveLength(Math.ceil(50 / 17));
      for (const number of [0, 16, 17, 49]) {
        const frame = await media(`/api/tasks/${id}/data`, { type: 'frame', number }).expect(200);
        expect(frame.headers['content-type']).toBe(type);
        expect(await numberOf(frame.body as Buffer)).toBe(number * 2);
      }
      await owner.http.delete(`/api/tasks/${id}`).expect(204);
    },
    180_000,
  );

  it.each([
    [90, { width: 47, height: 175 }, { width: 48, height: 176 }],
    [180, { width: 175, height: 47 }, { width: 176, height: 48 }],
    [270, { width: 47, height: 175 }, { width: 48, height: 176 }],
  ])(
    'rotate frames by %d degrees, and round odd sizes only in chunks',
    async (rotate, size, even) => {
      const turned = numberedVideo({
        frames: 10,
        filter: 'crop=175:47:0:0:exact=1',
        encoder: ['-c:v', 'mpeg4', '-q:v', '1'],
        rotate,
      });
      const { id, request } = await given({}, {}, { 'numbers.mp4': turned });
      expect(request.body).toMatchObject({ status: 'finished' });
      const { body: meta } = await owner.http.get(`/api/tasks/${id}/data/meta`).expect(200);
      expect(meta.frames[0]).toMatchObject(size);
      const frame = await media(`/api/tasks/${id}/data`, { type: 'frame', number: 6, quality: 'original' }).expect(200);
      expect(await sharp(frame.body as Buffer).metadata()).toMatchObject(size);
      // Rotates the frame like a player.
      const seen = await sharp(frame.body as Buffer)
        .raw()
        .toBuffer();
      const expected = await sharp(playedFrame(turned, 6)).removeAlpha().raw().toBuffer();
      expect(
        seen.reduce((sum, value, at) => sum + Math.abs(value - (expected[at] ?? 0)), 0) / seen.length,
      ).toBeLessThan(2);
      const chunk = await media(`/api/tasks/${id}/data`, { type: 'chunk', number: 0, quality: 'original' }).expect(200);
      expect(decodedNumbers(chunk.body as Buffer, even)).toHaveLength(10);
    },
    60_000,
  );

  it.each(['tone.mp4', 'tone.mkv'])('reject %s, which has no video stream', async (name) => {
    const { id, request } = await given({}, {}, { [name]: soundOnly(name) });
    const message = `ValueError: There is no video stream in '${name}'\n`;
    expect(request.body).toMatchObject({ status: 'failed', message });
    const { body: task } = await owner.http.get(`/api/tasks/${id}`).expect(200);
    expect(existsSync(join(app.config.dataDir, 'media', String(task.data)))).toBe(false);
  });

  it.each([
    ['a video that says it is an image', 'numbers.jpg', () => Promise.resolve(video)],
    ['an image that says it is a video', 'photo.mp4', () => imageFile()],
  ])('reject %s', async (_, name, content) => {
    const { id, request } = await given({}, {}, { [name]: await content() });
    expect(request.body).toMatchObject({ status: 'failed', message: expect.stringContaining(`'${name}'`) });
    const { body: task } = await owner.http.get(`/api/tasks/${id}`).expect(200);
    expect(task).toMatchObject({ size: 0, jobs: { count: 0 } });
    expect(existsSync(join(app.config.dataDir, 'media', String(task.data)))).toBe(false);
  });

  it('accept a video whose extension belongs to another container', async () => {
    const { id, request } = await given({}, {}, { 'numbers.avi': video });
    expect(request.body).toMatchObject({ status: 'finished', message: '' });
    const frame = await media(`/api/tasks/${id}/data`, { type: 'frame', number: 42, quality: 'original' }).expect(200);
    expect(await numberOf(frame.body as Buffer)).toBe(42);
  });

  it.each(['cut.mkv', 'damaged.mkv', 'damaged.mp4', 'damaged.avi'])(
    'return the readable frames of %s, and an error for the rest',
    async (name) => {
      const whole = numberedVideo({ file: name, output: name.endsWith('mp4') ? ['-movflags', '+faststart'] : [] });
      const [from, to] = [Math.floor(whole.length * 0.6), Math.floor(whole.length * 0.7)];
      const harmed = name === 'cut.mkv' ? whole.subarray(0, from) : Buffer.from(whole).fill(7, from, to);
      const { id, request } = await given({}, {}, { [name]: harmed });
      expect(request.body).toMatchObject({ status: 'finished' });
      const { size } = (await owner.http.get(`/api/tasks/${id}`)).body as { size: number };
      for (let number = 0; number < size; number += 11) {
        const frame = await media(`/api/tasks/${id}/data`, { type: 'frame', number, quality: 'original' });
        if (frame.status === 200) continue;
        expect(frame.status).toBe(400);
        expect((frame.body as Buffer).toString()).toContain(`'${name}'`);
      }
      const first = await media(`/api/tasks/${id}/data`, { type: 'frame', number: 0, quality: 'original' }).expect(200);
      expect(await numberOf(first.body as Buffer)).toBe(0);
    },
  );

  it.each<[string, () => Buffer]>([
    ['empty.mp4', () => Buffer.alloc(0)],
    ['text.mkv', () => Buffer.from('no video at all'.repeat(1000))],
    ['short.mp4', () => video.subarray(0, video.length / 2)],
    ['list.avi', () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
  ])('reject %s and leave nothing behind', async (name, content) => {
    const { id, request } = await given({}, {}, { [name]: content() });
    expect(request.body).toMatchObject({ status: 'failed', message: expect.stringContaining(`'${name}'`) });
    expect(request.body.message).toContain('Invalid data found');
    const { body: task } = await owner.http.get(`/api/tasks/${id}`).expect(200);
    expect(task.size ?? 0).toBe(0);
    const folders = join(app.config.dataDir, 'media');
    expect(existsSync(join(folders, String(task.data)))).toBe(false);
  });
});
