import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { MediaError } from '../../engines/media/media-error.js';
import { SharedFolder } from '../../engines/media/shared-folder.js';

/** The shared folder of this server, when there is one. */
@Injectable()
export class ShareFiles {
  private readonly shared: SharedFolder | null;

  constructor(@Inject(CONFIG) config: Config) {
    this.shared = config.shareDir === '' ? null : new SharedFolder(config.shareDir);
  }

  get isThere(): boolean {
    return this.shared !== null;
  }

  /** @throws MediaError when there is none */
  folder(): SharedFolder {
    if (this.shared === null) throw new MediaError('ValueError: There is no shared folder on this server');
    return this.shared;
  }
}
