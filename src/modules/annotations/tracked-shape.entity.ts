import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

abstract class TrackedShapeColumns {
  /** The save that wrote the row; 0 for rows that are older than the history. */
  @Column('bigint', { default: 0 }) revisionId!: number;
  @Column('bigint') trackId!: number;
  @Column('int') frame!: number;
  @Column('int') zOrder!: number;
  @Column('boolean') occluded!: boolean;
  @Column('boolean') outside!: boolean;
  @Column('float8') rotation!: number;
  @Column('text') type!: string;
  /** JSON text. */
  @Column('text') points!: string;
  /** The mutable ones. */
  @Column('text') attributes!: string;
}

/** A keyframe of a track. */
@Entity('annotation_tracked_shape')
@Index(['jobId', 'trackId'])
export class TrackedShapeEntity extends TrackedShapeColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') jobId!: number;
}

/** A row that is not there any more, kept for the history. */
@Entity('annotation_tracked_shape_removed')
@Index(['jobId', 'trackId'])
export class RemovedTrackedShapeEntity extends TrackedShapeColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that took it away. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}
