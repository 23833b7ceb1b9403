import { ApiProperty } from '@nestjs/swagger';
import { intItem, ListField } from '../../../core/http/composite-fields.js';

export class FrameMetaDto {
  @ApiProperty() width!: number;
  @ApiProperty() height!: number;
  @ApiProperty({ description: 'Path of the file' }) name!: string;
  @ApiProperty({ description: 'Number of context images' }) related_files!: number;
  @ApiProperty() has_related_context!: boolean;
}

export class MediaMetaDto {
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) chunks_updated_date!: string | null;
  @ApiProperty({ type: Number, nullable: true }) chunk_size!: number | null;
  @ApiProperty({ description: 'Frames, deleted ones too' }) size!: number;
  @ApiProperty() image_quality!: number;
  @ApiProperty({ description: 'Number in the source' }) start_frame!: number;
  @ApiProperty({ description: 'Number in the source, inclusive' }) stop_frame!: number;
  @ApiProperty() frame_filter!: string;
  @ApiProperty({ type: FrameMetaDto, isArray: true }) frames!: FrameMetaDto[];
  @ApiProperty({ type: Number, isArray: true, description: 'Numbers in the task' }) deleted_frames!: number[];
  @ApiProperty({
    type: Number,
    isArray: true,
    nullable: true,
    description: 'Numbers in the source; jobs of chosen frames',
  })
  included_frames!: number[] | null;
}

export class UpdateMediaMetaDto {
  @ListField(intItem({ min: 0 }), { maxItems: 10_000_000, description: 'Replaces the list. Numbers in the task' })
  deleted_frames!: number[];
}
