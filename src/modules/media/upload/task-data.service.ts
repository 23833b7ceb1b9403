import { Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import {
  InvalidList,
  InvalidString,
  NotFound,
  PlainError,
  Forbidden,
  Invalid,
} from '../../../core/http/errors/errors.js';
import type { SentFile } from '../../../core/http/body/multipart.js';
import { safeMediaPath, remoteName } from '../../../engines/media/file-name.js';
import { MediaError } from '../../../engines/media/media-error.js';
import { orderMismatch } from '../../../engines/media/sorting.js';
import { sql } from '../../../engines/sql/sql.js';
import { RemoteAddresses } from '../creation/remote-files.js';
import { MediaDataRepository } from '../media-data.repository.js';
import { MediaFolders } from '../media-files.js';
import { BackgroundRequests, requestIdOf } from '../../requests/index.js';
import { TaskService } from '../../tasks/index.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { safeFolder } from '../../../engines/media/shared-folder.js';
import { shownAddress } from '../../../engines/sender/download.js';
import { CloudStorageAccess } from '../../cloudstorages/index.js';
import { ShareFiles } from '../../share/index.js';
import { mayReadShare } from '../../../shared/policy/share.policy.js';
import type { DataParametersDto, ValidationParamsDto } from './data-parameters.js';
import { MediaUploadRepository } from './media-upload.repository.js';

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
    const shown = shownAddress(address);
    if (name === null)
      throw new Invalid({ remote_files: [`${shown} is not an http or https address that ends with a file name.`] });
    if (names.has(name)) throw new Invalid({ remote_files: [`${shown} ends with the same name as another address.`] });
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

export const CREATE_TASK = 'create:task';

/** Parameters of the worker that are not in the data row. */
export interface CreationParameters {
  readonly upload_file_order: readonly string[];
  readonly job_file_mapping: readonly (readonly string[])[] | null;
  /** Files and folders of the shared folder. Requests from older servers lack this and the following fields. */
  readonly server_files?: readonly string[];
  readonly server_files_exclude?: readonly string[];
  readonly filename_pattern?: string | null;
  readonly copy_data?: boolean;
  /** The storage of server_files, instead of the shared folder. */
  readonly cloud_storage_id?: number | null;
  /** URLs encrypted by `RemoteAddresses`. */
  readonly remote_files?: string | null;
  readonly use_zip_chunks?: boolean;
  readonly validation_params?: ValidationParamsDto | null;
}

/** The id of the background request that creates a task from its files. */
export const creationId = (taskId: number): string =>
  requestIdOf({ action: 'create', target: 'task', targetId: taskId });

/** Accepts the files of a task and queues them for processing. */
@Injectable()
export class TaskDataService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly tasks: TaskService,
    private readonly data: MediaDataRepository,
    private readonly uploads: MediaUploadRepository,
    private readonly folders: MediaFolders,
    private readonly requests: BackgroundRequests,
    private readonly rules: SourceRules,
  ) {}

  /**
   * Checks that the actor may upload data to this task now. Called before a body is read.
   * @throws NotFound, Forbidden, InvalidString, OperationInProgress
   */
  async requireOpen(actor: Actor, taskId: number): Promise<void> {
    await this.requirePermission(actor, taskId);
    if ((await this.data.sizeOfTask(this.db, taskId)) > 0) throw noMoreData();
    await this.requests.requireIdle(this.db, creationId(taskId));
  }

  /** @throws NotFound, Forbidden */
  async requirePermission(actor: Actor, taskId: number): Promise<void> {
    await this.tasks.require(this.db, actor, taskId, 'upload:data');
  }

  /** Announces an upload by creating the data row. */
  async start(actor: Actor, taskId: number): Promise<void> {
    await this.work.run((tx) => this.open(tx, actor, taskId));
  }

  /** Stores files for later processing. */
  async add(actor: Actor, taskId: number, files: readonly SentFile[]): Promise<void> {
    await this.work.run(async (tx) => {
      const dataId = await this.open(tx, actor, taskId);
      await this.register(tx, actor, dataId, files);
    });
  }

  /** Announces a file that is uploaded in pieces. @throws PlainError 409 if a file with this name exists */
  async announce(actor: Actor, taskId: number, file: SentFile): Promise<void> {
    await this.work.run(async (tx) => {
      const dataId = await this.open(tx, actor, taskId);
      const name = allowedName(file.name, '"');
      if ((await this.uploads.taken(tx, dataId, [name])).length > 0)
        throw new PlainError(409, '"File with same name already exists"');
      const upload = { fileId: file.fileId, name, length: file.bytes, complete: false };
      await this.uploads.insert(tx, dataId, actor.id, [upload], tx.now);
    });
  }

  /** Removes everything the actor has uploaded or started to upload. */
  async discard(actor: Actor, taskId: number): Promise<void> {
    const fileIds = await this.work.run(async (tx) => {
      const { data_id: dataId } = await this.lock(tx, taskId);
      return dataId === null ? [] : this.uploads.deleteOfData(tx, dataId, actor.id);
    });
    await this.folders.removeUploads(fileIds);
  }

  /**
   * Completes the upload and queues the processing.
   * @param files sent with the parameters
   * @returns the id of the background request
   */
  async finish(actor: Actor, taskId: number, dto: DataParametersDto, files: readonly SentFile[]): Promise<string> {
    const id = creationId(taskId);
    await this.work.run(async (tx) => {
      const dataId = await this.open(tx, actor, taskId);
      await this.register(tx, actor, dataId, files);
      await this.rules.require(tx, actor, dto);
      await this.requireOrder(tx, dataId, dto);
      await this.data.setParameters(tx, dataId, dto);
      const task = await this.tasks.touch(tx, actor, taskId);
      const parameters: CreationParameters = {
        upload_file_order: dto.upload_file_order ?? [],
        job_file_mapping: dto.job_file_mapping ?? null,
        server_files: dto.server_files ?? [],
        server_files_exclude: dto.server_files_exclude ?? [],
        filename_pattern: dto.filename_pattern ?? null,
        copy_data: dto.copy_data ?? false,
        cloud_storage_id: dto.cloud_storage_id ?? null,
        remote_files: this.rules.sealed(dto),
        use_zip_chunks: dto.use_zip_chunks ?? false,
        validation_params: dto.validation_params ?? null,
      };
      await this.requests.enqueue(tx, actor, {
        id,
        type: CREATE_TASK,
        target: 'task',
        projectId: task.project_id,
        taskId,
        organizationId: task.organization,
        parameters,
      });
    });
    return id;
  }

  /** Returns the task's data id. Creates the data on the first call. */
  private async open(tx: Tx, actor: Actor, taskId: number): Promise<number> {
    const task = await this.lock(tx, taskId);
    if (task.data_id !== null) return task.data_id;
    let dataId = 0;
    await this.tasks.change(tx, actor, taskId, async () => {
      dataId = await this.data.insert(tx);
      return [sql`data_id = ${dataId}`];
    });
    return dataId;
  }

  /** Locks a task without data until the transaction ends. */
  private async lock(tx: Tx, taskId: number): Promise<{ readonly data_id: number | null }> {
    const task = await this.data.lockOfTask(tx, taskId);
    if (task === undefined) throw NotFound.of('Task');
    if (task.size > 0) throw noMoreData();
    await this.requests.requireIdle(tx, creationId(taskId));
    return task;
  }

  private async register(tx: Tx, actor: Actor, dataId: number, files: readonly SentFile[]): Promise<void> {
    if (files.length === 0) return;
    const names = files.map(({ name }) => allowedName(name));
    const seen = new Set<string>(await this.uploads.taken(tx, dataId, names));
    for (const name of names) {
      if (seen.has(name)) throw new InvalidList(`File with same name already exists: ${name}`);
      seen.add(name);
    }
    const rows = files.map(({ fileId, bytes }, index) => ({
      fileId,
      name: names[index] ?? '',
      length: bytes,
      complete: true,
    }));
    await this.uploads.insert(tx, dataId, actor.id, rows, tx.now);
  }

  /** If there are no files at all, processing reports the error. */
  private async requireOrder(tx: Tx, dataId: number, dto: DataParametersDto): Promise<void> {
    if (dto.sorting_method !== 'predefined' || (dto.upload_file_order ?? []).length === 0) return;
    const names = (await this.uploads.ofData(tx, dataId)).map(({ name }) => name);
    const mismatch = names.length === 0 ? null : orderMismatch(names, dto.upload_file_order ?? []);
    if (mismatch !== null) throw new InvalidList(mismatch);
  }
}

const noMoreData = (): InvalidString => new InvalidString('Adding more data is not supported');

/**
 * @param quote surrounds the error's text
 * @throws PlainError 400 for an invalid file name
 */
function allowedName(name: string, quote = ''): string {
  try {
    return safeMediaPath(name);
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    const text = error.message.endsWith('is not allowed') ? `File name ${name} is not allowed` : error.message;
    throw new PlainError(400, `${quote}${escapeHtml(text)}${quote}`);
  }
}

/** Clients receive plain texts as HTML. */
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
