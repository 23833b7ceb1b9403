import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../../core/http/response/basic-user.dto.js';
import { FRACTION } from '../../../core/http/body/fields.js';

/** What was done in some time. */
export class ActivityFiguresDto {
  @ApiProperty({ description: 'Frames on which objects were created or changed; each frame of a job counts once' })
  frames!: number;
  @ApiProperty({ description: 'Tags, shapes and tracks that were created' }) objects!: number;
  @ApiProperty({ description: 'Jobs whose state became `completed`; each counts once' }) jobs_completed!: number;
  @ApiProperty({ description: 'Milliseconds' }) working_time!: number;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'Null without working time' }) frames_per_hour!:
    number | null;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'Null without objects or working time' })
  seconds_per_object!: number | null;
}

export class ActivityDayDto extends ActivityFiguresDto {
  @ApiProperty({ format: 'date', example: '2026-11-25', description: 'In UTC' }) date!: string;
}

export class ActivityUserDto extends ActivityFiguresDto {
  @ApiProperty({ type: BasicUserDto, nullable: true, description: 'Null for a deleted account' })
  user!: BasicUserDto | null;
}

export class IdleJobDto {
  @ApiProperty() id!: number;
  @ApiProperty() task_id!: number;
  @ApiProperty() task_name!: string;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
  @ApiProperty() stage!: string;
  @ApiProperty() state!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
}

export class ActivityDto {
  @ApiProperty({ format: 'date', description: 'The first day' }) from!: string;
  @ApiProperty({ format: 'date', description: 'The last day' }) to!: string;
  @ApiProperty() idle_days!: number;
  @ApiProperty({ type: ActivityFiguresDto, description: 'The whole range of days' }) total!: ActivityFiguresDto;
  @ApiProperty({ type: [ActivityDayDto], description: 'Every day of the range, oldest first' })
  days!: ActivityDayDto[];
  @ApiProperty({ type: [ActivityUserDto], description: 'At most 1000 people, most working time first' })
  users!: ActivityUserDto[];
  @ApiProperty({ description: 'Issues that are not resolved now' }) open_issues!: number;
  @ApiProperty({ description: 'Jobs in progress that have not changed for `idle_days` days' }) idle_job_count!: number;
  @ApiProperty({ type: [IdleJobDto], description: 'At most 100 of them, the longest idle first' })
  idle_jobs!: IdleJobDto[];
}
