import { join, posix } from 'node:path';
import { readImageManifest } from '../../../engines/media/manifest.js';
import { mediaKind } from '../../../shared/media-kind.js';
import { namePattern } from '../../../engines/media/name-pattern.js';
import { inFolder, type SharedFolder, safeFolder } from '../../../engines/media/shared-folder.js';
import { copyInto, type SourceFile } from './source-files.js';

/** Selects files in a folder or bucket. */
export interface FileChoice {
  /** Files and folders. */
  readonly files: readonly string[];
  /** Files and folders to exclude. */
  readonly exclude: readonly string[];
  /** Filters the names in the manifest; empty for no filter. */
  readonly pattern: string;
}

/** Maximum number of files that one task may take from the shared folder. */
const MOST_FILES = 1_000_000;

/** A class, because there may be a million instances: closures per file would take more memory. */
class SharedFile implements SourceFile {
  constructor(
    readonly name: string,
    private readonly folder: SharedFolder,
    /** The folder in which the file was found. */
    private readonly location: string | undefined,
  ) {}

  async onDisk(): Promise<string> {
    return this.location === undefined ? this.folder.file(this.name) : join(this.location, posix.basename(this.name));
  }

  async copyTo(target: string): Promise<void> {
    await copyInto(await this.onDisk(), target);
  }
}

/**
 * Lists the selected files of the shared folder by path: for a folder, the images in and below it; for a manifest with
 * a pattern, its matching images.
 * @throws MediaError for a file that is missing or outside the shared folder
 */
export async function sharedFiles(
  folder: SharedFolder,
  choice: FileChoice,
  signal: AbortSignal,
): Promise<SourceFile[]> {
  const chosen = new Map<string, SourceFile>();
  const excluded = excluding(choice.exclude);
  const fits = namePattern(choice.pattern);
  const take = (name: string, location?: string): void => {
    if (!chosen.has(name) && !excluded(name)) chosen.set(name, new SharedFile(name, folder, location));
  };
  for (const path of choice.files) {
    signal.throwIfAborted();
    const name = safeFolder(path);
    if (await folder.isFolder(name)) {
      for await (const { path: inner, location, names } of folder.files(name, MOST_FILES, signal))
        for (const file of names) if (mediaKind(file) === 'image') take(inFolder(inner, file), location);
    } else {
      take(name);
      if (choice.pattern !== '' && mediaKind(name) === 'manifest')
        for await (const image of namesOf(await folder.file(name), name)) if (fits(image)) take(image);
    }
  }
  return [...chosen.values()];
}

/** Tests whether a file is excluded, by its own name or by one of its parent folders. */
export function excluding(paths: readonly string[]): (name: string) => boolean {
  const left = new Set(paths.map(safeFolder));
  return (name) => {
    for (let path = name; path !== '.'; path = posix.dirname(path)) if (left.has(path)) return true;
    return left.has('');
  };
}

/** Yields the paths of a manifest's images, which the manifest gives relative to its own folder. */
async function* namesOf(location: string, name: string): AsyncGenerator<string> {
  for await (const { path } of readImageManifest(location, name))
    yield safeFolder(posix.join(posix.dirname(name), path));
}
