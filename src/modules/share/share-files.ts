import { opendir } from 'node:fs/promises';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { MediaError } from '../../engines/media/media-error.js';
import { SharedFolder } from '../../engines/media/shared-folder.js';

/** The shared folder of this server, when there is one. */
@Injectable()
export class ShareFiles implements OnModuleInit {
  private readonly shared: SharedFolder | null;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.shared = config.shareDir === '' ? null : new SharedFolder(config.shareDir);
  }

  /** A folder that cannot be read is told and no more: a network disk may come later. */
  async onModuleInit(): Promise<void> {
    if (this.shared === null) return;
    try {
      const folder = await opendir(this.config.shareDir);
      await folder.close();
    } catch (error) {
      this.log.warn({ err: error }, 'the folder of SHARE_DIR cannot be read');
    }
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
