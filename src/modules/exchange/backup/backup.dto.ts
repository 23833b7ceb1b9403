import { ApiProperty } from '@nestjs/swagger';
import { ListField, NestedField, nameItem } from '../../../core/http/body/composite-fields.js';
import { BoolField, ChoiceField, IntField, TextField } from '../../../core/http/body/fields.js';
import { LabelInputDto } from '../../labels/index.js';
import { JOB_STAGES, JOB_STATES } from '../../jobs/index.js';
import { JOB_STATUSES } from '../../projects/index.js';

/** The forms of a restore in one request. */
export class TaskFileDto {
  @ApiProperty({ type: 'string', format: 'binary', description: 'A backup of a task' }) task_file!: unknown;
}

export class ProjectFileDto {
  @ApiProperty({ type: 'string', format: 'binary', description: 'A backup of a project' }) project_file!: unknown;
}

const number = {
  api: { type: 'integer' },
  check: (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : 'A valid integer is required.',
} as const;

/** The validation frames of a task, by name. */
export class BackupValidationDto {
  @ChoiceField(['gt', 'gt_pool']) mode!: 'gt' | 'gt_pool';
  @IntField({ optional: true, nullable: true, min: 0 }) frames_per_job_count?: number | null;
  /** Names of images; for a video, frame numbers as text. */
  @ListField(nameItem(1024), { optional: true }) frames?: string[];
  @ListField(nameItem(1024), { optional: true }) disabled_frames?: string[];
}

/** The media of a task in its backup. Frames of `deleted_frames` are task-relative. */
export class BackupDataDto {
  @IntField({ optional: true, nullable: true, min: 1 }) chunk_size?: number | null;
  @IntField({ optional: true, min: 0, max: 100 }) image_quality?: number;
  @IntField({ optional: true, min: 0 }) start_frame?: number;
  @IntField({ optional: true, min: 0 }) stop_frame?: number;
  @TextField({ optional: true, blank: true, max: 256 }) frame_filter?: string;
  @ChoiceField(['cache', 'file_system'], { optional: true }) storage_method?: string;
  @ChoiceField(['local', 'share', 'cloud_storage'], { optional: true }) storage?: string;
  @ChoiceField(['lexicographical', 'natural', 'predefined', 'random'], { optional: true }) sorting_method?: string;
  @ChoiceField(['imageset', 'video', 'list'], { optional: true }) chunk_type?: string;
  @ListField(number, { optional: true }) deleted_frames?: number[];
  @BoolField({ optional: true }) custom_segments?: boolean;
  @NestedField(() => BackupValidationDto, { optional: true, nullable: true })
  validation_layout?: BackupValidationDto | null;
}

/** A replica of a job in a backup. Backups of CVAT have none, or list them among the jobs. */
export class BackupReplicaDto {
  @ChoiceField(JOB_STAGES, { optional: true }) stage?: string;
  @ChoiceField(JOB_STATES, { optional: true }) state?: string;
}

/**
 * A job in a backup. Its frames, if it does not have its full range, are absolute. Backups of CVAT contain only the
 * status.
 */
export class BackupJobDto {
  @ChoiceField(['annotation', 'ground_truth', 'consensus_replica', 'replica'], { optional: true })
  type?: 'annotation' | 'ground_truth' | 'consensus_replica' | 'replica';
  @ChoiceField(JOB_STATUSES, { optional: true }) status?: string;
  @ChoiceField(JOB_STAGES, { optional: true }) stage?: string;
  @ChoiceField(JOB_STATES, { optional: true }) state?: string;
  @NestedField(() => BackupReplicaDto, { list: true, optional: true }) replicas?: BackupReplicaDto[];
  @IntField({ min: 0 }) start_frame!: number;
  @IntField({ min: 0 }) stop_frame!: number;
  @ListField(number, { optional: true }) frames?: number[];
  @ListField(nameItem(1024), { optional: true }) files?: string[];
}

/** `task.json`. */
export class BackupTaskDto {
  @TextField({ max: 256 }) name!: string;
  @TextField({ max: 2000, optional: true, blank: true }) bug_tracker?: string;
  @TextField({ max: 64, optional: true, blank: true }) subset?: string;
  @IntField({ optional: true, min: 0, max: 11 }) consensus_replicas?: number;
  /** The overlap of a task with one job, whose frames do not show it. */
  @IntField({ optional: true, min: 0 }) overlap?: number;
  @NestedField(() => LabelInputDto, { list: true, optional: true }) labels?: LabelInputDto[];
  @ChoiceField(['1.0']) version!: string;
  @NestedField(() => BackupDataDto) data!: BackupDataDto;
  @NestedField(() => BackupJobDto, { list: true }) jobs!: BackupJobDto[];
}

/** `project.json`. */
export class BackupProjectDto {
  @TextField({ max: 256 }) name!: string;
  @TextField({ max: 2000, optional: true, blank: true }) bug_tracker?: string;
  @NestedField(() => LabelInputDto, { list: true, optional: true }) labels?: LabelInputDto[];
  @ChoiceField(['1.0']) version!: string;
}
