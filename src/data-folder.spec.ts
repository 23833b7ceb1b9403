import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { requireDataFolder } from './data-folder.js';

describe('the data folder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-data-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is created with its parents, and found if it exists', async () => {
    const wanted = join(folder, 'a', 'b');
    await requireDataFolder(wanted);
    await requireDataFolder(wanted);
    expect((await stat(wanted)).isDirectory()).toBe(true);
  });

  it('closes to other users what an older version left open', async () => {
    await mkdir(join(folder, 'media'));
    await chmod(join(folder, 'media'), 0o755);
    await requireDataFolder(folder);
    expect((await stat(join(folder, 'media'))).mode & 0o777).toBe(0o700);
  });

  it.each(['file', 'file/below'])('is refused by name where there is a file: %s', async (name) => {
    await writeFile(join(folder, 'file'), '');
    await expect(requireDataFolder(join(folder, name))).rejects.toThrow(
      `The data folder ${join(folder, name)} cannot be written to`,
    );
  });

  it('is refused where a folder can hold nothing', async () => {
    await expect(requireDataFolder('/proc/cairn')).rejects.toThrow('The data folder /proc/cairn cannot be written to');
  });
});
