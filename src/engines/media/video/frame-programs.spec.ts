import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { MediaError } from '../media-error.js';
import { videoTools } from './ffmpeg.js';
import { FramePrograms } from './frame-programs.js';
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

it('a program that fails is heard of by the one who takes it, and by nobody else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-frames-'));
  const path = join(folder, 'a.mp4');
  await writeFile(path, 'a packet');
  const programs = new FramePrograms();
  const source = frameSource(videoTools(join(folder, 'ffmpeg')), { path, name: 'a.mp4', index: INDEX }, 0, INDEX);
  if (source === undefined) throw new Error('the packets can be taken out');
  const decode = () => programs.decode(source);
  try {
    // The first one is started for its frame, the second one has been waiting.
    await expect(decode()).rejects.toThrow(MediaError);
    await expect(decode()).rejects.toThrow(MediaError);
  } finally {
    await programs.stop();
    await rm(folder, { recursive: true });
  }
});
