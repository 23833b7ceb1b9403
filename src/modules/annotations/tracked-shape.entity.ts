import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A keyframe of a track. */
@Entity('annotation_tracked_shape')
@Index(['jobId', 'trackId'])
export class TrackedShapeEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('bigint') trackId!: number;
  @Column('int') jobId!: number;
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
