import { ApiProperty } from '@nestjs/swagger';
import { IntField, TextField } from '../../core/http/fields.js';

const MAX_MARKDOWN = 1_000_000;

export class CreateGuideDto {
  @IntField({ optional: true, nullable: true, description: 'Give exactly one of task_id and project_id' }) task_id?:
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
