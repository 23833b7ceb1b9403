import { ApiProperty } from '@nestjs/swagger';

/** The form of an import in one request. */
export class AnnotationFileDto {
  @ApiProperty({ type: 'string', format: 'binary' }) annotation_file!: unknown;
}

/** The form of an import of a dataset in one request. */
export class DatasetFileDto {
  @ApiProperty({ type: 'string', format: 'binary', description: 'A zip archive' }) dataset_file!: unknown;
}
