import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

abstract class TrackColumns {
  /** The save that wrote the row; 0 for rows that are older than the history. */
  @Column('bigint', { default: 0 }) revisionId!: number;
  /** Only for the elements of a skeleton. */
  @Column('bigint', { nullable: true }) parentId!: number | null;
  @Column('int') labelId!: number;
  /** Number in the task, as in all kinds. */
  @Column('int') frame!: number;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('text') source!: string;
  /** The immutable ones. */
  @Column('text') attributes!: string;
}

/** An object through time, or an element of such a skeleton; where it is say its tracked shapes. */
@Entity('annotation_track')
export class TrackEntity extends TrackColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') @Index() jobId!: number;
}

/** A row that is not there any more, kept for the history. */
@Entity('annotation_track_removed')
export class RemovedTrackEntity extends TrackColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that took it away. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}
