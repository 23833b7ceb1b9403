import { Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { InvalidList, InvalidString, NotFound, PlainError } from '../../../core/http/errors.js';
import type { SentFile } from '../../../core/http/multipart.js';
import { safeMediaPath } from '../../../engines/media/file-name.js';
import { MediaError } from '../../../engines/media/media-error.js';
import { orderMismatch } from '../../../engines/media/sorting.js';
import { sql } from '../../../engines/sql/sql.js';
import { RemoteAddresses } from '../creation/remote-files.js';
import { MediaDataRepository } from '../media-data.repository.js';
import { MediaFolders } from '../media-folders.js';
import type { DataParametersDto } from './data-parameters.js';
import { MediaUploadRepository } from './media-upload.repository.js';
import { SourceRules } from './source-rules.js';
import type { ValidationParamsDto } from './validation-params.js';
import { BackgroundRequests, requestIdOf } from '../../requests/index.js';
import { TaskService } from '../../tasks/index.js';
import type { Actor } from '../../../shared/policy/actor.js';

export const CREATE_TASK = 'create:task';

/** What the worker is told beside what the data record holds. */
export interface CreationParameters {
  readonly upload_file_order: readonly string[];
  readonly job_file_mapping: readonly (readonly string[])[] | null;
  /** Files and folders of the shared folder. Absent in requests of older servers, as is what follows. */
  readonly server_files?: readonly string[];
  readonly server_files_exclude?: readonly string[];
  readonly filename_pattern?: string | null;
  readonly copy_data?: boolean;
  /** Where server_files are instead of the shared folder. */
  readonly cloud_storage_id?: number | null;
  /** Addresses, as `RemoteAddresses` sealed them. */
  readonly remote_files?: string | null;
  readonly use_zip_chunks?: boolean;
  readonly validation_params?: ValidationParamsDto | null;
}

/** The id of the background request that makes a task of its files. */
export const creationId = (taskId: number): string =>
  requestIdOf({ action: 'create', target: 'task', targetId: taskId });

/** Takes the files of a task, and hands them over to processing. */
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
    private readonly addresses: RemoteAddresses,
  ) {}

  /**
   * May this person send data to this task now? Asked before a body is read.
   * @throws NotFound, Forbidden, InvalidString, OperationInProgress
   */
  async requireOpen(actor: Actor, taskId: number): Promise<void> {
    await this.tasks.require(this.db, actor, taskId, 'upload:data');
    if ((await this.data.sizeOfTask(this.db, taskId)) > 0) throw noMoreData();
    await this.requests.requireIdle(this.db, creationId(taskId));
  }

  /** Announces that data will follow: the data record is there from now on. */
  async start(actor: Actor, taskId: number): Promise<void> {
    await this.work.run((tx) => this.open(tx, actor, taskId));
  }

  /** Keeps files for later. */
  async add(actor: Actor, taskId: number, files: readonly SentFile[]): Promise<void> {
    await this.work.run(async (tx) => {
      const dataId = await this.open(tx, actor, taskId);
      await this.register(tx, actor, dataId, files);
    });
  }

  /** Announces one file that comes in pieces. @throws PlainError 409 when there is one of this name */
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

  /** Forgets what this person has sent or begun to send. */
  async discard(actor: Actor, taskId: number): Promise<void> {
    const fileIds = await this.work.run(async (tx) => {
      const { data_id: dataId } = await this.lock(tx, taskId);
      return dataId === null ? [] : this.uploads.deleteOfData(tx, dataId, actor.id);
    });
    await this.folders.removeUploads(fileIds);
  }

  /**
   * All is sent: processing may begin.
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
        remote_files: this.addresses.seal(dto.remote_files ?? []),
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

  /** The task's data, made when it is the first time. */
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

  /** A task that waits for data; nobody else sends to it until the transaction ends. */
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

  /** With no files at all, processing will say so. */
  private async requireOrder(tx: Tx, dataId: number, dto: DataParametersDto): Promise<void> {
    if (dto.sorting_method !== 'predefined' || (dto.upload_file_order ?? []).length === 0) return;
    const names = (await this.uploads.ofData(tx, dataId)).map(({ name }) => name);
    const mismatch = names.length === 0 ? null : orderMismatch(names, dto.upload_file_order ?? []);
    if (mismatch !== null) throw new InvalidList(mismatch);
  }
}

const noMoreData = (): InvalidString => new InvalidString('Adding more data is not supported');

/** @param quote around the error's text; @throws PlainError 400 for a name that no file may have */
function allowedName(name: string, quote = ''): string {
  try {
    return safeMediaPath(name);
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    const text = error.message.endsWith('is not allowed') ? `File name ${name} is not allowed` : error.message;
    throw new PlainError(400, `${quote}${escapeHtml(text)}${quote}`);
  }
}

/** Bare texts are sent as HTML. */
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
