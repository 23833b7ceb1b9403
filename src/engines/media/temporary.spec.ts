import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { removeAbandoned, temporaryPath } from './temporary.js';

it('removes abandoned files and folders, but neither recent nor foreign ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-temporary-'));
  const [oldFile, oldFolder, young] = [temporaryPath(folder), temporaryPath(folder), temporaryPath(folder)];
  const other = join(folder, 'of-others');
  for (const path of [oldFile, young, other]) await writeFile(path, 'x');
  await mkdir(oldFolder);
  await writeFile(join(oldFolder, 'chunk.mp4'), 'x');
  const now = Date.now();
  const longAgo = new Date(now - 7_200_000);
  for (const path of [oldFile, oldFolder, other]) await utimes(path, longAgo, longAgo);
  await removeAbandoned(new Date(now - 3_600_000), folder);
  expect((await readdir(folder)).sort()).toEqual([basename(young), 'of-others'].sort());
  await rm(folder, { recursive: true });
});
