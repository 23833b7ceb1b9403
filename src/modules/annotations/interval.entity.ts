import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

abstract class IntervalColumns {
  /** The save that wrote the row; 0 for rows that are older than the history. */
  @Column('bigint', { default: 0 }) revisionId!: number;
  @Column('int') labelId!: number;
  @Column('int') start!: number;
  /** Exclusive; null: to the end. */
  @Column('int', { nullable: true }) stop!: number | null;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('float8') score!: number;
  @Column('text') source!: string;
  @Column('text') attributes!: string;
}

/** A label on a time range. */
@Entity('annotation_interval')
export class IntervalEntity extends IntervalColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') @Index() jobId!: number;
}

/** A row that is not there any more, kept for the history. */
@Entity('annotation_interval_removed')
export class RemovedIntervalEntity extends IntervalColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that took it away. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}
