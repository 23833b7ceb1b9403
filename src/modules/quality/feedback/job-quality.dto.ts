import { ApiProperty } from '@nestjs/swagger';
import { FRACTION } from '../../../core/http/body/fields.js';
import { TARGET_METRICS } from '../settings/quality-settings.dto.js';

/** The outcome of the automatic check of a job, for its annotator. */
export class JobQualityDto {
  @ApiProperty({
    enum: ['none', 'pending', 'checked'],
    description: 'Whether the job was checked, or is being checked',
  })
  status!: 'none' | 'pending' | 'checked';
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) checked_date!: string | null;
  @ApiProperty({ enum: TARGET_METRICS }) target_metric!: string;
  @ApiProperty({ ...FRACTION, minimum: 0, maximum: 1 }) target_metric_threshold!: number;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'Of the target metric' }) value!: number | null;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Whether the value reaches the threshold' })
  passed!: boolean | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Number of frames that were compared' })
  checked_frames!: number | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Missing, extra and wrongly labeled objects' })
  error_count!: number | null;
  @ApiProperty({ description: 'How often the job will still be checked when it is completed' })
  remaining_checks!: number;
}
