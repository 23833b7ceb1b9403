import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, IntField } from '../../core/http/body/fields.js';

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
