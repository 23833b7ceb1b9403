import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { TaskEntity } from '../tasks/task.entity.js';

/** How the replicas of a task are merged. A trigger inserts a row for each new task with replicas. */
@Entity('consensus_settings')
export class ConsensusSettingsEntity {
  @PrimaryGeneratedColumn('identity') id!: number;
  @OneToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  task!: Relation<TaskEntity>;
  @Column('int') taskId!: number;
  /** The least similarity of objects that count as the same, 0 to 1. */
  @Column('float8', { default: 0.4 }) iouThreshold!: number;
  /** The share of the replicas that must have an object, 0 to 1. */
  @Column('float8', { default: 0.5 }) quorum!: number;
}

/** How far the annotators of a task's replicas agree, as last calculated. */
@Entity('consensus_agreement')
export class ConsensusAgreementEntity {
  @OneToOne(() => TaskEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  task!: Relation<TaskEntity>;
  @PrimaryColumn('int') taskId!: number;
  /** See `StoredAgreement`. */
  @Column('jsonb') document!: unknown;
  @Column('timestamptz') createdDate!: Date;
}
