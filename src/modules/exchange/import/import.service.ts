import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DatabaseUnavailable } from '../../../core/database/database-client.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import type { Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { requestIdOf } from '../../requests/index.js';
import { ExchangeClouds } from '../exchange-files.js';
import { type RequestedLocation, readImportQuery, readIncomingQuery } from '../exchange-query.js';
import {
  ExchangeRequests,
  ExchangeAccess,
  importLocation,
  importSubresource,
  type ImportTarget,
} from '../exchange-requests.js';
import { CloudFiles, ImportFiles, type IncomingFile } from './import-files.js';
import { IMPORT_DATASET } from './dataset-import.handler.js';
import { IMPORT_ANNOTATIONS, type ImportParameters } from './import.handler.js';

/** Receives files and queues their import. */
@Injectable()
export class ImportService {
  constructor(
    private readonly access: ExchangeAccess,
    private readonly clouds: ExchangeClouds,
    private readonly files: ImportFiles,
    private readonly fetched: CloudFiles,
    private readonly requests: ExchangeRequests,
  ) {}

  /** @throws NotFound, Forbidden */
  require(actor: Actor, target: ImportTarget): Promise<void> {
    return this.access.requireImport(actor, target);
  }

  /**
   * Queues the import of a file that is sent with the request or was uploaded before. The caller has checked the
   * permission.
   * @returns the id of the background request
   * @throws ApiError 400, 413, OperationInProgress
   */
  async start(actor: Actor, target: ImportTarget, query: Query, request: Request): Promise<string> {
    const { filename, key, ...where } = readIncomingQuery(query);
    const cloudStorageId = await this.cloudStorageOf(actor, target, where, request);
    if (cloudStorageId === null && filename !== '')
      await this.files.requireSent(actor, importLocation(target), filename);
    const wanted = readImportQuery(query);
    const { format, masksToPolygons, mode, dryRun, skipUnmatched, onlyComplete } = wanted;
    const subresource = importSubresource(target.kind);
    const id = requestIdOf({ action: 'import', target: target.kind, targetId: target.id, subresource });
    await this.requests.requireIdle(id);
    const file =
      cloudStorageId === null
        ? await this.fileOf(actor, target, filename, request)
        : this.cloudFile(actor, target, cloudStorageId, key);
    try {
      const options = { masksToPolygons, mode, dryRun, skipUnmatched, onlyComplete };
      const parameters: ImportParameters = { ...target, format: format?.name ?? '', ...options, ...file };
      const type = target.kind === 'project' ? IMPORT_DATASET : IMPORT_ANNOTATIONS;
      await this.requests.enqueue(actor, target, () => ({ id, type, subresource, parameters }));
    } catch (error) {
      // After a lost commit the request may be queued, so its file is kept.
      const isSent = filename === '' && file.cloud_storage_id === undefined;
      if (isSent && !(error instanceof DatabaseUnavailable)) await this.files.remove(file.path);
      throw error;
    }
    return id;
  }

  /** @returns null if the file is sent with the request, or was uploaded before */
  private async cloudStorageOf(
    actor: Actor,
    target: ImportTarget,
    requested: RequestedLocation,
    { headers }: Request,
  ): Promise<number | null> {
    const sent = headers['upload-finish'] !== undefined || headers['content-type']?.startsWith('multipart/') === true;
    // An uploaded file takes precedence over the object's default source.
    if (requested.location === '' && sent) return null;
    return this.clouds.select(actor, requested, { target, field: 'source_storage' });
  }

  private cloudFile(actor: Actor, target: ImportTarget, cloudStorageId: number, key: string): IncomingFile {
    const file = this.fetched.plan(actor, importLocation(target), cloudStorageId, key);
    requireArchive(target, file.name);
    return file;
  }

  private async fileOf(actor: Actor, target: ImportTarget, filename: string, request: Request): Promise<IncomingFile> {
    const file = await this.files.fileOf(actor, importLocation(target), filename, request);
    if (!isArchive(target, file.name)) await this.files.remove(file.path);
    requireArchive(target, file.name);
    return file;
  }
}

/** Datasets bring images along, so they are archives. */
const isArchive = ({ kind }: ImportTarget, name: string): boolean => kind !== 'project' || /\.zip$/i.test(name);

function requireArchive(target: ImportTarget, name: string): void {
  if (!isArchive(target, name))
    throw new Invalid({ [importLocation(target).field]: ['Dataset file should be zip archive'] });
}
