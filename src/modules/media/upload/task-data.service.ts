import { Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import {
  InvalidList,
  InvalidString,
  NotFound,
  PlainError,
  escapeHtml,
  Forbidden,
} from '../../../core/http/errors/errors.js';
import type { SentFile } from '../../../core/http/body/multipart.js';
import { safeMediaPath } from '../../../engines/media/file-name.js';
import { MediaError } from '../../../engines/media/media-error.js';
import { orderMismatch } from '../../../engines/media/sorting.js';
import { sql } from '../../../engines/sql/sql.js';
import { MediaDataRepository } from '../media-data.repository.js';
import { SourceRules } from '../creation/creation-sources.js';
import { BackgroundRequests, requestIdOf } from '../../requests/index.js';
import { TaskService } from '../../tasks/index.js';
import type { Actor } from '../../../shared/policy/actor.js';
import type { DataParametersDto, ValidationParamsDto } from './data-parameters.js';
import { MediaUploadRepository, type UploadRow } from './media-upload.repository.js';

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
  private async requirePermission(actor: Actor, taskId: number): Promise<void> {
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

  /** Finds a file that the actor uploads in pieces. @throws NotFound, Forbidden */
  async requireUpload(actor: Actor, taskId: number, fileId: string): Promise<UploadRow> {
    const upload = await this.uploads.unfinished(this.db, taskId, fileId);
    if (upload === undefined) throw new NotFound();
    if (upload.user_id !== actor.id) throw new Forbidden();
    await this.requirePermission(actor, taskId);
    return upload;
  }

  /** @returns false if a complete file with that name exists; the upload is then deleted */
  complete(upload: UploadRow): Promise<boolean> {
    return this.work.run((tx) => this.uploads.complete(tx, upload, tx.now));
  }

  /** Deletes everything the actor has uploaded or started to upload. @returns ids of the files to remove */
  discard(actor: Actor, taskId: number): Promise<string[]> {
    return this.work.run(async (tx) => {
      const { data_id: dataId } = await this.lock(tx, taskId);
      return dataId === null ? [] : this.uploads.deleteOfData(tx, dataId, actor.id);
    });
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
