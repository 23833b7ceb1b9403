import { ApiProperty } from '@nestjs/swagger';
import { FRACTION } from '../../../core/http/body/fields.js';

const SHARE = { ...FRACTION, minimum: 0, maximum: 1, nullable: true, type: Number } as const;

export class TagAgreementDto {
  @ApiProperty({ description: 'Decisions of two or more annotators whether a frame has a tag: frames × labels' })
  decisions!: number;
  @ApiProperty({ ...SHARE, description: 'Share of the decisions on which two annotators agree' })
  agreed_share!: number | null;
  @ApiProperty({
    ...FRACTION,
    type: Number,
    nullable: true,
    minimum: -1,
    maximum: 1,
    description:
      'Agreement beyond chance: Cohen’s kappa of a pair, otherwise Fleiss’ kappa. Null if all decisions are the same',
  })
  kappa!: number | null;
}

export class ShapeAgreementDto {
  @ApiProperty({ description: 'Shapes in both replicas of every pair' }) objects!: number;
  @ApiProperty({ description: 'Pairs of shapes that have the same label and are similar enough' }) matched!: number;
  @ApiProperty({ ...SHARE, description: 'Share of the shapes that have a partner' }) matched_share!: number | null;
  @ApiProperty({ ...SHARE, description: 'Mean similarity of these pairs: IoU; for points and skeletons OKS' })
  mean_iou!: number | null;
}

export class MeasuredAgreementDto {
  @ApiProperty({ type: TagAgreementDto }) tags!: TagAgreementDto;
  @ApiProperty({ type: ShapeAgreementDto }) shapes!: ShapeAgreementDto;
}

/** Whoever annotated a replica. */
export class AnnotatorDto {
  @ApiProperty({ type: Number, nullable: true, description: 'Null if the replica has no assignee' }) id!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Null if the account no longer exists' })
  username!: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'The replica, if it has no assignee' })
  job_id!: number | null;
}

export class JobAgreementDto extends MeasuredAgreementDto {
  @ApiProperty() job_id!: number;
  @ApiProperty() start_frame!: number;
  @ApiProperty() stop_frame!: number;
  @ApiProperty({ type: [AnnotatorDto], description: 'In the order of the replicas' }) annotators!: AnnotatorDto[];
}

export class LabelAgreementDto extends MeasuredAgreementDto {
  @ApiProperty() label_id!: number;
  @ApiProperty() name!: string;
}

export class PairAgreementDto extends MeasuredAgreementDto {
  @ApiProperty({ type: [AnnotatorDto], minItems: 2, maxItems: 2 }) annotators!: AnnotatorDto[];
}

/** How far the annotators of the replicas of a task agree. */
export class AgreementDto {
  @ApiProperty() task_id!: number;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ ...FRACTION, description: 'The least similarity of two shapes that count as the same' })
  iou_threshold!: number;
  @ApiProperty({ type: MeasuredAgreementDto }) total!: MeasuredAgreementDto;
  @ApiProperty({ type: [JobAgreementDto], description: 'Jobs with two or more replicas that are not new' })
  jobs!: JobAgreementDto[];
  @ApiProperty({ type: [LabelAgreementDto], description: 'Labels that any of the replicas uses' })
  labels!: LabelAgreementDto[];
  @ApiProperty({ type: [PairAgreementDto] }) pairs!: PairAgreementDto[];
}

/** As stored: people and labels can be renamed. */
export type StoredAgreement = Omit<AgreementDto, 'task_id' | 'created_date'>;
