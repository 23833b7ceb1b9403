import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import { MediaError, missingFile, quoted } from '../../../engines/media/media-error.js';
import { CloudBuckets } from '../../cloudstorages/index.js';
import { FramesAhead } from '../frames-ahead.js';
import type { MediaDataRow } from '../media-data.repository.js';
import { inWords, MediaFolders } from '../media-files.js';
import { MediaUploadRepository, type UploadRow } from '../upload/media-upload.repository.js';
import type { CreationParameters } from '../upload/task-data.service.js';
import type { RequestContext } from '../../requests/index.js';
import { ShareFiles } from '../../share/index.js';
import { cloudFiles, type FileChoice, sharedFiles } from './stored-files.js';
import { RemoteFiles } from './remote-files.js';
import type { SourceFile, Sources } from './source-files.js';

type CreatedData = Pick<MediaDataRow, 'id' | 'sorting_method'>;

/** Lists files in cloud storages that a task is created from. */
@Injectable()
export class CloudSources {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly db: Db,
    private readonly clouds: CloudBuckets,
    private readonly folders: MediaFolders,
  ) {}

  /** @throws MediaError */
  async files(
    parameters: CreationParameters,
    signal: AbortSignal,
    { dataId, isPredefined }: { readonly dataId: number; readonly isPredefined: boolean },
  ): Promise<SourceFile[]> {
    const { cloud_storage_id: id = null } = parameters;
    const opened = await inWords(() => this.clouds.find(this.db, id));
    return cloudFiles(opened, choiceOf(parameters), {
      incoming: (name) => this.folders.incoming(dataId, name),
      maxBytes: this.config.limits.uploadBytes,
      signal,
      isPredefined,
    });
  }
}

/** Collects all files that a task is created from. */
@Injectable()
export class CreationSources {
  constructor(
    private readonly db: Db,
    private readonly clouds: CloudSources,
    private readonly uploads: MediaUploadRepository,
    private readonly folders: MediaFolders,
    private readonly share: ShareFiles,
    private readonly remote: RemoteFiles,
    private readonly ahead: FramesAhead,
  ) {}

  /** @throws MediaError */
  async of(request: RequestContext, { id: dataId, sorting_method: sorting }: CreatedData): Promise<Sources> {
    const parameters = request.parameters as CreationParameters;
    const uploaded = uploadedFiles(await this.uploads.ofData(this.db, dataId), this.folders);
    const isCloud = parameters.cloud_storage_id != null;
    const elsewhere = isCloud
      ? await this.clouds.files(parameters, request.signal, { dataId, isPredefined: sorting === 'predefined' })
      : await this.shared(parameters, request.signal);
    const fetched = await this.remote.fetch(request, dataId, parameters.remote_files);
    // Frames of one task are stored in one place: if some files are uploaded or downloaded, all others are copied too.
    const alone = uploaded.length + fetched.length === 0;
    const stays = elsewhere.length > 0 && parameters.copy_data !== true && alone;
    return {
      files: byName([...uploaded, ...elsewhere, ...fetched]),
      storage: !stays ? 'local' : isCloud ? 'cloud_storage' : 'share',
      move: (files) => this.ahead.move(files),
    };
  }

  /** Removes what was downloaded, once it is part of the task. */
  removeIncoming(dataId: number): Promise<void> {
    return this.folders.removeIncoming(dataId);
  }

  private async shared(parameters: CreationParameters, signal: AbortSignal): Promise<SourceFile[]> {
    const choice = choiceOf(parameters);
    return choice.files.length === 0 ? [] : sharedFiles(this.share.folder(), choice, signal);
  }
}

const choiceOf = (parameters: CreationParameters): FileChoice => ({
  files: parameters.server_files ?? [],
  exclude: parameters.server_files_exclude ?? [],
  pattern: parameters.filename_pattern ?? '',
});

function byName(files: readonly SourceFile[]): Map<string, SourceFile> {
  const found = new Map<string, SourceFile>();
  for (const file of files) {
    if (found.has(file.name)) throw new MediaError(`ValueError: There are two files of the name ${quoted(file.name)}`);
    found.set(file.name, file);
  }
  return found;
}

/**
 * Lists the files that a client uploaded for a task, in upload order.
 * @throws MediaError for a file that was announced but not completed
 */
export function uploadedFiles(rows: readonly UploadRow[], folders: MediaFolders): SourceFile[] {
  const complete = rows.filter((row) => row.completed_date !== null);
  const names = new Set(complete.map(({ name }) => name));
  const missing = rows.find(({ name }) => !names.has(name));
  if (missing !== undefined) throw missingFile(missing.name);
  return complete.map(({ name, file_id: fileId }) => ({
    name,
    onDisk: () => Promise.resolve(folders.upload(fileId)),
  }));
}
