import { ApiProperty } from '@nestjs/swagger';
import { FRACTION } from '../../core/http/fields.js';

export const REQUEST_STATUSES = ['queued', 'started', 'failed', 'finished'] as const;

export class RequestOperationDto {
  @ApiProperty({ example: 'create:task' }) type!: string;
  @ApiProperty({ enum: ['project', 'task', 'job'] }) target!: string;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) task_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) job_id!: number | null;
  @ApiProperty({ type: String, nullable: true }) format!: string | null;
}

export class RequestOwnerDto {
  @ApiProperty() id!: number;
  @ApiProperty() username!: string;
}

export class RequestDto {
  @ApiProperty({ enum: REQUEST_STATUSES }) status!: string;
  @ApiProperty({ description: 'The current step, or the reason of a failure (ends with a newline)' })
  message!: string;
  @ApiProperty({ example: 'action=create&target=task&target_id=5' }) id!: string;
  @ApiProperty({ type: RequestOperationDto }) operation!: RequestOperationDto;
  @ApiProperty({ ...FRACTION, minimum: 0, maximum: 1, description: 'While started; otherwise 0' }) progress!: number;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) started_date!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finished_date!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The request is deleted after this time',
  })
  expiry_date!: string | null;
  @ApiProperty({ type: RequestOwnerDto, nullable: true }) owner!: RequestOwnerDto | null;
  @ApiProperty({ type: String, format: 'uri', nullable: true }) result_url!: string | null;
  @ApiProperty({ type: Number, nullable: true }) result_id!: number | null;
}
