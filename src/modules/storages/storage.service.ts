import { Injectable } from '@nestjs/common';
import { assignments, type Sql, sql } from '../../engines/sql/sql.js';
import type { Tx } from '../../core/database/tx.js';
import { OnTransfer, type Transfer } from '../../core/events/transfers.js';
import { InvalidList } from '../../core/http/errors/errors.js';
import type { Actor } from '../../shared/policy/actor.js';
import { CloudStorageAccess } from '../cloudstorages/index.js';
import type { StorageInputDto } from './storage.dto.js';

interface StorageIds {
  readonly source_storage_id: number | null;
  readonly target_storage_id: number | null;
}

interface StorageInputs {
  readonly source_storage?: StorageInputDto | null;
  readonly target_storage?: StorageInputDto | null;
}

/** The source and target storages of projects and tasks. */
@Injectable()
export class StorageService {
  constructor(private readonly clouds: CloudStorageAccess) {}

  /** @returns id of the new row, or null without an input; @throws InvalidList, Forbidden */
  async create(tx: Tx, actor: Actor, input: StorageInputDto | null | undefined): Promise<number | null> {
    if (input === null || input === undefined) return null;
    const cloudStorageId = input.cloud_storage_id ?? null;
    if (cloudStorageId !== null) await this.clouds.require(tx, actor, cloudStorageId);
    const [row] = await tx.query<{ id: number }>(sql`
      insert into storage (location, cloud_storage_id) values (${input.location ?? 'local'}, ${cloudStorageId}) returning id`);
    return row?.id ?? null;
  }

  /**
   * Changes the storages of a project or task.
   * @returns the assignments for its row
   * @throws InvalidList, Forbidden
   */
  async update(tx: Tx, actor: Actor, row: StorageIds, input: StorageInputs): Promise<Sql[]> {
    const source = input.source_storage ?? undefined;
    const target = input.target_storage ?? undefined;
    return assignments({
      source_storage_id: source && (await this.updateRow(tx, actor, row.source_storage_id, 'source_storage', source)),
      target_storage_id: target && (await this.updateRow(tx, actor, row.target_storage_id, 'target_storage', target)),
    });
  }

  /** What moves to another organization no longer uses cloud storages of the old one for imports and exports. */
  @OnTransfer()
  async onTransfer(tx: Tx, { kind, id, to }: Transfer): Promise<void> {
    const owners = kind === 'task' ? sql`task where id = ${id}` : sql`project where id = ${id}`;
    const tasks = sql`select source_storage_id, target_storage_id from task where project_id = ${kind === 'task' ? null : id}::int`;
    await tx.query(sql`
      update storage set location = 'local', cloud_storage_id = null
      from cloud_storage, (select source_storage_id, target_storage_id from ${owners} union all ${tasks}) moved
      where storage.id in (moved.source_storage_id, moved.target_storage_id) and cloud_storage.id = storage.cloud_storage_id
        and cloud_storage.organization_id is distinct from ${to}::int`);
  }

  /** Changes a row in place, so that it keeps its id; inserts one if there is none. */
  private async updateRow(
    tx: Tx,
    actor: Actor,
    id: number | null,
    field: keyof StorageInputs,
    input: StorageInputDto,
  ): Promise<number | null> {
    if (Object.keys(input).length === 0) return id;
    if (id === null) {
      requireComplete(input, 'local', field);
      return this.create(tx, actor, input);
    }
    const [stored] = await tx.query<{ location: string; cloud_storage_id: number | null }>(
      sql`select location, cloud_storage_id from storage where id = ${id}`,
    );
    if (stored === undefined) throw new Error(`Storage ${id} does not exist`);
    requireComplete(input, stored.location, field);
    if (input.cloud_storage_id != null) await this.clouds.require(tx, actor, input.cloud_storage_id);
    const location = input.location ?? stored.location;
    const cloudStorageId = location === 'local' ? null : (input.cloud_storage_id ?? stored.cloud_storage_id);
    await tx.query(
      sql`update storage set location = ${location}, cloud_storage_id = ${cloudStorageId}::int where id = ${id}`,
    );
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
