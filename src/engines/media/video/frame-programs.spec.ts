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

it('a program failure is reported to its caller only', async () => {
  const programs = new FramePrograms();
  const source = givenSource();
  // The first program is started for its frame, the second one was started in advance.
  await expect(programs.decode(source)).rejects.toThrow(MediaError);
  await expect(programs.decode(source)).rejects.toThrow(MediaError);
  await programs.stop();
});

it('returns undefined if no file can be created for the pixels', async () => {
  const programs = new FramePrograms({ folder: join(folder, 'missing') });
  expect(await programs.decode(givenSource())).toBeUndefined();
  await programs.stop();
});

it('a program that exceeded its idle time is not used while it exits', async () => {
  // Its error output stays open for a second, so it exits only then.
  const ffmpeg = ['#!/bin/sh', 'sleep 1 &', 'cat > /dev/null', 'printf 123456789012'].join('\n');
  await writeFile(join(folder, 'ffmpeg'), ffmpeg, { mode: 0o755 });
  const programs = new FramePrograms({ idleMs: 200 });
  const source = givenSource();
  const first = programs.decode(source);
  await setTimeout(500); // by now the next program has been started and asked to exit
  expect(await programs.decode(source)).toEqual(Buffer.from('123456789012'));
  expect(await first).toEqual(Buffer.from('123456789012'));
  await programs.stop();
});
