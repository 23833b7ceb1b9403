import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probePointCloud } from './point-cloud.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-cloud-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function probe(width: number, data: string, bytes: number): Promise<number> {
  const header = `FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH ${width}\nHEIGHT 1\nPOINTS ${width}\n`;
  const path = join(folder, 'a.pcd');
  await writeFile(path, Buffer.concat([Buffer.from(`${header}DATA ${data}\n`), Buffer.alloc(bytes)]));
  return (await probePointCloud(path, 'a.pcd')).width;
}

describe('the size of a point cloud', () => {
  it.each<[string, number]>([
    ['binary', 1200],
    ['ascii', 599],
    ['binary_compressed', 22],
  ])('is read if the file can have so many points: %s', async (data, bytes) => {
    expect(await probe(100, data, bytes)).toBe(100);
  });

  it.each<[string, number]>([
    ['binary', 1199],
    ['ascii', 598],
    ['binary_compressed', 21],
  ])('is refused if the file is too short for so many points: %s', async (data, bytes) => {
    await expect(probe(100, data, bytes)).rejects.toThrow("'a.pcd' is not a point cloud: it ends early");
  });
});
