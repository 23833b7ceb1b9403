import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '../../requests/index.js';
import { ExchangeClouds } from '../exchange-clouds.js';
import type { ImportParameters } from './import.handler.js';

/** Files for imports that lie in cloud storages. */
@Injectable()
export class FetchedFiles {
  constructor(@Inject(ExchangeClouds) private readonly clouds: ExchangeClouds) {}

  /** The file of an import is in its place when this is done. @throws ObjectStorageError */
  async require(request: RequestContext): Promise<void> {
    const { path, cloud_storage_id: cloudStorageId, key } = request.parameters as ImportParameters;
    if (cloudStorageId === undefined || key === undefined) return;
    await this.clouds.download(request, { cloudStorageId, name: key }, path);
  }
}
