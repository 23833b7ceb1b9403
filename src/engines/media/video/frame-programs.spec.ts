import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MediaError } from '../media-error.js';
import { videoTools } from './ffmpeg.js';
import { FramePrograms, type FrameSource } from './frame-programs.js';
import { frameSource } from './video-frame.js';
import type { VideoIndex } from './video-index.js';

const INDEX: VideoIndex = {
  stream: 0,
  codec: 'h264',
  container: 'mp4',
  extradata: Buffer.of(1),
  colours: {},
  width: 2,
  height: 2,
  turn: '',
  timeBase: [1, 25],
  seeksEarly: false,
  duration: 1,
  pts: Float64Array.of(0),
  keys: Float64Array.of(0),
  seekable: true,
  packets: { pts: Float64Array.of(0), positions: Float64Array.of(0), sizes: Float64Array.of(8) },
};

let folder: string;
const path = (): string => join(folder, 'a.mp4');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-frames-'));
  await writeFile(path(), 'a packet');
});

afterEach(() => rm(folder, { recursive: true }));

function givenSource(): FrameSource {
  const video = { path: path(), name: 'a.mp4', index: INDEX };
  const source = frameSource(videoTools(join(folder, 'ffmpeg')), video, 0, INDEX);
  if (source === undefined) throw new Error('the packets can be taken out');
  return source;
}

it('a program that fails is heard of by the one who takes it, and by nobody else', async () => {
  const programs = new FramePrograms();
  const source = givenSource();
  // The first one is started for its frame, the second one has been waiting.
  await expect(programs.decode(source)).rejects.toThrow(MediaError);
  await expect(programs.decode(source)).rejects.toThrow(MediaError);
  await programs.stop();
});

it('where no file can be made for the pixels, the frame has to be found in another way', async () => {
  const programs = new FramePrograms({ folder: join(folder, 'missing') });
  expect(await programs.decode(givenSource())).toBeUndefined();
  await programs.stop();
});

it('a program that has waited for too long is given to nobody while it ends', async () => {
  // Its error output stays open for a second, so it ends only then.
  const ffmpeg = ['#!/bin/sh', 'sleep 1 &', 'cat > /dev/null', 'printf 123456789012'].join('\n');
  await writeFile(join(folder, 'ffmpeg'), ffmpeg, { mode: 0o755 });
  const programs = new FramePrograms({ idleMs: 200 });
  const source = givenSource();
  const first = programs.decode(source);
  await setTimeout(500); // the next program has been started meanwhile, and told to end
  expect(await programs.decode(source)).toEqual(Buffer.from('123456789012'));
  expect(await first).toEqual(Buffer.from('123456789012'));
  await programs.stop();
});
