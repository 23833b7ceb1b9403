import { ApiProperty } from '@nestjs/swagger';

export class SkippedDto {
  @ApiProperty({ enum: ['frame', 'label', 'attribute', 'annotation', 'file'] }) kind!: string;
  @ApiProperty({
    description: 'As in the file; for attributes: label/attribute; for files: the path',
    example: 'car/colour',
  })
  name!: string;
  @ApiProperty({ description: 'How often it occurs' }) count!: number;
  @ApiProperty({ type: String, nullable: true, description: 'Where it occurs first', example: 'labels/a.txt, line 7' })
  location!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why; null if the target does not have it' })
  reason!: string | null;
}

/** Numbers of files. */
export class FileUsesDto {
  @ApiProperty({ description: 'Imported' }) read!: number;
  @ApiProperty({ description: 'Without annotations: images, lists of labels, documents' }) irrelevant!: number;
  @ApiProperty({ description: 'Not imported, or only in part; `skipped` has the reasons' }) ignored!: number;
}

/** Numbers of annotations. */
export class ReplacedDto {
  @ApiProperty() tags!: number;
  @ApiProperty() shapes!: number;
  @ApiProperty() tracks!: number;
  @ApiProperty() intervals!: number;
}

export class LabelCountDto {
  @ApiProperty() name!: string;
  @ApiProperty() count!: number;
}

/** What an import created, or would create, and what it left out. */
export class ImportReportDto {
  @ApiProperty({ description: 'Nothing was changed' }) dry_run!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Dry runs: why the import would fail' })
  error!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The format in which the file was read' })
  format!: string | null;
  @ApiProperty({
    type: [String],
    description: 'Dry runs: the formats that the file may have by its content, the most likely one first',
  })
  formats!: string[];
  @ApiProperty({ type: FileUsesDto, description: 'The files of the archive, without those of operating systems' })
  files!: FileUsesDto;
  @ApiProperty({ description: 'New tasks' }) tasks!: number;
  @ApiProperty({ description: 'Frames with annotations; a track counts for its first frame' }) frames!: number;
  @ApiProperty() tags!: number;
  @ApiProperty() shapes!: number;
  @ApiProperty() tracks!: number;
  @ApiProperty({ type: [LabelCountDto], description: 'Number of annotations by label' }) labels!: LabelCountDto[];
  @ApiProperty({
    type: [SkippedDto],
    description:
      'What is not imported: frames, labels and attributes that the target does not have, annotations and files that ' +
      'cannot be imported. Unknown frames and labels make an import fail, unless it skips what does not match.',
  })
  skipped!: SkippedDto[];
  @ApiProperty({
    description: 'How many occurrences the list does not contain, because it has at most 100 entries of each kind',
  })
  unlisted!: number;
  @ApiProperty({ type: ReplacedDto, description: 'Existing annotations that the import removed, or would remove' })
  replaced!: ReplacedDto;
  @ApiProperty({ type: Number, nullable: true, description: 'The save in the history of annotations' })
  revision!: number | null;
  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    description: 'A POST request to this URL restores the annotations that were there before',
  })
  restore_url!: string | null;
}

/** What reports of older servers do not have. */
export const REPORT_DEFAULTS: Omit<
  ImportReportDto,
  'dry_run' | 'error' | 'tasks' | 'frames' | 'tags' | 'shapes' | 'tracks' | 'labels' | 'skipped' | 'unlisted'
> = {
  format: null,
  formats: [],
  files: { read: 0, irrelevant: 0, ignored: 0 },
  replaced: { tags: 0, shapes: 0, tracks: 0, intervals: 0 },
  revision: null,
  restore_url: null,
};
