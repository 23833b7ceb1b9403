import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { floatItem, ListField } from '../../core/http/composite-fields.js';
import { BoolField, IntField, TextField } from '../../core/http/fields.js';
import { CountedChildrenDto } from '../projects/index.js';

/** Far more than an outline drawn by hand has. */
const MAX_NUMBERS = 10_000;

export class CreateIssueDto {
  @IntField({ min: 0, description: 'Task-relative' }) frame!: number;
  @ListField(floatItem(), { notEmpty: true, maxItems: MAX_NUMBERS, description: 'Pixels: x, y, x, y, …' })
  position!: number[];
  @IntField() job!: number;
  @IntField({ optional: true, nullable: true }) assignee?: number | null;
  @TextField({ description: 'Becomes the first comment' }) message!: string;
  @BoolField({ optional: true }) resolved?: boolean;
}

export class UpdateIssueDto {
  @ListField(floatItem(), { optional: true, notEmpty: true, maxItems: MAX_NUMBERS }) position?: number[];
  @IntField({ optional: true, nullable: true }) assignee?: number | null;
  @BoolField({ optional: true }) resolved?: boolean;
}

export class IssueDto {
  @ApiProperty() id!: number;
  @ApiProperty() frame!: number;
  @ApiProperty({ type: 'array', items: { type: 'number', format: 'double' } }) position!: number[];
  @ApiProperty() job!: number;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) created_date!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) updated_date!: string | null;
  @ApiProperty() resolved!: boolean;
  @ApiProperty({ type: CountedChildrenDto }) comments!: CountedChildrenDto;
}
