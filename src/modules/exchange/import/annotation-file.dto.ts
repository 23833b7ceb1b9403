import { ApiProperty } from '@nestjs/swagger';

/** The form of an import in one request. */
export class AnnotationFileDto {
  @ApiProperty({ type: 'string', format: 'binary' }) annotation_file!: unknown;
}
