import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A label on a whole frame. */
@Entity('annotation_tag')
@Index(['jobId', 'frame'])
export class TagEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') jobId!: number;
  @Column('int') labelId!: number;
  /** Number in the task, as in all kinds. */
  @Column('int') frame!: number;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('text') source!: string;
  /** JSON text: `[{"spec_id": 1, "value": "red"}]`, as it was sent. */
  @Column('text') attributes!: string;
}
