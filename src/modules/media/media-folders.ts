import { madeFolder } from '../../core/made-folder.js';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';

/** From this number of files on, reading the whole folder costs less than checking for each file. */
const MANY = 16;

/**
 * Locations of media below the data folder:
 * - `uploads/<file id>`: files that clients uploaded, until their task is created
 * - `media/<data id>/raw/<path>`: the frames of a task, by name
 * - `media/<data id>/manifest.jsonl`: the list of frames
 * - `media/<data id>/incoming`: downloads in progress
 * - `media/<data id>/video.index`: the positions of the frames in a video
 * - `cache/chunks`: everything that can be derived again from these
 */
@Injectable()
export class MediaFolders implements OnModuleInit {
  readonly uploads: string;
  readonly media: string;
  readonly chunks: string;

  constructor(@Inject(CONFIG) config: Config) {
    this.uploads = join(config.dataDir, 'uploads');
    this.media = join(config.dataDir, 'media');
    this.chunks = join(config.dataDir, 'cache', 'chunks');
  }

  async onModuleInit(): Promise<void> {
    await this.makeUploads();
    await madeFolder(this.media);
  }

  /** @returns the folder of uploads, after creating it */
  makeUploads(): Promise<string> {
    return madeFolder(this.uploads);
  }

  upload(fileId: string): string {
    return join(this.uploads, fileId);
  }

  data(dataId: number): string {
    return join(this.media, String(dataId));
  }

  /** @param path as returned by `safeMediaPath` */
  raw(dataId: number, path = ''): string {
    return join(this.data(dataId), 'raw', path);
  }

  /** Files downloaded from other places that are not part of the task yet. */
  incoming(dataId: number, name = ''): string {
    return join(this.data(dataId), 'incoming', name);
  }

  manifest(dataId: number): string {
    return join(this.data(dataId), 'manifest.jsonl');
  }

  async makeData(dataId: number): Promise<void> {
    await madeFolder(this.data(dataId));
  }

  async removeIncoming(dataId: number): Promise<void> {
    await rm(this.incoming(dataId), { recursive: true, force: true });
  }

  /** The index of frame positions in a video. */
  videoIndex(dataId: number): string {
    return join(this.data(dataId), 'video.index');
  }

  /** For many files, first lists the folder, to skip those that have already been moved to a task. */
  async removeUploads(fileIds: readonly string[]): Promise<void> {
    const there =
      fileIds.length < MANY ? fileIds : intersection(fileIds, await readdir(await madeFolder(this.uploads)));
    for (const fileId of there) await rm(this.upload(fileId), { force: true });
  }

  async removeData(dataId: number): Promise<void> {
    await rm(this.data(dataId), { recursive: true, force: true });
  }
}

function intersection(some: readonly string[], others: readonly string[]): string[] {
  const wanted = new Set(some);
  return others.filter((name) => wanted.has(name));
}
