import { opendir } from 'node:fs/promises';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { CONFIG, type Config } from '../../config/config.js';
import { Forbidden, InvalidString } from '../../core/http/errors/errors.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import { MediaError } from '../../engines/media/media-error.js';
import { safeFolder, type SharedEntry, SharedFolder } from '../../engines/media/shared-folder.js';
import { mediaKind } from '../../shared/media-kind.js';
import type { Actor } from '../../shared/policy/actor.js';
import { mayReadShare } from '../../shared/policy/share.policy.js';

/** The shared folder of this server, if it has one. */
@Injectable()
export class ShareFiles implements OnModuleInit {
  private readonly shared: SharedFolder | null;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.shared = config.shareDir === '' ? null : new SharedFolder(config.shareDir);
  }

  /** Only logs a folder that cannot be read: a network disk may be mounted later. */
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

  /** @throws MediaError if there is none */
  folder(): SharedFolder {
    if (this.shared === null) throw new MediaError('ValueError: There is no shared folder on this server');
    return this.shared;
  }
}

export class FileInfoDto {
  @ApiProperty({ maxLength: 1024 }) name!: string;
  @ApiProperty({ enum: ['REG', 'DIR'] }) type!: string;
  @ApiProperty({ maxLength: 255, enum: ['image', 'video', 'archive', 'pdf', 'DIR', 'unknown'] }) mime_type!: string;
}

/** Lists the shared folder. */
@Injectable()
export class ShareService {
  constructor(private readonly share: ShareFiles) {}

  /**
   * Lists the files and folders directly in a folder whose names start with `search`.
   * @throws Forbidden, InvalidString for a path that is not a folder in the share
   */
  async list(actor: Actor, directory: string, search: string): Promise<FileInfoDto[]> {
    if (!mayReadShare(actor)) throw new Forbidden();
    const entries = await this.entries(directory);
    return entries.filter(({ name }) => name.startsWith(search)).map(toFileInfo);
  }

  private async entries(directory: string): Promise<SharedEntry[]> {
    try {
      // Without a shared folder, clients see an empty one.
      if (!this.share.isThere && safeFolder(directory) === '') return [];
      return await this.share.folder().list(directory);
    } catch (error) {
      if (error instanceof MediaError) throw new InvalidString(`${directory} is an invalid directory`);
      throw error;
    }
  }
}

/** Converts an entry to the form used in lists of files. */
export function toFileInfo({ name, isFolder }: SharedEntry): FileInfoDto {
  return isFolder
    ? { name, type: 'DIR', mime_type: 'DIR' }
    : { name, type: 'REG', mime_type: MIME_TYPES[mediaKind(name)] ?? 'unknown' };
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  image: 'image',
  video: 'video',
  archive: 'archive',
  zip: 'archive',
  pdf: 'pdf',
};
