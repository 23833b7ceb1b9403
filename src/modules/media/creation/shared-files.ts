import { join, posix } from 'node:path';
import { readImageManifest } from '../../../engines/media/manifest.js';
import { mediaKind } from '../../../shared/media-kind.js';
import { namePattern } from '../../../engines/media/name-pattern.js';
import { inFolder, type SharedFolder, safeFolder } from '../../../engines/media/shared-folder.js';
import { copyInto, type SourceFile } from './source-files.js';

/** Which files of a place that holds more are meant. */
export interface FileChoice {
  /** Files and folders. */
  readonly files: readonly string[];
  /** Files and folders that are left out. */
  readonly exclude: readonly string[];
  /** Chooses among the names in the manifest; empty for none. */
  readonly pattern: string;
}

/** Files that one task may have from the shared folder. */
const MOST_FILES = 1_000_000;

/** One of a million, perhaps: it holds no functions of its own. */
class SharedFile implements SourceFile {
  constructor(
    readonly name: string,
    private readonly folder: SharedFolder,
    /** Of the folder that it was found in. */
    private readonly place: string | undefined,
  ) {}

  async onDisk(): Promise<string> {
    return this.place === undefined ? this.folder.file(this.name) : join(this.place, posix.basename(this.name));
  }

  async bring(target: string): Promise<void> {
    await copyInto(await this.onDisk(), target);
  }
}

/**
 * The chosen files of the shared folder, under their paths in it: of folders the images in and below them, of a
 * manifest with a pattern the images in it that fit.
 * @throws MediaError for what is not there, or outside
 */
export async function sharedFiles(
  folder: SharedFolder,
  choice: FileChoice,
  signal: AbortSignal,
): Promise<SourceFile[]> {
  const chosen = new Map<string, SourceFile>();
  const excluded = excluding(choice.exclude);
  const fits = namePattern(choice.pattern);
  const take = (name: string, place?: string): void => {
    if (!chosen.has(name) && !excluded(name)) chosen.set(name, new SharedFile(name, folder, place));
  };
  for (const path of choice.files) {
    signal.throwIfAborted();
    const name = safeFolder(path);
    if (await folder.isFolder(name)) {
      for await (const { path: inner, place, names } of folder.files(name, MOST_FILES, signal))
        for (const file of names) if (mediaKind(file) === 'image') take(inFolder(inner, file), place);
    } else {
      take(name);
      if (choice.pattern !== '' && mediaKind(name) === 'manifest')
        for await (const image of namesOf(await folder.file(name), name)) if (fits(image)) take(image);
    }
  }
  return [...chosen.values()];
}

/** Whether a file is left out: by its own name, or with one of its folders. */
export function excluding(paths: readonly string[]): (name: string) => boolean {
  const left = new Set(paths.map(safeFolder));
  return (name) => {
    for (let path = name; path !== '.'; path = posix.dirname(path)) if (left.has(path)) return true;
    return left.has('');
  };
}

/** The paths of a manifest's images: the manifest names them from where it lies. */
async function* namesOf(place: string, name: string): AsyncGenerator<string> {
  for await (const { path } of readImageManifest(place, name)) yield safeFolder(posix.join(posix.dirname(name), path));
}
