import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MemoryFiles } from '../../../../test/support/datasets.js';
import { archiveOf, type ReadableExport, readableExports } from '../../../../test/support/format-archives.js';
import { ArchiveAccount } from './archive-account.js';
import { FormatError } from './format.js';
import { ImportNotes, type Skipped } from './import-notes.js';
import { importFormats } from './registry.js';

type Files = Readonly<Record<string, Buffer>>;

interface Outcome {
  readonly error: string | null;
  readonly annotations: number;
  readonly skipped: readonly Skipped[];
}

/** Imports an archive into a task that has annotations. */
async function outcomeOf(format: ReadableExport, files: Files): Promise<Outcome> {
  const { target } = await archiveOf(format);
  const { importer } = format;
  const notes = new ImportNotes(false);
  const account = new ArchiveAccount(importer, MemoryFiles.of(files), notes, 'https://cairn.test/help/formats');
  let error: string | null = null;
  try {
    for await (const _ of account.read(target));
    account.close({ replaced: 1, withImages: false });
  } catch (thrown) {
    if (!(thrown instanceof FormatError)) throw thrown;
    error = thrown.message;
  }
  const { tags, shapes, tracks } = notes.imported;
  return {
    error,
    annotations: tags + shapes + tracks,
    skipped: notes.skipped.filter(({ kind }) => kind !== 'attribute'),
  };
}

const isBinary = (content: Buffer): boolean => content.includes(0) || content.subarray(1, 4).toString() === 'PNG';

const renamed = (files: Files, rename: (path: string) => string): Files =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [rename(path), content]));

const changed = (files: Files, change: (content: Buffer) => Buffer): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path, isBinary(content) ? content : change(content)]),
  );

/** What may have happened to an archive on its way. */
const TREATMENTS: Readonly<Record<string, (files: Files) => Files>> = {
  'all files in the root': (files) => renamed(files, posix.basename),
  'all files in another folder': (files) => renamed(files, (path) => `some/other/place/here/${posix.basename(path)}`),
  'folders with other names': (files) => renamed(files, (path) => path.replaceAll(/[^/]+(?=\/)/g, 'x$&')),
  'one more folder': (files) => renamed(files, (path) => `dataset/${path}`),
  'another extension': (files) => renamed(files, (path) => path.replace(/\.[^./]+$/, '.dat')),
  'extensions in capitals': (files) => renamed(files, (path) => path.replace(/\.[^./]+$/, (end) => end.toUpperCase())),
  'no extension': (files) => renamed(files, (path) => path.replace(/\.[^./]+$/, '')),
  'empty texts': (files) => changed(files, () => Buffer.alloc(0)),
  'blank texts': (files) => changed(files, () => Buffer.from('\n \n')),
  'empty files': (files) => Object.fromEntries(Object.keys(files).map((path) => [path, Buffer.alloc(0)])),
};

const UNRELATED: Readonly<Record<string, Files>> = {
  'an empty archive': {},
  'a readme': { 'README.md': Buffer.from('# Data') },
  'photographs only': { 'a.jpg': Buffer.from('JPEG'), 'images/b.jpg': Buffer.from('JPEG') },
  'an empty file': { 'a.json': Buffer.alloc(0) },
  'other data': {
    'table.csv': Buffer.from('a,b\n1,2\n'),
    'model.onnx': Buffer.from('onnx'),
    'a/b.toml': Buffer.from('a = 1'),
  },
  'a text': { 'incorrect_file1.txt': Buffer.from('Some text'), 'incorrect_file2.txt': Buffer.from('Some text') },
};

/** Files that may hold annotations, and none of which is a part of an export. */
const EXTRA: Files = {
  'extra/more_annotations.json': Buffer.from('{"objects": [{"label": "car", "box": [1, 2, 3, 4]}]}'),
  'more.csv': Buffer.from('image,label\na.jpg,car\n'),
  'labels_v2/a.tsv': Buffer.from('a\tcar\n'),
};

const filesOf = async (format: ReadableExport): Promise<Files> =>
  Object.fromEntries((await archiveOf(format)).files.files);

describe('the page about formats', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/format-files.md'), 'utf8');

  it.each(importFormats.names)('has a section about %s', (name) => {
    expect(page).toContain(`\n## ${name}\n`);
  });
});

describe.each(readableExports)('the account of an archive of $name', (format) => {
  it('is complete for an export', async () => {
    const { error, annotations, skipped } = await outcomeOf(format, await filesOf(format));
    expect({ error, isEmpty: annotations === 0, skipped }).toEqual({ error: null, isEmpty: false, skipped: [] });
  });

  it.each(Object.keys(TREATMENTS))('loses nothing silently with %s', async (treatment) => {
    const files = await filesOf(format);
    const { annotations: all } = await outcomeOf(format, files);
    const { error, annotations, skipped } = await outcomeOf(format, TREATMENTS[treatment]?.(files) ?? {});
    const isReported = annotations > 0 && skipped.length > 0;
    expect(error !== null || annotations === all || isReported).toBe(true);
  });

  it('reads texts with a byte order mark', async () => {
    const files = await filesOf(format);
    const mark = Buffer.from('\uFEFF');
    const marked = await outcomeOf(
      format,
      changed(files, (content) => Buffer.concat([mark, content])),
    );
    expect(marked).toEqual(await outcomeOf(format, files));
  });

  it.each(Object.keys(UNRELATED))('has nothing to import in %s', async (files) => {
    const { error } = await outcomeOf(format, UNRELATED[files] ?? {});
    expect(error).not.toBeNull();
  });

  it.each(Object.keys(EXTRA))('names the unknown file %s', async (path) => {
    const files = { ...(await filesOf(format)), [path]: EXTRA[path] ?? Buffer.alloc(0) };
    const { error, skipped } = await outcomeOf(format, files);
    expect(error ?? skipped.map(({ name }) => name).join()).toContain(path);
  });

  it('does not report files that are part of no dataset', async () => {
    const files = ['README.txt', 'LICENSE', '.gitignore', 'a/._b.txt', 'Thumbs.db', 'a/__MACOSX/x.xml', 'convert.py'];
    const more = Object.fromEntries(files.map((path) => [path, Buffer.from('text')]));
    expect(await outcomeOf(format, { ...(await filesOf(format)), ...more })).toMatchObject({
      error: null,
      skipped: [],
    });
  });
});
