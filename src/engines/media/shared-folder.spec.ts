import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MediaError } from './media-error.js';
import { inFolder, SharedFolder, type SharedFiles } from './shared-folder.js';

describe('SharedFolder', () => {
  let base: string;
  let shared: SharedFolder;
  const never = new AbortController().signal;

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'cairn-share-'));
    await mkdir(join(base, 'share', 'b', 'deep'), { recursive: true });
    await mkdir(join(base, 'share', 'a'));
    await mkdir(join(base, 'share-beside'));
    for (const file of ['share/z.png', 'share/b/2.png', 'share/b/deep/1.png', 'share/a/x.png', 'share-beside/no.png'])
      await writeFile(join(base, file), file);
    await symlink(join(base, 'share-beside'), join(base, 'share', 'out'));
    await symlink(join(base, 'share-beside', 'no.png'), join(base, 'share', 'b', 'out.png'));
    await symlink('../../share-beside', join(base, 'share', 'b', 'relative'));
    await symlink('../z.png', join(base, 'share', 'b', 'in.png'));
    await symlink('../a', join(base, 'share', 'b', 'linked'));
    await symlink('nowhere', join(base, 'share', 'b', 'broken.png'));
    await symlink('.', join(base, 'share', 'a', 'loop'));
    shared = new SharedFolder(join(base, 'share'));
  });
  afterAll(() => rm(base, { recursive: true }));

  const all = async (most: number, signal = never): Promise<SharedFiles[]> => {
    const found: SharedFiles[] = [];
    for await (const files of shared.files('', most, signal)) found.push(files);
    return found;
  };

  const names = async (folder: string): Promise<string[]> =>
    (await shared.list(folder)).map(({ name, isFolder }) => name + (isFolder ? '/' : ''));

  it('lists folders first, without broken links and links to the outside', async () => {
    expect(await names('')).toEqual(['a/', 'b/', 'z.png']);
    expect(await names('b')).toEqual(['deep/', 'linked/', '2.png', 'in.png']);
    expect(await names('/b/deep/')).toEqual(['1.png']);
    expect(await names('./b/.')).toEqual(await names('b'));
  });

  it('iterates without following linked folders in circles', async () => {
    const paths = (await all(100)).flatMap(({ path, names }) => names.map((name) => inFolder(path, name)));
    expect(paths).toEqual(['z.png', 'a/x.png', 'b/2.png', 'b/in.png', 'b/deep/1.png']);
    await expect(all(3)).rejects.toThrow('more than 3 files');
    await expect(all(100, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  });

  it('returns files that are links within the folder', async () => {
    expect(await shared.file('b/in.png')).toBe(join(base, 'share', 'z.png'));
    expect(await shared.file('b/linked/x.png')).toBe(join(base, 'share', 'a', 'x.png'));
  });

  it.each([
    '..', '../share-beside/no.png', 'a/../../share-beside/no.png', 'out', 'out/no.png', 'b/out.png', 'b/relative/no.png',
    'b/broken.png', 'nowhere.png', 'z.png/more', 'C:\\x.png', 'a\0b', `${'x'.repeat(300)}.png`, 'b\\..\\..\\share-beside',
  ])('rejects %j', async (path) => {
    await expect(shared.file(path)).rejects.toThrow(MediaError);
    await expect(shared.list(path)).rejects.toThrow(MediaError);
  }); // prettier-ignore

  it('does not accept a folder as a file', async () => {
    await expect(shared.file('b')).rejects.toThrow("ValueError: 'b' is not a file");
    await expect(shared.list('z.png')).rejects.toThrow(MediaError);
  });
});
