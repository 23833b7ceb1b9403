import { access, mkdir } from 'node:fs/promises';
import { dirname, posix, join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import type { ImageLimits } from '../../../engines/media/image-source.js';
import { probeImage } from '../../../engines/media/image-probe.js';
import { readImageManifest } from '../../../engines/media/manifest.js';
import { isSystemFile } from '../../../engines/media/file-name.js';
import { MediaError, quoted } from '../../../engines/media/media-error.js';
import { isPointCloud, mediaKind, type MediaKind } from '../../../shared/media-kind.js';
import { probePointCloud } from '../../../engines/media/point-cloud.js';
import { namePattern } from '../../../engines/media/name-pattern.js';
import { safeFolder, inFolder, type SharedFolder } from '../../../engines/media/shared-folder.js';
import { CloudBuckets, type OpenBucket } from '../../cloudstorages/index.js';
import { inWords, MediaFolders } from '../media-files.js';
import type { CreationParameters } from '../upload/task-data.service.js';
import type { FrameSize } from '../../../engines/media/image-job.js';
import { type SourceFile, copyInto } from './source-files.js';

/** Selects files in a folder or bucket. */
export interface FileChoice {
  /** Files and folders. */
  readonly files: readonly string[];
  /** Files and folders to exclude. */
  readonly exclude: readonly string[];
  /** Filters the names in the manifest; empty for no filter. */
  readonly pattern: string;
}

export const choiceOf = (parameters: CreationParameters): FileChoice => ({
  files: parameters.server_files ?? [],
  exclude: parameters.server_files_exclude ?? [],
  pattern: parameters.filename_pattern ?? '',
});

/** Maximum number of files that one task may take from the shared folder or a cloud storage. */
const MAX_FILES = 1_000_000;

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
      for await (const { path: inner, location, names } of folder.files(name, MAX_FILES, signal))
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
function excluding(paths: readonly string[]): (name: string) => boolean {
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

interface CloudOptions {
  /** Path for a file that cannot be used in place and must be downloaded. */
  readonly incoming: (name: string) => string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Predefined sorting: the images of a folder keep the order of the selected manifest, or of the one in the folder. */
  readonly isPredefined: boolean;
}

/** What a folder of a bucket is searched for. A mixture cannot become a task, which is an error, as in CVAT. */
const MEDIA: ReadonlySet<MediaKind> = new Set(['image', 'video', 'archive', 'zip', 'pdf']);

/** Number of bytes that contain the header of nearly every image; a few with large embedded previews need more. */
const HEAD_BYTES = 2 ** 18;

class CloudChoice {
  private readonly chosen = new Map<string, SourceFile>();
  private readonly sizes = new Map<string, FrameSize>();
  private readonly excluded: (name: string) => boolean;
  private readonly fits: (name: string) => boolean;
  private readonly manifests: readonly string[];

  constructor(
    private readonly opened: OpenBucket,
    private readonly choice: FileChoice,
    private readonly options: CloudOptions,
  ) {
    this.excluded = excluding(choice.exclude);
    this.fits = namePattern(choice.pattern);
    this.manifests = choice.files.filter((key) => mediaKind(key) === 'manifest');
  }

  async run(): Promise<SourceFile[]> {
    const { files, pattern } = this.choice;
    for (const key of files) {
      if (key === '/' || key.endsWith('/')) await this.takeFolder(key === '/' ? '' : key, () => true);
      else this.take(key);
    }
    for (const key of this.manifests) await this.readManifest(key);
    const isWanted = (key: string): boolean => mediaKind(key) === 'image' && this.fits(key);
    if (pattern !== '' && this.manifests.length === 0) await this.takeFolder(this.opened.prefix, isWanted);
    return [...this.chosen.values()];
  }

  private take(key: string): void {
    if (this.chosen.has(key) || this.excluded(key)) return;
    if (!key.startsWith(this.opened.prefix) || safeFolder(key) !== key)
      throw new MediaError(`ValueError: ${quoted(key)} of the cloud storage cannot be used`);
    if (this.chosen.size >= MAX_FILES) throw tooManyFiles();
    this.chosen.set(key, this.file(key));
  }

  private async takeFolder(prefix: string, wanted: (key: string) => boolean): Promise<void> {
    const { bucket, prefix: own } = this.opened;
    const manifests: string[] = [];
    const media: string[] = [];
    for await (const key of bucket.keys(prefix.startsWith(own) ? prefix : own, this.options.signal)) {
      if (!key.startsWith(prefix)) continue;
      if (mediaKind(key) === 'manifest') manifests.push(key);
      if (!MEDIA.has(mediaKind(key)) || isSystemFile(key) || !wanted(key)) continue;
      if (media.push(key) > MAX_FILES) throw tooManyFiles();
    }
    const manifest = this.manifests[0] ?? (manifests.length === 1 ? manifests[0] : undefined);
    if (this.options.isPredefined && manifest !== undefined) {
      const known = new Set(media);
      for await (const key of this.manifestKeys(manifest)) if (known.has(key)) this.take(key);
    }
    for (const key of media) this.take(key);
  }

  /** Yields the keys of a manifest's images and records their sizes. */
  private async *manifestKeys(manifest: string): AsyncGenerator<string> {
    const location = await this.file(manifest).onDisk();
    for await (const { path, width, height } of readImageManifest(location, manifest)) {
      const key = posix.join(posix.dirname(manifest), path);
      if (width !== undefined && height !== undefined) this.sizes.set(key, { width, height });
      yield key;
    }
  }

  private async readManifest(manifest: string): Promise<void> {
    for await (const key of this.manifestKeys(manifest))
      if (this.choice.pattern !== '' && this.fits(key)) this.take(key);
  }

  private file(key: string): SourceFile {
    const { signal, maxBytes, incoming } = this.options;
    const { bucket } = this.opened;
    const copyTo = (target: string): Promise<void> => inWords(() => bucket.download(key, target, maxBytes, signal));
    const onDisk = async (): Promise<string> => {
      const location = incoming(key);
      if (await isThere(location)) return location;
      await mkdir(dirname(location), { recursive: true });
      await copyTo(location);
      return location;
    };
    const info = async (limits: ImageLimits): Promise<FrameSize> => {
      if (isPointCloud(key)) return probePointCloud(await onDisk(), key);
      return this.sizes.get(key) ?? this.probe(key, limits);
    };
    return { name: key, copyTo, onDisk, info: (limits) => inWords(() => info(limits)) };
  }

  private async probe(key: string, limits: ImageLimits): Promise<FrameSize> {
    const { bucket } = this.opened;
    const most = this.options.maxBytes;
    const head = await bucket.read(key, { most, first: HEAD_BYTES });
    try {
      return await probeImage(head, key, limits);
    } catch (error) {
      if (!(error instanceof MediaError) || head.length < HEAD_BYTES) throw error;
      return probeImage(await bucket.read(key, { most }), key, limits);
    }
  }
}

/** Lists files in cloud storages that a task is created from. */
@Injectable()
export class CloudSources {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly db: Db,
    private readonly clouds: CloudBuckets,
    private readonly folders: MediaFolders,
  ) {}

  /**
   * Lists the selected files of a bucket by key. A key that ends with `/` selects the media in and below that folder. A
   * pattern selects the matching images of the named manifests, or of the whole bucket if no manifest is named. A
   * manifest also supplies the sizes of images.
   * @throws MediaError for a missing file
   */
  files(
    parameters: CreationParameters,
    signal: AbortSignal,
    { dataId, isPredefined }: { readonly dataId: number; readonly isPredefined: boolean },
  ): Promise<SourceFile[]> {
    const { cloud_storage_id: id = null } = parameters;
    return inWords(async () => {
      const options = {
        incoming: (name: string) => this.folders.incoming(dataId, name),
        maxBytes: this.config.limits.uploadBytes,
        signal,
        isPredefined,
      };
      return new CloudChoice(await this.clouds.find(this.db, id), choiceOf(parameters), options).run();
    });
  }
}

const tooManyFiles = (): MediaError => new MediaError(`ValueError: There are more than ${MAX_FILES} files`);

/** Whether a file exists. */
export const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
