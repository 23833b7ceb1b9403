import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { intItem, ListField } from '../../core/http/body/composite-fields.js';
import { ChoiceField, IntField } from '../../core/http/body/fields.js';
import { ChildrenDto, JOB_STATUSES } from '../projects/index.js';
import { StorageDto, sourceStorage, type StoragesRow, targetStorage } from '../storages/index.js';
import { Urls } from '../../core/http/response/urls.js';
import type { Actor } from '../../shared/policy/actor.js';
import type { JobFacts } from '../../shared/policy/job.policy.js';
import { type ProjectFacts, projectPolicy } from '../../shared/policy/project.policy.js';
import { type TaskFacts, taskPolicy } from '../../shared/policy/task.policy.js';
import { readTaskFacts, type TaskFactsRow } from '../tasks/index.js';
import { readBasicUser } from '../users/index.js';

export const JOB_STAGES = ['annotation', 'validation', 'acceptance'] as const;
export const JOB_STATES = ['new', 'in progress', 'completed', 'rejected'] as const;
export const JOB_TYPES = ['annotation', 'ground_truth', 'consensus_replica'] as const;

export class UpdateJobDto {
  @IntField({ optional: true, nullable: true }) assignee?: number | null;
  @ChoiceField(JOB_STAGES, {
    optional: true,
    description: 'A new stage resets the state to new, unless you also set a state',
  })
  stage?: string;
  @ChoiceField(JOB_STATES, { optional: true }) state?: string;
}

/** The maximum number of jobs that one request can change. */
export const MAX_BULK = 10_000;

const JobIdsField = (): PropertyDecorator =>
  ListField(intItem({ min: 1 }), { notEmpty: true, maxItems: MAX_BULK, description: 'Repeated ids count once' });

/** The ids of the jobs to change. */
export class JobIdsDto {
  @JobIdsField() ids!: number[];
}

/** One change that is applied to many jobs. */
export class UpdateJobsDto extends UpdateJobDto {
  @JobIdsField() ids!: number[];
}

export class IssueSummaryDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty() count!: number;
}

const CHUNK_TYPES = ['video', 'imageset', 'list', 'audio_mp3'] as const;

export class JobDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty() id!: number;
  @ApiProperty() task_id!: number;
  @ApiProperty({ description: 'Not in version 2.0' }) task_name!: string;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null if you cannot see the project. Not in version 2.0',
  })
  project_name!: string | null;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: "The project's guide if the task is in a project, otherwise the task's",
  })
  guide_id!: number | null;
  @ApiProperty() dimension!: string;
  @ApiProperty({ type: String, nullable: true }) bug_tracker!: string | null;
  @ApiProperty({ enum: JOB_STATUSES, description: 'Determined by stage and state' }) status!: string;
  @ApiProperty({ enum: JOB_STAGES }) stage!: string;
  @ApiProperty({ enum: JOB_STATES }) state!: string;
  @ApiProperty() mode!: string;
  @ApiProperty() frame_count!: number;
  @ApiProperty() start_frame!: number;
  @ApiProperty() stop_frame!: number;
  @ApiProperty({ type: Number, nullable: true }) data_chunk_size!: number | null;
  @ApiProperty({ type: String, enum: CHUNK_TYPES, nullable: true }) data_compressed_chunk_type!: string | null;
  @ApiProperty({ type: String, enum: CHUNK_TYPES, nullable: true }) data_original_chunk_type!: string | null;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty({ type: IssueSummaryDto }) issues!: IssueSummaryDto;
  @ApiProperty({ type: ChildrenDto, description: 'Version 2.0 embeds the labels' }) labels!: ChildrenDto;
  @ApiProperty({ enum: JOB_TYPES }) type!: string;
  @ApiProperty({ type: Number, nullable: true }) organization!: number | null;
  @ApiProperty({ type: StorageDto, nullable: true, description: 'Null if you cannot see the task' })
  target_storage!: StorageDto | null;
  @ApiProperty({ type: StorageDto, nullable: true }) source_storage!: StorageDto | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) assignee_updated_date!: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'The job that a consensus replica repeats' })
  parent_job_id!: number | null;
  @ApiProperty() consensus_replicas!: number;
}

/** The response to a bulk change. */
export class ChangedJobsDto {
  @ApiProperty({ type: 'integer' }) count!: number;
  @ApiProperty({ type: JobDto, isArray: true, description: 'Sorted by id, ascending' }) results!: JobDto[];
}

/** A job, and the facts that the policy needs about it. */
export interface JobRow extends TaskFactsRow, StoragesRow {
  readonly id: number;
  readonly task_id: number;
  readonly task_name: string;
  readonly project_id: number | null;
  readonly project_name: string | null;
  readonly organization_id: number | null;
  readonly segment_id: number;
  readonly type: string;
  readonly status: string;
  readonly stage: string;
  readonly state: string;
  readonly assignee_id: number | null;
  readonly assignee_updated_date: string | null;
  readonly parent_job_id: number | null;
  readonly created_date: string;
  readonly updated_date: string;
  readonly dimension: string;
  readonly mode: string;
  readonly bug_tracker: string | null;
  readonly consensus_replicas: number;
  readonly frame_count: number;
  readonly start_frame: number;
  readonly stop_frame: number;
  readonly segment_type: string;
  readonly chunk_size: number | null;
  readonly compressed_chunk_type: string | null;
  readonly original_chunk_type: string | null;
  readonly guide_id: number | null;
  readonly issue_count: number;
}

export const factsOf = (row: TaskFactsRow & { readonly assignee_id: number | null }): JobFacts => ({
  assigneeId: row.assignee_id,
  task: readTaskFacts(row),
});

const projectOf = ({ project, organization }: TaskFacts): ProjectFacts => ({
  ownerId: project?.ownerId ?? null,
  assigneeId: project?.assigneeId ?? null,
  organization,
});

/**
 * The job as `actor` may see it: the storages of the task only if the actor may see the task, and the name of the project
 * only if the actor may see the project.
 * @param actor the actor for whom the row was read; null for background work
 */
export function toJob(row: JobRow, actor: Actor | null): JobDto {
  const urls = new Urls(actor?.baseUrl ?? '');
  const facts = readTaskFacts(row);
  const sees = actor !== null && taskPolicy.allow('view', actor, facts);
  const seesProject = actor !== null && facts.project !== null && projectPolicy.allow('view', actor, projectOf(facts));
  return {
    url: urls.job(row.id),
    id: row.id,
    task_id: row.task_id,
    task_name: row.task_name,
    project_id: row.project_id,
    project_name: seesProject ? row.project_name : null,
    assignee: readBasicUser(row, 'assignee', urls),
    guide_id: row.guide_id,
    dimension: row.dimension,
    bug_tracker: row.bug_tracker,
    status: row.status,
    stage: row.stage,
    state: row.state,
    mode: row.mode,
    frame_count: row.frame_count,
    start_frame: row.start_frame,
    stop_frame: row.stop_frame,
    data_chunk_size: row.chunk_size,
    data_compressed_chunk_type: row.segment_type === 'specific_frames' ? 'imageset' : row.compressed_chunk_type,
    data_original_chunk_type: row.original_chunk_type,
    created_date: row.created_date,
    updated_date: row.updated_date,
    issues: { url: urls.children('issues', 'job_id', row.id), count: row.issue_count },
    labels: { url: urls.children('labels', 'job_id', row.id) },
    type: row.type,
    organization: row.organization_id,
    target_storage: sees ? targetStorage(row) : null,
    source_storage: sees ? sourceStorage(row) : null,
    assignee_updated_date: row.assignee_updated_date,
    parent_job_id: row.parent_job_id,
    consensus_replicas: row.consensus_replicas,
  };
}
