import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ChoiceField, FloatField, TextField } from '../../../core/http/body/fields.js';
import { CATEGORIES, type Category } from '../../../engines/functions/request-params.js';

const AGENT_ID = { max: 128, description: 'Chosen by the agent: a new one for each start' } as const;

export class AgentDto {
  @TextField(AGENT_ID) agent_id!: string;
}

export class AcquireRequestDto extends AgentDto {
  @ChoiceField(CATEGORIES) request_category!: Category;
}

export class ReportProgressDto extends AgentDto {
  @FloatField({ min: 0, max: 1 }) progress!: number;
}

export class FailRequestDto extends AgentDto {
  @TextField({ blank: true, description: 'Shown to whoever made the request' }) exc_info!: string;
}

/** The results of a request. Which keys it has depends on the type of the request. */
export class CompleteRequestDto {
  @ApiProperty(AGENT_ID) agent_id!: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`tags` and `shapes` of `annotate_task` and `annotate_frame`, as for the creation of annotations',
  })
  annotations?: object;
  @ApiPropertyOptional({ type: String, isArray: true, description: '`init_tracking`, `track`: one for each object' })
  states?: string[];
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true, nullable: true },
    description: '`track`: one for each object, or null; `interact`',
  })
  shapes?: object[];
}

export class AssignedRequestDto {
  @ApiProperty() ar_id!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: '`type`, `task`, and the parameters of that type',
  })
  ar_params!: object;
}

export class AssignmentDto {
  @ApiProperty({ type: AssignedRequestDto, nullable: true, description: 'Null: the queue is empty' })
  ar_assignment!: AssignedRequestDto | null;
}
