import { createSecretKey, type KeyObject } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { CONFIG, type Config } from '../../../config/config.js';
import { packageVersion } from '../../../config/version.js';
import { MediaStorage } from '../../../core/media-storage/media-storage.js';
import { RemoteAgents } from '../../../core/remote/remote-agents.js';
import { ServerSecret } from '../../../core/secret.js';
import { mapBounded } from '../../../engines/concurrency/concurrency.js';
import { isSystemFile, remoteName } from '../../../engines/media/file-name.js';
import { MediaError, missingFile, quoted } from '../../../engines/media/media-error.js';
import { download, DownloadError, displayUrl } from '../../../engines/sender/download.js';
import { openSecret, sealSecret } from '../../../engines/signature/secret-box.js';
import type { SourceFile, Sources } from './source-files.js';
import { isThere, choiceOf, CloudSources, sharedFiles } from './stored-files.js';
import { MediaFolders, uploadedKey } from '../media-files.js';
import type { RequestContext } from '../../requests/index.js';
import type { Tx } from '../../../core/database/tx.js';
import { Forbidden, Invalid } from '../../../core/http/errors/errors.js';
import { safeFolder } from '../../../engines/media/shared-folder.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { mayReadShare } from '../../../shared/policy/share.policy.js';
import { CloudStorageAccess } from '../../cloudstorages/index.js';
import { ShareFiles } from '../../share/index.js';
import type { DataParametersDto } from '../upload/data-parameters.js';
import { Db } from '../../../core/database/db.js';
import { FramesAhead } from '../frames-ahead.js';
import type { MediaDataRow } from '../media-data.repository.js';
import { MediaUploadRepository, type UploadRow } from '../upload/media-upload.repository.js';
import type { CreationParameters } from '../upload/task-data.service.js';

const FILES_AT_A_TIME = 4;

/**
 * Encrypts the URLs that a task is created from while they are stored in the database: they may contain passwords and
 * keys.
 */
@Injectable()
export class RemoteAddresses {
  private readonly sealingKey: KeyObject;

  constructor(secret: ServerSecret) {
    this.sealingKey = createSecretKey(secret.keyFor('addresses of remote files'));
  }

  /** @returns null for an empty list */
  seal(addresses: readonly string[]): string | null {
    return addresses.length === 0 ? null : sealSecret(JSON.stringify(addresses), this.sealingKey);
  }

  /** @throws SealedSecretError if the URLs were encrypted with another server secret */
  open(sealed: string | null | undefined): string[] {
    return sealed == null ? [] : (JSON.parse(openSecret(sealed, this.sealingKey)) as string[]);
  }
}

/** Downloads files from other servers by URL. */
@Injectable()
export class RemoteFiles {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly http: HttpService,
    private readonly agents: RemoteAgents,
    private readonly folders: MediaFolders,
    private readonly addresses: RemoteAddresses,
  ) {}

  /**
   * Downloads all files. Keeps those that an earlier attempt downloaded.
   * @param sealed the URLs as encrypted by `RemoteAddresses`
   * @throws MediaError that names the URL
   */
  async fetch(request: RequestContext, dataId: number, sealed: string | null | undefined): Promise<SourceFile[]> {
    const addresses = this.addresses.open(sealed);
    if (addresses.length === 0) return [];
    await mkdir(this.folders.incoming(dataId), { recursive: true });
    const parts = addresses.map(() => 0);
    return mapBounded(addresses, FILES_AT_A_TIME, async (address, at) => {
      const onProgress = (done: number): void => {
        parts[at] = done;
        request.setProgress((0.4 * parts.reduce((sum, part) => sum + part, 0)) / parts.length);
      };
      const file = await this.fetchOne(request, dataId, address, onProgress);
      onProgress(1);
      return file;
    });
  }

  private async fetchOne(
    request: RequestContext,
    dataId: number,
    address: string,
    onProgress: (done: number) => void,
  ): Promise<SourceFile> {
    const name = remoteName(address);
    if (name === null) throw new MediaError(`Cannot download ${displayUrl(address)}: it does not end with a file name`);
    const location = this.folders.incoming(dataId, name);
    if (!(await isThere(location)) && !(await isThere(this.folders.raw(dataId, name)))) {
      request.setMessage(`${name} is being downloaded..`);
      await this.download(address, location, request.signal, onProgress);
    }
    return { name, onDisk: () => Promise.resolve(location) };
  }

  private async download(
    address: string,
    location: string,
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ): Promise<void> {
    const { remote, limits } = this.config;
    try {
      await download(address, location, {
        http: this.http.axiosRef,
        agents: this.agents,
        limits: { idleMs: remote.timeoutMs, totalMs: remote.fileMs, bytes: limits.uploadBytes },
        userAgent: `Cairn/${packageVersion()}`,
        signal,
        onProgress,
      });
    } catch (error) {
      if (error instanceof DownloadError) throw new MediaError(error.message, { cause: error });
      throw error;
    }
  }
}

/** Checks who may create a task from files stored elsewhere, and which names such files may have. */
@Injectable()
export class SourceRules {
  constructor(
    private readonly share: ShareFiles,
    private readonly clouds: CloudStorageAccess,
    private readonly addresses: RemoteAddresses,
  ) {}

  /** Processing checks whether the files exist. @throws Forbidden, Invalid, InvalidList */
  async require(tx: Tx, actor: Actor, dto: DataParametersDto): Promise<void> {
    const { server_files: files = [], server_files_exclude: exclude = [] } = dto;
    if (dto.cloud_storage_id != null) {
      await this.clouds.require(tx, actor, dto.cloud_storage_id);
      requireInside('server_files', files);
    } else if (files.length > 0) {
      if (!mayReadShare(actor)) throw new Forbidden();
      if (!this.share.isThere) throw new Invalid({ server_files: ['There is no shared folder on this server.'] });
      requireInside('server_files', files);
    } else if (dto.filename_pattern) {
      throw new Invalid({ filename_pattern: ['The pattern requires a manifest in server_files.'] });
    }
    requireInside('server_files_exclude', exclude);
    requireAddresses(dto.remote_files ?? []);
  }

  /** The URLs of files on other servers, encrypted because they may contain passwords. */
  sealed(dto: DataParametersDto): string | null {
    return this.addresses.seal(dto.remote_files ?? []);
  }
}

/** Each URL must be one that can be downloaded, and give a unique file name. */
function requireAddresses(addresses: readonly string[]): void {
  const names = new Set<string>();
  for (const address of addresses) {
    const name = remoteName(address);
    const shown = displayUrl(address);
    if (name === null)
      throw new Invalid({ remote_files: [`${shown} is not an http or https URL that ends with a file name.`] });
    if (names.has(name)) throw new Invalid({ remote_files: [`${shown} ends with the same file name as another URL.`] });
    names.add(name);
  }
}

function requireInside(field: string, paths: readonly string[]): void {
  for (const path of paths) {
    try {
      safeFolder(path);
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      throw new Invalid({ [field]: [error.message] });
    }
  }
}

/** Files in a bucket that are downloaded concurrently. */
const DOWNLOADS_AT_A_TIME = 16;

/** The files that clients uploaded for a task. */
@Injectable()
export class UploadedFiles {
  private readonly downloads = pLimit(DOWNLOADS_AT_A_TIME);

  constructor(
    private readonly storage: MediaStorage,
    private readonly folders: MediaFolders,
  ) {}

  /**
   * Lists the files in upload order.
   * @throws MediaError for a file that was announced but not completed
   */
  files(rows: readonly UploadRow[], dataId: number): SourceFile[] {
    const complete = rows.filter((row) => row.completed_date !== null);
    const names = new Set(complete.map(({ name }) => name));
    const missing = rows.find(({ name }) => !names.has(name));
    if (missing !== undefined) throw missingFile(missing.name);
    return complete.map(({ name, file_id: fileId }) => ({ name, onDisk: () => this.onDisk(dataId, fileId) }));
  }

  /**
   * A file in the data folder is moved to its task from there. One in a bucket stays until the task is saved, so that
   * another machine can continue after a crash.
   */
  private async onDisk(dataId: number, fileId: string): Promise<string> {
    const key = uploadedKey(fileId);
    const stored = await this.storage.inFolder(key);
    const isSameDisk = await this.storage.writesFolder();
    if (stored !== undefined && isSameDisk) return stored;
    const target = this.folders.incoming(dataId, fileId);
    if (!(await isThere(target))) await this.downloads(() => this.download(key, target));
    return target;
  }

  /** A file that is missing may be part of the task already; moving it checks that. */
  private async download(key: string, target: string): Promise<void> {
    await mkdir(dirname(target), { recursive: true });
    await this.storage.download(key, target);
  }
}

/** Collects all files that a task is created from. */
@Injectable()
export class CreationSources {
  constructor(
    private readonly db: Db,
    private readonly clouds: CloudSources,
    private readonly uploads: MediaUploadRepository,
    private readonly uploaded: UploadedFiles,
    private readonly share: ShareFiles,
    private readonly remote: RemoteFiles,
    private readonly ahead: FramesAhead,
  ) {}

  /** @throws MediaError */
  async of(request: RequestContext, { id: dataId, sorting_method: sorting }: MediaDataRow): Promise<Sources> {
    const parameters = request.parameters as CreationParameters;
    const uploaded = userFiles(this.uploaded.files(await this.uploads.ofData(this.db, dataId), dataId));
    const isCloud = parameters.cloud_storage_id != null;
    const listed = isCloud
      ? await this.clouds.files(parameters, request.signal, { dataId, isPredefined: sorting === 'predefined' })
      : await this.shared(parameters, request.signal);
    const elsewhere = userFiles(listed);
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

  private async shared(parameters: CreationParameters, signal: AbortSignal): Promise<SourceFile[]> {
    const choice = choiceOf(parameters);
    return choice.files.length === 0 ? [] : sharedFiles(this.share.folder(), choice, signal);
  }
}

/** Without the files that operating systems add to folders, such as those that the user drops into the app. */
const userFiles = (files: readonly SourceFile[]): SourceFile[] => files.filter(({ name }) => !isSystemFile(name));

function byName(files: readonly SourceFile[]): Map<string, SourceFile> {
  const found = new Map<string, SourceFile>();
  for (const file of files) {
    if (found.has(file.name))
      throw new MediaError(`ValueError: There are two files with the name ${quoted(file.name)}`);
    found.set(file.name, file);
  }
  return found;
}
