import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import { InvalidList, NotFound } from '../../core/http/errors.js';
import type { Actor } from '../../shared/policy/actor.js';
import { CloudStorageService } from './cloud-storage.service.js';

/** Cloud storages named in bodies and queries. */
@Injectable()
export class CloudStorageAccess {
  constructor(@Inject(CloudStorageService) private readonly storages: CloudStorageService) {}

  /** It must be there, and the actor may use it. @throws InvalidList, Forbidden */
  async require(db: Queryable, actor: Actor, id: number): Promise<void> {
    try {
      if (Math.abs(id) > 2 ** 31 - 1) throw NotFound.of('CloudStorage');
      await this.storages.require(db, actor, id, 'view');
    } catch (error) {
      if (error instanceof NotFound) throw new InvalidList('CloudStorage matching query does not exist.');
      throw error;
    }
  }
}
