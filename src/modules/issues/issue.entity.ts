import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { JobEntity } from '../jobs/job.entity.js';
import { UserEntity } from '../users/user.entity.js';

/** A problem that a reviewer reports at a position in a frame. */
@Entity('issue')
export class IssueEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  /** A trigger deletes issues with their jobs, in one statement for all of them. */
  @ManyToOne(() => JobEntity, { nullable: false, createForeignKeyConstraints: false })
  @JoinColumn()
  job!: Relation<JobEntity>;
  @Column('int') @Index() jobId!: number;
  @Column('int') frame!: number;
  @Column('float8', { array: true }) position!: number[];
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  owner!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() ownerId!: number | null;
  @ManyToOne(() => UserEntity, { onDelete: 'SET NULL', nullable: true })
  @JoinColumn()
  assignee!: Relation<UserEntity> | null;
  @Column('int', { nullable: true }) @Index() assigneeId!: number | null;
  @Column('boolean', { default: false }) resolved!: boolean;
  @Column('timestamptz', { nullable: true }) createdDate!: Date | null;
  @Column('timestamptz', { nullable: true }) updatedDate!: Date | null;
}
