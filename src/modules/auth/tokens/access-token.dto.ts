import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../../core/http/basic-user.dto.js';
import { BoolField, TextField, TimestampField } from '../../../core/http/fields.js';

const MAX_NAME = 50;
const EXPIRY = 'Null: the token never expires';
const READ_ONLY = 'The token only allows GET, HEAD and OPTIONS';

export class CreateAccessTokenDto {
  @TextField({ max: MAX_NAME }) name!: string;
  @TimestampField({ optional: true, nullable: true, description: EXPIRY }) expiry_date?: string | null;
  @BoolField({ optional: true, description: READ_ONLY }) read_only?: boolean;
}

export class UpdateAccessTokenDto {
  @TextField({ max: MAX_NAME, optional: true }) name?: string;
  @TimestampField({ optional: true, nullable: true, description: EXPIRY }) expiry_date?: string | null;
  @BoolField({ optional: true, description: READ_ONLY }) read_only?: boolean;
}

export class AccessTokenDto {
  @ApiProperty() id!: number;
  @ApiProperty({ maxLength: MAX_NAME }) name!: string;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: EXPIRY }) expiry_date!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Accurate to about a day' })
  last_used_date!: string | null;
  @ApiProperty({ description: READ_ONLY }) read_only!: boolean;
  @ApiProperty({ type: BasicUserDto }) owner!: BasicUserDto;
}

export class NewAccessTokenDto extends AccessTokenDto {
  @ApiProperty({ description: 'Send it in the header Authorization: Bearer <value>. It is shown only once.' })
  value!: string;
}
