import { ApiProperty } from '@nestjs/swagger';
import { IntField, TextField } from '../../core/http/body/fields.js';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';

const MAX_MARKDOWN = 1_000_000;

export class CreateGuideDto {
  @IntField({ optional: true, nullable: true, description: 'Set either task_id or project_id' }) task_id?:
    number | null;
  @IntField({ optional: true, nullable: true }) project_id?: number | null;
  @TextField({ optional: true, blank: true, verbatim: true, max: MAX_MARKDOWN }) markdown?: string;
}

export class UpdateGuideDto {
  @IntField({ optional: true, nullable: true, description: 'Moves the guide to this task' }) task_id?: number | null;
  @IntField({ optional: true, nullable: true, description: 'Moves the guide to this project' }) project_id?:
    number | null;
  @TextField({ optional: true, blank: true, verbatim: true, max: MAX_MARKDOWN }) markdown?: string;
}

/** The response to creating or changing a guide. */
export class WrittenGuideDto {
  @ApiProperty() id!: number;
  @ApiProperty({ type: Number, nullable: true }) task_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty() markdown!: string;
}

export class GuideDto {
  @ApiProperty() id!: number;
  @ApiProperty({ type: Number, nullable: true }) task_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty() markdown!: string;
}

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
