import { readFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { naming } from '../../engines/media/image-source.js';
import { ShareFiles } from '../share/index.js';
import { MediaFolders } from './media-folders.js';

/** Where the files of a task's data lie. */
export interface MediaPlace {
  readonly dataId: number;
  /** `local`: in the data folder; `share`: in the shared folder, under the paths that frames have. */
  readonly storage: string;
}

/** The frames and context images of tasks, wherever they lie. */
@Injectable()
export class MediaFiles {
  constructor(
    @Inject(MediaFolders) private readonly folders: MediaFolders,
    @Inject(ShareFiles) private readonly share: ShareFiles,
  ) {}

  /** The bytes of a frame or context image. @throws MediaError that names it */
  read(place: MediaPlace, path: string): Promise<Buffer> {
    return naming(path, async () => readFile(await this.onDisk(place, path)));
  }

  /** The place of a file on this machine's disk. @throws MediaError that names it */
  async onDisk(place: MediaPlace, path: string): Promise<string> {
    return place.storage === 'share' ? this.share.folder().file(path) : this.folders.raw(place.dataId, path);
  }
}
