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
import { decodeFrames, type IndexedVideo, withFrames } from './video-decoder.js';
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
/** Containers in which programs that wait find frames; in the others these are decoded as all are. */
const FOUND_AT_ONCE = /\.(mp4|mov|mkv|webm)$/;
const VARIABLE_RATE = "setpts='(N+0.4*mod(N,3)+3*floor(N/7))/25/TB'";

/** Name of the file, encoder, filter, arguments of the container. */
const VIDEOS: [name: string, encoder: keyof typeof ENCODERS, filter?: string | undefined, output?: string[]][] = [
  ['a.mp4', 'h264'],
  ['b.mp4', 'h264', VARIABLE_RATE],
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
];

describeWithFfmpeg('videos', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-video-'));
  const path = (name: string): string => join(folder, name);
  beforeAll(() => {
    for (const [name, encoder, filter, output] of VIDEOS)
      writeNumberedVideo(path(name), {
        encoder: ENCODERS[encoder],
        ...(filter === undefined ? {} : { filter }),
        ...(output === undefined ? {} : { output }),
      });
  }, 120_000);
  const programs = new FramePrograms(tools);
  afterAll(async () => {
    await programs.stop();
    rmSync(folder, { recursive: true });
  });

  const numbers = async (video: IndexedVideo, frames: readonly number[]): Promise<number[]> => {
    const format = { width: VIDEO_WIDTH, height: VIDEO_HEIGHT, pixels: 'rgb24' } as const;
    return withFrames(video, async (strategy) => {
      const found: number[] = [];
      for await (const frame of decodeFrames(tools, video, frames, format, { strategy }))
        found.push(numberIn(frame, VIDEO_WIDTH, VIDEO_HEIGHT));
      return found;
    });
  };

  it.each(VIDEOS)(
    'gives exactly the frames of %s (%s)',
    async (name) => {
      const video = { path: path(name), name, index: await indexVideo(tools, path(name), { name }) };
      const all = Array.from({ length: 100 }, (_, frame) => frame);
      expect(await numbers(video, all)).toEqual(all);
      for (const frame of [21, 39, 99]) expect(await numbers(video, [frame])).toEqual([frame]);
      expect(await numbers(video, [3, 17, 60])).toEqual([3, 17, 60]);
      // Programs that wait give the same frame, or none.
      let found = 0;
      for (const frame of [0, 21, 38, 99]) {
        const pixels = await programs.decode(video, frame);
        if (pixels === undefined) continue;
        found += 1;
        expect(numberIn(pixels, VIDEO_WIDTH, VIDEO_HEIGHT)).toBe(frame);
      }
      expect(found).toBeGreaterThanOrEqual(FOUND_AT_ONCE.test(name) && video.index.seekable ? 2 : 0);
    },
    120_000,
  );

  it('opens no other files for somebody who sends a script as a video', async () => {
    const index = await indexVideo(tools, path('a.mp4'), { name: 'a.mp4' });
    writeFileSync(path('script.mp4'), `ffconcat version 1.0\nfile '${path('a.mp4')}'\n`);
    expect(await programs.decode({ path: path('script.mp4'), name: 'script.mp4', index }, 3)).toBeUndefined();
    expect(await programs.decode({ path: path('gone.mp4'), name: 'gone.mp4', index }, 3)).toBeUndefined();
  });

  it('takes frames of a chunk that it made', async () => {
    const video = { path: path('b.mp4'), name: 'b.mp4', index: await indexVideo(tools, path('b.mp4'), { name: 'b' }) };
    const slots = [Array.from({ length: 36 }, (_, at) => 30 + at), [70, null, 75]];
    const [first, second] = await buildVideoChunks(tools, video, slots, { quality: 'compressed', imageQuality: 70 });
    expect(decodedNumbers(second ?? Buffer.alloc(0))).toEqual([70, 0, 75]);
    writeFileSync(path('chunk'), first ?? '');
    const chunk = videoOfChunk(video, path('chunk'), 36);
    for (const frame of [0, 1, 11, 12, 23, 35]) {
      const pixels = await programs.decode(chunk, frame);
      expect(numberIn(pixels ?? Buffer.alloc(3), VIDEO_WIDTH, VIDEO_HEIGHT)).toBe(30 + frame);
    }
  }, 60_000);

  it('keeps an index in a file', async () => {
    const index = await indexVideo(tools, path('c.mkv'), { name: 'c.mkv' });
    await writeVideoIndex(path('index'), index);
    expect(await readVideoIndex(path('index'))).toEqual(index);
    expect(await readVideoIndex(path('none'))).toBeUndefined();
  });
});
