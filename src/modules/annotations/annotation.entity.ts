import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

abstract class TagColumns {
  /** The save that wrote the row; 0 for rows that are older than the history. */
  @Column('bigint', { default: 0 }) revisionId!: number;
  @Column('int') labelId!: number;
  /** Frame number in the task, as for all types. */
  @Column('int') frame!: number;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('text') source!: string;
  /** JSON text as it was sent: `[{"spec_id": 1, "value": "red"}]`. */
  @Column('text') attributes!: string;
}

/** A label of an entire frame. */
@Entity('annotation_tag')
@Index(['jobId', 'frame'])
export class TagEntity extends TagColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') jobId!: number;
}

/** A removed row, kept for the history. */
@Entity('annotation_tag_removed')
export class RemovedTagEntity extends TagColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that removed it. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}

abstract class ShapeColumns {
  /** The save that wrote the row; 0 for rows that are older than the history. */
  @Column('bigint', { default: 0 }) revisionId!: number;
  /** Only for the elements of a skeleton. */
  @Column('bigint', { nullable: true }) parentId!: number | null;
  @Column('int') labelId!: number;
  /** Frame number in the task, as for all types. */
  @Column('int') frame!: number;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('int') zOrder!: number;
  @Column('boolean') occluded!: boolean;
  @Column('boolean') outside!: boolean;
  @Column('float8') rotation!: number;
  @Column('float8') score!: number;
  @Column('text') type!: string;
  @Column('text') source!: string;
  /** JSON text as it was sent: a list of numbers. */
  @Column('text') points!: string;
  /** JSON text as it was sent: `[{"spec_id": 1, "value": "red"}]`. */
  @Column('text') attributes!: string;
}

/** A shape on one frame, or an element of a skeleton on that frame. */
@Entity('annotation_shape')
@Index(['jobId', 'frame'])
@Index(['jobId', 'parentId'], { where: 'parent_id is not null' })
export class ShapeEntity extends ShapeColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') jobId!: number;
}

/** A removed row, kept for the history. */
@Entity('annotation_shape_removed')
export class RemovedShapeEntity extends ShapeColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that removed it. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}

abstract class TrackColumns {
  /** The save that wrote the row; 0 for rows that are older than the history. */
  @Column('bigint', { default: 0 }) revisionId!: number;
  /** Only for the elements of a skeleton. */
  @Column('bigint', { nullable: true }) parentId!: number | null;
  @Column('int') labelId!: number;
  /** Frame number in the task, as for all types. */
  @Column('int') frame!: number;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('text') source!: string;
  /** Immutable attributes. */
  @Column('text') attributes!: string;
}

/** An object through several frames, or an element of a skeleton track. Its tracked shapes contain the positions. */
@Entity('annotation_track')
export class TrackEntity extends TrackColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') @Index() jobId!: number;
}

/** A removed row, kept for the history. */
@Entity('annotation_track_removed')
export class RemovedTrackEntity extends TrackColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that removed it. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}

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
  /** Mutable attributes. */
  @Column('text') attributes!: string;
}

/** A keyframe of a track. */
@Entity('annotation_tracked_shape')
@Index(['jobId', 'trackId'])
export class TrackedShapeEntity extends TrackedShapeColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') jobId!: number;
}

/** A removed row, kept for the history. */
@Entity('annotation_tracked_shape_removed')
@Index(['jobId', 'trackId'])
export class RemovedTrackedShapeEntity extends TrackedShapeColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that removed it. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}

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

/** A label of a time range. */
@Entity('annotation_interval')
export class IntervalEntity extends IntervalColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') @Index() jobId!: number;
}

/** A removed row, kept for the history. */
@Entity('annotation_interval_removed')
export class RemovedIntervalEntity extends IntervalColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that removed it. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}
