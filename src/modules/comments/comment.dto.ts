import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { IntField, TextField } from '../../core/http/fields.js';

export class CreateCommentDto {
  @IntField() issue!: number;
  @TextField({ optional: true }) message?: string;
}

export class UpdateCommentDto {
  @TextField({ optional: true }) message?: string;
}

export class CommentDto {
  @ApiProperty() id!: number;
  @ApiProperty() issue!: number;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty() message!: string;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
}
