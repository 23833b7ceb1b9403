import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { JobEntity } from '../../jobs/job.entity.js';
import { TaskEntity } from '../../tasks/task.entity.js';
import { UserEntity } from '../../users/user.entity.js';

/** One save of annotations. */
@Entity('annotation_revision')
@Index(['taskId', 'id'])
export class RevisionEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @ManyToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  task!: Relation<TaskEntity>;
  @Column('int') taskId!: number;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  author!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() authorId!: number | null;
  @Column('text') action!: string;
  /** For a restore: the revision before or after which the restored state existed. */
  @Column('bigint', { nullable: true }) restoredId!: number | null;
  /** For a restore: whether the state `before` or `after` that revision was restored. */
  @Column('text', { nullable: true }) restoredState!: string | null;
  @Column('timestamptz') createdDate!: Date;
}

/** The changes of a save in one job. */
@Entity('annotation_revision_part')
export class RevisionPartEntity {
  @PrimaryColumn('int') jobId!: number;
  @PrimaryColumn('bigint') @Index() revisionId!: number;
  @ManyToOne(() => JobEntity, { nullable: false, createForeignKeyConstraints: false })
  @JoinColumn()
  job!: Relation<JobEntity>;
  @ManyToOne(() => RevisionEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  revision!: Relation<RevisionEntity>;
  /** The numbers of objects of each type that were created, updated and deleted. */
  @Column('json') counts!: object;
}

/** Who annotated a job at a stage. It stays when the saves are deleted from the history. */
@Entity('annotation_author')
@Index(['jobId', 'authorId', 'stage'], { unique: true })
export class AnnotationAuthorEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @ManyToOne(() => JobEntity, { nullable: false, createForeignKeyConstraints: false })
  @JoinColumn()
  job!: Relation<JobEntity>;
  @Column('int') jobId!: number;
  @ManyToOne(() => UserEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  author!: Relation<UserEntity>;
  @Column('int') @Index() authorId!: number;
  @Column('text') stage!: string;
  /** Zero: only assigned. A trigger inserts these. */
  @Column('int', { default: 0 }) saves!: number;
}

/** The last save of a job's annotations. The row stays when the save is deleted from the history. */
@Entity('annotation_head')
export class AnnotationHeadEntity {
  @PrimaryColumn('int') jobId!: number;
  @ManyToOne(() => JobEntity, { nullable: false, createForeignKeyConstraints: false })
  @JoinColumn()
  job!: Relation<JobEntity>;
  @Column('bigint') revisionId!: number;
}
