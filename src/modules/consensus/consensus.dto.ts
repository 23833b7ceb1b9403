import { ApiProperty } from '@nestjs/swagger';
import { FloatField, FRACTION, IntField } from '../../core/http/body/fields.js';

const SIMILARITY = 'The least similarity of two objects that count as the same';
const SHARE = 'The share of the replicas that must have an object';

export class ConsensusSettingsDto {
  @ApiProperty() id!: number;
  @ApiProperty() task_id!: number;
  @ApiProperty({ ...FRACTION, minimum: 0, maximum: 1, default: 0.4, description: SIMILARITY }) iou_threshold!: number;
  @ApiProperty({ ...FRACTION, minimum: 0, maximum: 1, default: 0.5, description: SHARE }) quorum!: number;
}

export class UpdateConsensusSettingsDto {
  @FloatField({ optional: true, min: 0, max: 1, description: SIMILARITY }) iou_threshold?: number;
  @FloatField({ optional: true, min: 0, max: 1, description: SHARE }) quorum?: number;
}

/** Exactly one of the two. */
export class CreateMergeDto {
  @IntField({ optional: true, description: 'Merge the replicas of all jobs of this task' }) task_id?: number;
  @IntField({ optional: true, description: 'Merge the replicas of this job' }) job_id?: number;
}
