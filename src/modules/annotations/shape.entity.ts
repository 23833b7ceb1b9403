import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

abstract class ShapeColumns {
  /** The save that wrote the row; 0 for rows that are older than the history. */
  @Column('bigint', { default: 0 }) revisionId!: number;
  /** Only for the elements of a skeleton. */
  @Column('bigint', { nullable: true }) parentId!: number | null;
  @Column('int') labelId!: number;
  /** Number in the task, as in all kinds. */
  @Column('int') frame!: number;
  @Column('int', { nullable: true }) groupId!: number | null;
  @Column('int') zOrder!: number;
  @Column('boolean') occluded!: boolean;
  @Column('boolean') outside!: boolean;
  @Column('float8') rotation!: number;
  @Column('float8') score!: number;
  @Column('text') type!: string;
  @Column('text') source!: string;
  /** JSON text: a list of numbers, as it was sent. */
  @Column('text') points!: string;
  /** JSON text: `[{"spec_id": 1, "value": "red"}]`, as it was sent. */
  @Column('text') attributes!: string;
}

/** A shape on one frame, or an element of a skeleton there. */
@Entity('annotation_shape')
@Index(['jobId', 'frame'])
@Index(['jobId', 'parentId'], { where: 'parent_id is not null' })
export class ShapeEntity extends ShapeColumns {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id!: number;
  @Column('int') jobId!: number;
}

/** A row that is not there any more, kept for the history. */
@Entity('annotation_shape_removed')
export class RemovedShapeEntity extends ShapeColumns {
  @PrimaryColumn('int') jobId!: number;
  /** The save that took it away. */
  @PrimaryColumn('bigint') removedId!: number;
  @PrimaryColumn('bigint') id!: number;
}
