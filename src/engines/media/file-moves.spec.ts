import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { moveFiles } from './file-moves.js';

describe('moveFiles', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-moves-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const moveOf = (name: string) => ({
    name,
    file: join(folder, `sent ${name}`.replaceAll('/', '-')),
    target: join(folder, 'raw', name),
  });
  const sent = async (...names: string[]) => {
    for (const name of names) await writeFile(moveOf(name).file, name);
    return names.map(moveOf);
  };

  it('moves files and creates their parent folders', async () => {
    const files = await sent('a.jpg', 'b/c/d.jpg', 'b/c/e.jpg');
    moveFiles(files);
    for (const { name, file, target } of files) {
      expect(await readFile(target, 'utf8')).toBe(name);
      await expect(stat(file)).rejects.toThrow('ENOENT');
    }
  });

  it('accepts files that an earlier attempt has moved', async () => {
    const files = await sent('a.jpg', 'b.jpg');
    moveFiles(files.slice(0, 1));
    moveFiles(files);
    expect(await readFile(join(folder, 'raw', 'a.jpg'), 'utf8')).toBe('a.jpg');
  });

  it('names a missing file', () => {
    expect(() => moveFiles([moveOf('gone.jpg')])).toThrow(/No such file or directory: 'gone.jpg'/);
  });

  it('names a file whose folder is a file', async () => {
    const files = await sent('a.jpg', 'a.jpg/b.jpg');
    expect(() => moveFiles(files)).toThrow("The folder of 'a.jpg/b.jpg' has the name of another file");
  });
});
