import { ApiProperty } from '@nestjs/swagger';

export class FileInfoDto {
  @ApiProperty({ maxLength: 1024 }) name!: string;
  @ApiProperty({ enum: ['REG', 'DIR'] }) type!: string;
  @ApiProperty({ maxLength: 255, enum: ['image', 'video', 'archive', 'pdf', 'DIR', 'unknown'] }) mime_type!: string;
}
