import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  decodedNumbers,
  describeWithFfmpeg,
  H264,
  numberIn,
  VIDEO_HEIGHT,
  VIDEO_WIDTH,
  writeNumberedVideo,
} from '../../../../test/support/videos.js';
import { videoTools } from './ffmpeg.js';
import { FramePrograms } from './frame-programs.js';
import { buildVideoChunks, videoOfChunk } from './video-chunk.js';
import { decodeFrames, type IndexedVideo, type VideoFrameSize, withFrames } from './video-decoder.js';
import { frameSource } from './video-frame.js';
import { readVideoIndex, writeVideoIndex } from './video-index.js';
import { indexVideo } from './video-indexer.js';

const tools = videoTools('ffmpeg');
const ENCODERS = {
  h264: H264,
  'h264 with an open group of pictures': [...H264, '-x264-params', 'open-gop=1:bframes=4'],
  'h264 of fields': [...H264, '-flags', '+ildct+ilme'],
  h265: ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none:keyint=20:bframes=3'],
  vp9: [
    '-c:v',
    'libvpx-vp9',
    '-g',
    '20',
    '-deadline',
    'realtime',
    '-cpu-used',
    '8',
    '-auto-alt-ref',
    '1',
    '-lag-in-frames',
    '16',
  ],
  mpeg4: ['-c:v', 'mpeg4', '-g', '12', '-bf', '2'],
  mpeg2: ['-c:v', 'mpeg2video', '-g', '12', '-bf', '2'],
  mjpeg: ['-c:v', 'mjpeg'],
};
/** Videos whose single frames are decoded from packets; for the others, all frames use the same method. */
const TAKEN_APART = /^[adefghopqr]\./;
const VARIABLE_RATE = "setpts='N+3*floor(N/7)+2*floor(N/5)'";
/** Gives two frames the same time stamp. */
const UNCERTAIN_RATE = "setpts='(N+0.4*mod(N,3)+3*floor(N/7))/25/TB'";

/** File name, encoder, filter, container arguments. */
const VIDEOS: [name: string, encoder: keyof typeof ENCODERS, filter?: string | undefined, output?: string[]][] = [
  ['a.mp4', 'h264'],
  ['b.mp4', 'h264', UNCERTAIN_RATE],
  ['c.mkv', 'h264 with an open group of pictures', VARIABLE_RATE],
  ['d.mp4', 'h264 of fields'],
  ['e.mp4', 'h265'],
  ['f.mkv', 'h265'],
  ['g.webm', 'vp9'],
  ['h.webm', 'vp9', VARIABLE_RATE],
  ['i.avi', 'mpeg4'],
  ['j.mp4', 'mpeg4'],
  ['k.avi', 'h264'],
  ['l.ts', 'h264'],
  ['m.mpg', 'mpeg2'],
  ['n.avi', 'mjpeg'],
  ['o.mov', 'h264', undefined, ['-movflags', '+faststart']],
  ['p.mp4', 'h264', undefined, ['-movflags', '+frag_keyframe+empty_moov']],
  ['q.mp4', 'h264', VARIABLE_RATE],
  ['r.mkv', 'h264'],
];

describeWithFfmpeg('videos', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-video-'));
  const path = (name: string): string => join(folder, name);
  const indexed = new Map<string, Promise<{ readonly video: IndexedVideo; readonly progress: readonly number[] }>>();
  /** Indexes each video once, and records the progress. */
  const indexedOnce = (name: string) => {
    const progress: number[] = [];
    const open = async () => {
      const index = await indexVideo(tools, path(name), { name, onProgress: (done) => progress.push(done) });
      return { video: { path: path(name), name, index }, progress };
    };
    const known = indexed.get(name) ?? open();
    indexed.set(name, known);
    return known;
  };
  const videoOf = async (name: string): Promise<IndexedVideo> => (await indexedOnce(name)).video;
  beforeAll(() => {
    for (const [name, encoder, filter, output] of VIDEOS)
      writeNumberedVideo(path(name), {
        encoder: ENCODERS[encoder],
        ...(filter === undefined ? {} : { filter }),
        ...(output === undefined ? {} : { output }),
      });
  });
  const programs = new FramePrograms();
  afterAll(async () => {
    await programs.stop();
    rmSync(folder, { recursive: true });
  });

  const decodedAlone = async (
    video: IndexedVideo,
    frame: number,
    size: VideoFrameSize,
  ): Promise<Buffer | undefined> => {
    const source = frameSource(tools, video, frame, size);
    return source && programs.decode(source);
  };

  const FORMAT = { width: VIDEO_WIDTH, height: VIDEO_HEIGHT, pixels: 'rgb24' } as const;
  const numbers = async (video: IndexedVideo, frames: readonly number[]): Promise<number[]> => {
    return withFrames(video, async (strategy) => {
      const found: number[] = [];
      for await (const frame of decodeFrames(tools, video, frames, FORMAT, { strategy }))
        found.push(numberIn(frame, VIDEO_WIDTH, VIDEO_HEIGHT));
      return found;
    });
  };

  it.each(VIDEOS)('returns exactly the frames of %s (%s)', async (name) => {
    const video = await videoOf(name);
    const all = Array.from({ length: 100 }, (_, frame) => frame);
    expect(await numbers(video, all)).toEqual(all);
    for (const frame of [21, 39, 99]) expect(await numbers(video, [frame])).toEqual([frame]);
    expect(await numbers(video, [3, 17, 60])).toEqual([3, 17, 60]);
  });

  it.each(VIDEOS)('decodes the same pixels for a frame of %s (%s) from its packets alone', async (name) => {
    const video = await videoOf(name);
    expect(video.index.packets !== null).toBe(TAKEN_APART.test(name));
    const all = Array.from({ length: 100 }, (_, frame) => frame);
    const decoded: Buffer[] = [];
    for await (const frame of decodeFrames(tools, video, all, FORMAT, { strategy: 'beginning' })) decoded.push(frame);
    for (const frame of [0, 1, 2, 3, 4, 19, 20, 21, 22, 23, 38, 57, 97, 98, 99]) {
      const pixels = await decodedAlone(video, frame, FORMAT);
      if (video.index.packets === null) expect(pixels).toBeUndefined();
      else expect(decoded[frame]?.equals(pixels ?? Buffer.alloc(0))).toBe(true);
    }
    const half = { ...FORMAT, width: VIDEO_WIDTH / 2, height: VIDEO_HEIGHT / 2 };
    const small = await decodedAlone(video, 21, half);
    for await (const frame of decodeFrames(tools, video, [21], half))
      expect(small === undefined ? video.index.packets : frame.equals(small)).toBe(small === undefined ? null : true);
  });

  it('does not count frames hidden by an edit list, but decodes them for others', async () => {
    const args = ['-v', 'error', '-y', '-ss', '1.36', '-i', path('a.mp4'), '-c', 'copy', path('cut.mp4')];
    execFileSync('ffmpeg', args);
    const index = await indexVideo(tools, path('cut.mp4'), { name: 'cut.mp4' });
    expect(index.packets?.pts.length).toBeGreaterThan(index.pts.length);
    const video = { path: path('cut.mp4'), name: 'cut.mp4', index };
    const shown = await numbers(video, [0, 1, 2, 17, 40]);
    for (const [at, frame] of [0, 1, 2, 17, 40].entries()) {
      const pixels = await decodedAlone(video, frame, FORMAT);
      expect(numberIn(pixels ?? Buffer.alloc(3), VIDEO_WIDTH, VIDEO_HEIGHT)).toBe(shown[at]);
    }
  });

  it('rejects packets of a file that was replaced', async () => {
    for (const name of ['a.mp4', 'c.mkv', 'g.webm']) {
      const { index } = await videoOf(name);
      writeFileSync(path('other'), Buffer.alloc(100_000, 1));
      expect(await decodedAlone({ path: path('other'), name, index }, 30, FORMAT)).toBeUndefined();
      writeFileSync(path('other'), '');
      expect(await decodedAlone({ path: path('other'), name, index }, 30, FORMAT)).toBeUndefined();
      expect(await decodedAlone({ path: path('gone'), name, index }, 30, FORMAT)).toBeUndefined();
    }
  });

  it('reads frames of a chunk that it built', async () => {
    const video = await videoOf('b.mp4');
    const slots = [Array.from({ length: 36 }, (_, at) => 30 + at), [70, null, 75]];
    const [first, second] = await buildVideoChunks(tools, video, slots, { quality: 'compressed', imageQuality: 70 });
    expect(decodedNumbers(second ?? Buffer.alloc(0))).toEqual([70, 0, 75]);
    writeFileSync(path('chunk'), first ?? '');
    const chunk = await videoOfChunk(video, path('chunk'));
    expect(chunk.index.pts).toHaveLength(36);
    for (const frame of [0, 1, 2, 3, 4, 5, 11, 12, 13, 23, 34, 35]) {
      const pixels = await decodedAlone(chunk, frame, FORMAT);
      expect(numberIn(pixels ?? Buffer.alloc(3), VIDEO_WIDTH, VIDEO_HEIGHT)).toBe(30 + frame);
    }
  });

  it.each(VIDEOS)('reports increasing progress of indexing %s (%s), in steps of a few frames', async (name) => {
    const { progress } = await indexedOnce(name);
    const steps = progress.map((done, at) => done - (progress[at - 1] ?? 0));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
    expect(progress.at(-1)).toBeGreaterThan(0.9);
    expect(progress.at(-1)).toBeLessThanOrEqual(1);
    expect(Math.max(...steps)).toBeLessThan(0.12); // a sample of a keyframe-only video has two frames
  });

  it('stores an index in a file', async () => {
    const { index } = await videoOf('c.mkv');
    await writeVideoIndex(path('index'), index);
    expect(await readVideoIndex(path('index'))).toEqual(index);
    expect(await readVideoIndex(path('none'))).toBeUndefined();
  });
});
