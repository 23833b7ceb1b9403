import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../../../shared/policy/actor.js';
import type { RequestContext } from '../../requests/index.js';
import { ExchangeClouds, requireKey } from '../exchange-clouds.js';
import { unnamedFile } from '../exchange-query.js';
import type { UploadPlace } from '../exchange-target.js';
import { type ImportFile, ImportFiles } from './import-files.js';

/** The file that a background request reads. */
export interface IncomingFile extends ImportFile {
  /** The file is in a cloud storage, and is brought to its path first. */
  readonly cloud_storage_id?: number;
  readonly key?: string;
}

/** Files for imports that lie in cloud storages. */
@Injectable()
export class FetchedFiles {
  constructor(
    @Inject(ExchangeClouds) private readonly clouds: ExchangeClouds,
    @Inject(ImportFiles) private readonly files: ImportFiles,
  ) {}

  /** @param key with folders @returns what the request is told, which fetches the file @throws InvalidList */
  async plan(actor: Actor, place: UploadPlace, cloudStorageId: number, key: string): Promise<IncomingFile> {
    if (key === '') throw unnamedFile();
    requireKey(key);
    const path = await this.files.newPath(actor, place);
    return { path, name: key.split('/').at(-1) ?? key, cloud_storage_id: cloudStorageId, key };
  }

  /** The file of an import is in its place when this is done. @throws ObjectStorageError */
  async require(request: RequestContext): Promise<void> {
    const { path, cloud_storage_id: cloudStorageId, key } = request.parameters as IncomingFile;
    if (cloudStorageId === undefined || key === undefined) return;
    await this.clouds.download(request, { cloudStorageId, name: key }, path);
  }
}
