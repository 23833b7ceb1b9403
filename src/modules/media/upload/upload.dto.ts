import { ApiProperty } from '@nestjs/swagger';
import { IntField } from '../../../core/http/fields.js';

/** The background request that was queued. */
export class RequestIdDto {
  @ApiProperty({ example: 'action=create&target=task&target_id=5' }) rq_id!: string;
}

/** What comes with files that are sent ahead of the parameters. */
export class UploadedFilesDto {
  @IntField({ min: 0, max: 100 }) image_quality!: number;
}
