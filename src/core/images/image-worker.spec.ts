import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../config/env.js';
import { ImageWorker } from './image-worker.js';

const GREY_PIXELS = Buffer.from('P5 3 2 255\n\0\0\0\0\0\0', 'latin1');

describe('ImageWorker.probe', () => {
  const worker = new ImageWorker({ ...readConfig({}), imageProcess: false });
  const names = Array.from({ length: 300 }, (_, at) => `${at}.pgm`);
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-probes-'));
    for (const name of names) await writeFile(join(folder, name), GREY_PIXELS);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('probes many images in batches, and requests the path of an image only after earlier ones are done', async () => {
    let [asked, done, most] = [0, 0, 0];
    const locate = (name: string): string => {
      asked += 1;
      most = Math.max(most, asked - done);
      return join(folder, name);
    };
    const onProgress = (share: number): void => {
      done = Math.round(share * names.length);
    };
    const sizes = await worker.probe(names, locate, { whole: false, signal: new AbortController().signal, onProgress });
    expect(sizes).toEqual(names.map(() => ({ width: 3, height: 2 })));
    expect({ asked, done }).toEqual({ asked: 300, done: 300 });
    expect(most).toBeLessThanOrEqual(64);
  });
});
