import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, type Relation } from 'typeorm';
import { TaskEntity } from '../tasks/task.entity.js';

/** A range or a selection of a task's frames, which jobs work on. */
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
