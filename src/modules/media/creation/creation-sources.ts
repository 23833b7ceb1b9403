import { Inject, Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import { MediaError, quoted } from '../../../engines/media/media-error.js';
import type { RequestContext } from '../../requests/index.js';
import { ShareFiles } from '../../share/index.js';
import { MediaFolders } from '../media-folders.js';
import { RemoteFiles } from './remote-files.js';
import { MediaUploadRepository } from '../upload/media-upload.repository.js';
import type { CreationParameters } from '../upload/task-data.service.js';
import { sharedFiles } from './shared-files.js';
import type { SourceFile, Sources } from './source-files.js';
import { uploadedFiles } from './uploaded-files.js';

/** Finds all files that a task is to be made of. */
@Injectable()
export class CreationSources {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(MediaUploadRepository) private readonly uploads: MediaUploadRepository,
    @Inject(MediaFolders) private readonly folders: MediaFolders,
    @Inject(ShareFiles) private readonly share: ShareFiles,
    @Inject(RemoteFiles) private readonly remote: RemoteFiles,
  ) {}

  /** @throws MediaError */
  async of(request: RequestContext, dataId: number): Promise<Sources> {
    const parameters = request.parameters as CreationParameters;
    const uploaded = uploadedFiles(await this.uploads.ofData(this.db, dataId), this.folders);
    const shared = await this.shared(parameters, request.signal);
    const fetched = await this.remote.fetch(request, dataId, parameters.remote_files ?? []);
    // Frames of one task lie in one place: beside files from elsewhere, those of the share are copied.
    const alone = uploaded.length + fetched.length === 0;
    const stays = shared.length > 0 && parameters.copy_data !== true && alone;
    return { files: byName([...uploaded, ...shared, ...fetched]), storage: stays ? 'share' : 'local' };
  }

  private async shared(parameters: CreationParameters, signal: AbortSignal): Promise<SourceFile[]> {
    const files = parameters.server_files ?? [];
    if (files.length === 0) return [];
    const { server_files_exclude: exclude = [], filename_pattern: pattern = '' } = parameters;
    return sharedFiles(this.share.folder(), { files, exclude, pattern: pattern ?? '' }, signal);
  }
}

function byName(files: readonly SourceFile[]): Map<string, SourceFile> {
  const found = new Map<string, SourceFile>();
  for (const file of files) {
    if (found.has(file.name)) throw new MediaError(`ValueError: There are two files of the name ${quoted(file.name)}`);
    found.set(file.name, file);
  }
  return found;
}
