import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { TaskEntity } from '../tasks/task.entity.js';
import { UserEntity } from '../users/user.entity.js';

/** The frames of a job: a range or a selection of the task's frames. */
@Entity('segment')
export class SegmentEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @ManyToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  task!: Relation<TaskEntity>;
  @Column('int') @Index() taskId!: number;
  /** Task-relative, inclusive, as is stopFrame. */
  @Column('int') startFrame!: number;
  @Column('int') stopFrame!: number;
  /** range or specific_frames. */
  @Column('text', { default: 'range' }) type!: string;
  /** Absolute numbers; only for specific_frames. */
  @Column('int', { array: true, default: '{}' }) frames!: number[];
  @Column('timestamptz') chunksUpdatedDate!: Date;
}

@Entity('job')
@Index(['taskId', 'id'])
@Index(['assigneeId', 'id'])
@Index(['parentJobId', 'id'])
@Index(['organizationId', 'id'])
@Index(['state', 'id'])
@Index(['stage', 'id'])
@Index(['type', 'id'])
@Index(['updatedDate', 'id'])
export class JobEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  /** Triggers delete the jobs of a segment or parent, with one statement for all; a foreign key would run one for each. */
  @ManyToOne(() => SegmentEntity, { nullable: false, createForeignKeyConstraints: false })
  @JoinColumn()
  segment!: Relation<SegmentEntity>;
  @Column('int') @Index() segmentId!: number;
  /** The segment's task, stored here too because lists need it. */
  @ManyToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  task!: Relation<TaskEntity>;
  @Column('int') taskId!: number;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  assignee!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) assigneeId!: number | null;
  @Column('timestamptz', { nullable: true }) assigneeUpdatedDate!: Date | null;
  /** annotation, ground_truth or consensus_replica. */
  @Column('text', { default: 'annotation' }) type!: string;
  @Column('text', { default: 'annotation' }) status!: string;
  @Column('text', { default: 'annotation' }) stage!: string;
  @Column('text', { default: 'new' }) state!: string;
  @ManyToOne(() => JobEntity, { nullable: true, createForeignKeyConstraints: false })
  @JoinColumn()
  parentJob!: Relation<JobEntity> | null;
  @Column('int', { nullable: true }) parentJobId!: number | null;
  /** A copy of the task's, for lists. A trigger maintains it. */
  @Column({ type: 'int', nullable: true, insert: false, update: false }) organizationId!: number | null;
  @Column('timestamptz') createdDate!: Date;
  @Column('timestamptz') updatedDate!: Date;
}
