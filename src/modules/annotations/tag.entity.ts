import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

abstract class TagColumns {
  /** The save that wrote the row; 0 for rows that are older than the history. */
  @Column('bigint', { default: 0 }) revisionId!: number;
  @Column('int') labelId!: number;
  /** Number in the task, as in all kinds. */
  @Column('int') frame!: number;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('text') source!: string;
  /** JSON text: `[{"spec_id": 1, "value": "red"}]`, as it was sent. */
  @Column('text') attributes!: string;
}

/** A label on a whole frame. */
@Entity('annotation_tag')
@Index(['jobId', 'frame'])
export class TagEntity extends TagColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') jobId!: number;
}

/** A row that is not there any more, kept for the history. */
@Entity('annotation_tag_removed')
export class RemovedTagEntity extends TagColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that took it away. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}
