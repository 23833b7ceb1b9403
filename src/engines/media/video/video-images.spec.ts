import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { describeWithFfmpeg, numberIn, writeNumberedVideo } from '../../../../test/support/videos.js';
import { sharp } from '../libvips.js';
import { videoTools } from './ffmpeg.js';
import { videoImages } from './video-images.js';
import { indexVideo } from './video-indexer.js';

describeWithFfmpeg('videoImages', () => {
  it('yields images in order across batches, with any frames omitted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-video-'));
    try {
      const tools = videoTools('ffmpeg');
      const path = join(folder, 'a.mp4');
      writeNumberedVideo(path, { frames: 600 });
      const video = { path, name: 'a.mp4', index: await indexVideo(tools, path, { name: 'a.mp4' }) };
      const frames = Array.from({ length: 600 }, (_, frame) => frame).filter((frame) => frame % 7 !== 3);
      const found: number[] = [];
      for await (const image of videoImages(tools, video, frames)) {
        const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
        found.push(numberIn(data, info.width, info.height, info.channels));
      }
      expect(found).toEqual(frames);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
