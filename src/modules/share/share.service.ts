import { Inject, Injectable } from '@nestjs/common';
import { Forbidden, InvalidString } from '../../core/http/errors.js';
import { MediaError } from '../../engines/media/media-error.js';
import { mediaKind } from '../../shared/media-kind.js';
import { type SharedEntry, safeFolder } from '../../engines/media/shared-folder.js';
import type { Actor } from '../../shared/policy/actor.js';
import { mayReadShare } from '../../shared/policy/share.policy.js';
import type { FileInfoDto } from './share.dto.js';
import { ShareFiles } from './share-files.js';

/** What lies in the shared folder. */
@Injectable()
export class ShareService {
  constructor(@Inject(ShareFiles) private readonly share: ShareFiles) {}

  /**
   * The files and folders directly in a folder whose names begin with `search`.
   * @throws Forbidden, InvalidString for what is no folder of the share
   */
  async list(actor: Actor, directory: string, search: string): Promise<FileInfoDto[]> {
    if (!mayReadShare(actor)) throw new Forbidden();
    const entries = await this.entries(directory);
    return entries.filter(({ name }) => name.startsWith(search)).map(toFileInfo);
  }

  private async entries(directory: string): Promise<SharedEntry[]> {
    try {
      // Without a shared folder there is an empty one, as clients show it.
      if (!this.share.isThere && safeFolder(directory) === '') return [];
      return await this.share.folder().list(directory);
    } catch (error) {
      if (error instanceof MediaError) throw new InvalidString(`${directory} is an invalid directory`);
      throw error;
    }
  }
}

/** How lists of files call the kind of one. */
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
