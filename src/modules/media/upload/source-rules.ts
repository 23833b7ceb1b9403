import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { Forbidden, Invalid } from '../../../core/http/errors.js';
import { remoteName } from '../../../engines/media/file-name.js';
import { MediaError } from '../../../engines/media/media-error.js';
import { safeFolder } from '../../../engines/media/shared-folder.js';
import { shownAddress } from '../../../engines/sender/download.js';
import { CloudStorageAccess } from '../../cloudstorages/index.js';
import type { DataParametersDto } from './data-parameters.js';
import { ShareFiles } from '../../share/index.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { mayReadShare } from '../../../shared/policy/share.policy.js';

/** Checks who may create a task from files stored elsewhere, and which names such files may have. */
@Injectable()
export class SourceRules {
  constructor(
    private readonly share: ShareFiles,
    private readonly clouds: CloudStorageAccess,
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
      throw new Invalid({ filename_pattern: ['There is nothing to choose from: name a manifest in server_files.'] });
    }
    requireInside('server_files_exclude', exclude);
    requireAddresses(dto.remote_files ?? []);
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
