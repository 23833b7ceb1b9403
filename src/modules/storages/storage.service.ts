import { Inject, Injectable } from '@nestjs/common';
import { sql } from '../../engines/sql/sql.js';
import type { Tx } from '../../core/database/tx.js';
import { InvalidList } from '../../core/http/errors.js';
import type { Actor } from '../../policy/actor.js';
import { CloudStorageAccess } from '../cloudstorages/index.js';
import type { StorageInputDto } from './storage.dto.js';
import { StorageEntity } from './storage.entity.js';

/** Rows that say where a project's or task's files come from and go to. */
@Injectable()
export class StorageService {
  constructor(@Inject(CloudStorageAccess) private readonly clouds: CloudStorageAccess) {}

  /** @returns id of the new row, or null when nothing was said; @throws InvalidList, Forbidden */
  async create(tx: Tx, actor: Actor, input: StorageInputDto | null | undefined): Promise<number | null> {
    if (input === null || input === undefined) return null;
    const cloudStorageId = input.cloud_storage_id ?? null;
    if (cloudStorageId !== null) await this.clouds.require(tx, actor, cloudStorageId);
    const [row] = await tx.query<{ id: number }>(sql`
      insert into storage (location, cloud_storage_id) values (${input.location ?? 'local'}, ${cloudStorageId}) returning id`);
    return row?.id ?? null;
  }

  /**
   * Changes a row in place, so that it keeps its id; makes one where there was none.
   * @throws InvalidList, Forbidden
   */
  async update(tx: Tx, actor: Actor, { id, field }: StoredPlace, input: StorageInputDto): Promise<number | null> {
    if (Object.keys(input).length === 0) return id;
    if (id === null) {
      requireComplete(input, 'local', field);
      return this.create(tx, actor, input);
    }
    const stored = await tx.manager.findOneByOrFail(StorageEntity, { id });
    requireComplete(input, stored.location, field);
    if (input.cloud_storage_id != null) await this.clouds.require(tx, actor, input.cloud_storage_id);
    const location = input.location ?? stored.location;
    const cloudStorageId = location === 'local' ? null : (input.cloud_storage_id ?? stored.cloudStorageId);
    await tx.manager.update(StorageEntity, { id }, { location, cloudStorageId });
    return id;
  }
}

function requireComplete(input: StorageInputDto, storedLocation: string, field: string): void {
  const { location, cloud_storage_id: cloud } = input;
  if (cloud !== undefined && cloud !== null && location === 'local') {
    throw new InvalidList("It is not allowed to specify 'local' location together with cloud storage id");
  }
  if (cloud !== undefined && cloud !== null && location === undefined && storedLocation !== 'cloud_storage') {
    throw new InvalidList(`The configuration of ${field} is not full`);
  }
  if (location === 'cloud_storage' && (cloud === undefined || cloud === null)) {
    throw new InvalidList('Cloud storage was selected as location but its id was not specified');
  }
  if (cloud === null && location === undefined && storedLocation === 'cloud_storage') {
    throw new InvalidList('It is not allowed to reset a cloud storage id without explicitly resetting a location');
  }
}

/** What a project or task has so far. */
interface StoredPlace {
  /** Null: nothing. */
  readonly id: number | null;
  /** Name for the error texts, such as `target_storage`. */
  readonly field: string;
}
