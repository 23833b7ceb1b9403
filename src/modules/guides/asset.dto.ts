import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/basic-user.dto.js';

export const MAX_ASSET_MEGABYTES = 10;
export const MAX_ASSETS = 30;
/** Larger JPEG and PNG images are scaled down to this size. */
export const MAX_ASSET_SIDE = 1920;
export const MAX_FILENAME = 1024;

/** The form of a new asset. */
export class CreateAssetDto {
  @ApiProperty({
    type: 'string',
    format: 'binary',
    description: `JPEG, PNG, WebP, GIF or PDF of up to ${MAX_ASSET_MEGABYTES} MB; JPEG and PNG images are scaled down to ${MAX_ASSET_SIDE} pixels`,
  })
  file!: unknown;

  @ApiProperty({ type: 'integer' }) guide_id!: number;
}

export class AssetDto {
  @ApiProperty({ format: 'uuid' }) uuid!: string;
  @ApiProperty({ maxLength: MAX_FILENAME }) filename!: string;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty({ type: 'integer' }) guide_id!: number;
}
