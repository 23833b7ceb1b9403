import { ApiProperty } from '@nestjs/swagger';

/** A user embedded in another object: owner, assignee, sender. */
export class BasicUserDto {
  @ApiProperty({ format: 'uri', readOnly: true }) url!: string;
  @ApiProperty({ readOnly: true }) id!: number;
  @ApiProperty({ maxLength: 150, pattern: '^[\\w.@+-]+$' }) username!: string;
  @ApiProperty({ maxLength: 150 }) first_name!: string;
  @ApiProperty({ maxLength: 150 }) last_name!: string;
}
