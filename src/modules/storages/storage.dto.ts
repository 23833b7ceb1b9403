import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, IntField } from '../../core/http/body/fields.js';
import { raw, type Sql } from '../../engines/sql/sql.js';

export const LOCATIONS = ['cloud_storage', 'local'] as const;

/** Where files come from or go to, as a client writes it. */
export class StorageInputDto {
  @ChoiceField(LOCATIONS, { optional: true }) location?: string;
  @IntField({ optional: true, nullable: true, min: 0 }) cloud_storage_id?: number | null;
}

export class StorageDto {
  @ApiProperty({ readOnly: true }) id!: number;
  @ApiProperty({ enum: LOCATIONS }) location!: string;
  @ApiProperty({ type: Number, nullable: true }) cloud_storage_id!: number | null;
}

/** What the rows of objects with storages hold of them. */
export interface StoragesRow {
  readonly source_storage_id: number | null;
  readonly source_location: string | null;
  readonly source_cloud_id: number | null;
  readonly target_storage_id: number | null;
  readonly target_location: string | null;
  readonly target_cloud_id: number | null;
}

/**
 * Columns of `StoragesRow`. They are looked up for each row: planning a join of them would take longer.
 * @param table that refers to the storages
 */
export const storageColumns = (table: 'project' | 'task'): Sql =>
  raw(
    ['source', 'target']
      .map((use) => {
        const id = `${table}.${use}_storage_id`;
        const one = (column: string): string => `(select storage.${column} from storage where storage.id = ${id})`;
        return `${id}, ${one('location')} as ${use}_location, ${one('cloud_storage_id')} as ${use}_cloud_id`;
      })
      .join(', '),
  );

const toStorage = (id: number | null, location: string | null, cloudStorageId: number | null): StorageDto | null =>
  id === null ? null : { id, location: location ?? 'local', cloud_storage_id: cloudStorageId };

/** Null where there is none. */
export const sourceStorage = (row: StoragesRow): StorageDto | null =>
  toStorage(row.source_storage_id, row.source_location, row.source_cloud_id);

export const targetStorage = (row: StoragesRow): StorageDto | null =>
  toStorage(row.target_storage_id, row.target_location, row.target_cloud_id);
