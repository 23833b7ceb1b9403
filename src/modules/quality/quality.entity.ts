import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  OneToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { JobEntity } from '../jobs/job.entity.js';
import { ProjectEntity } from '../projects/project.entity.js';
import { TaskEntity } from '../tasks/task.entity.js';
import { UserEntity } from '../users/user.entity.js';

/** How the annotations of a task or project are compared with its ground truth. A trigger inserts a row for each new one. */
@Entity('quality_settings')
@Check('ck_quality_settings_owner', 'num_nonnulls(task_id, project_id) = 1')
export class QualitySettingsEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @OneToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  task!: Relation<TaskEntity> | null;
  @Column('int', { nullable: true }) taskId!: number | null;
  @OneToOne(() => ProjectEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  project!: Relation<ProjectEntity> | null;
  @Column('int', { nullable: true }) projectId!: number | null;
  /** JSON Logic, or an empty text. */
  @Column('text', { default: '' }) jobFilter!: string;
  @Column('boolean', { default: true }) inherit!: boolean;
  @Column('text', { default: 'accuracy' }) targetMetric!: string;
  @Column('float8', { default: 0.7 }) targetMetricThreshold!: number;
  @Column('int', { default: 0 }) maxValidationsPerJob!: number;
  @Column('float8', { default: 0.4 }) iouThreshold!: number;
  @Column('float8', { default: 0.09 }) oksSigma!: number;
  @Column('text', { default: 'group_bbox_size' }) pointSizeBase!: string;
  @Column('float8', { default: 0.01 }) lineThickness!: number;
  @Column('float8', { default: 0.8 }) lowOverlapThreshold!: number;
  @Column('boolean', { default: true }) compareLineOrientation!: boolean;
  @Column('float8', { default: 0.1 }) lineOrientationThreshold!: number;
  @Column('boolean', { default: true }) compareGroups!: boolean;
  @Column('float8', { default: 0.5 }) groupMatchThreshold!: number;
  @Column('boolean', { default: true }) checkCoveredAnnotations!: boolean;
  @Column('float8', { default: 0.05 }) objectVisibilityThreshold!: number;
  @Column('boolean', { default: true }) panopticComparison!: boolean;
  @Column('boolean', { default: true }) compareAttributes!: boolean;
  @Column('boolean', { default: false }) emptyIsAnnotated!: boolean;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}

/** The quality of one job, task or project at one time. */
@Entity('quality_report')
@Check('ck_quality_report_target', 'num_nonnulls(job_id, task_id, project_id) = 1')
export class QualityReportEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  /** Exactly one of job, task and project is set. A trigger deletes the reports of jobs, in one statement for all of them. */
  @ManyToOne(() => JobEntity, { nullable: true, createForeignKeyConstraints: false })
  @JoinColumn()
  job!: Relation<JobEntity> | null;
  @Column('int', { nullable: true }) @Index() jobId!: number | null;
  @ManyToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  task!: Relation<TaskEntity> | null;
  @Column('int', { nullable: true }) @Index() taskId!: number | null;
  @ManyToOne(() => ProjectEntity, { onDelete: 'CASCADE', nullable: true })
  @JoinColumn()
  project!: Relation<ProjectEntity> | null;
  @Column('int', { nullable: true }) @Index() projectId!: number | null;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  assignee!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() assigneeId!: number | null;
  /** Made when a job was completed, rather than because somebody asked for it. */
  @Column('boolean', { default: false }) immediate!: boolean;
  @Column('jsonb') summary!: unknown;
  /** Of a task: what reports of its project need, `{inherited, summary}` with the summary of the document. */
  @Column('jsonb', { nullable: true }) comparison!: unknown;
  /** Of a job: `[{user_id, …}]` with the counts of each author. Null in older reports. */
  @Column('jsonb', { nullable: true }) annotators!: unknown;
  /** The document of `/data` after its header, compressed with gzip. */
  @Column('bytea') document!: Buffer;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') targetLastUpdated!: Date;
  @Column('timestamptz', { nullable: true }) gtLastUpdated!: Date | null;
}

/** Which reports a report summarizes. A report of a task can be part of several reports of its project. */
@Entity('quality_report_part')
export class QualityReportPartEntity {
  @ManyToOne(() => QualityReportEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  child!: Relation<QualityReportEntity>;
  @PrimaryColumn('int') childId!: number;
  @ManyToOne(() => QualityReportEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  parent!: Relation<QualityReportEntity>;
  @PrimaryColumn('int') @Index() parentId!: number;
}

/** A difference between annotations and ground truth. Only reports of jobs have any. */
@Entity('quality_conflict')
@Index(['reportId', 'id'])
export class QualityConflictEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @ManyToOne(() => QualityReportEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  report!: Relation<QualityReportEntity>;
  @Column('int') reportId!: number;
  @Column('int') frame!: number;
  @Column('text') type!: string;
  @Column('text') severity!: string;
  /** `[{obj_id, job_id, type, shape_type}]` */
  @Column('jsonb') annotationIds!: unknown;
}
